#pragma once

#include <cstdint>

namespace snapviewer {

/// What can have the keyboard.
enum class Pane : std::uint8_t { timeline, details, query, table, fleet };

}  // namespace snapviewer
