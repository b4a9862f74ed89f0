#pragma once

#include <imgui.h>

#include <cstdint>
#include <span>

namespace snapviewer {

/// A curve of values at even distances, from the smallest at the bottom to the largest at the top.
void draw_sparkline(ImVec2 min, ImVec2 max, std::span<const std::int64_t> values, ImU32 colour);

}  // namespace snapviewer
