#pragma once

#include <cstdint>

namespace snapviewer {

/// The parts of the window that can have keyboard focus.
enum class Pane : std::uint8_t { timeline, details, query, table, fleet };

}  // namespace snapviewer
