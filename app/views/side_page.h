#pragma once

#include <cstdint>

namespace snapviewer {

/// A page of the right column.
enum class SidePage : std::uint8_t { findings, growth, live, moments, allocation };

}  // namespace snapviewer
