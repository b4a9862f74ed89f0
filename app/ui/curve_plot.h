#pragma once

#include <imgui.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace snapviewer {

/// The rectangle of a plot with its scales: columns run from left to right, bytes from the bottom to the top.
struct CurvePlot {
    ImVec2 min, max;
    std::size_t columns = 1;
    double top_bytes = 1;

    float x(std::size_t column) const {
        return min.x + static_cast<float>(column) / static_cast<float>(columns) * (max.x - min.x);
    }
    float y(std::uint64_t bytes) const {
        return max.y - static_cast<float>(static_cast<double>(bytes) / top_bytes) * (max.y - min.y);
    }
    /// Relative position of an x coordinate within the plot, from 0 to just below 1.
    float share_at(float x_px) const { return std::clamp((x_px - min.x) / (max.x - min.x), 0.0F, 0.999F); }
    std::size_t column_at(float x_px) const {
        return static_cast<std::size_t>(share_at(x_px) * static_cast<float>(columns));
    }
};

/// Reserves the width of the current window, except `left_px` and `right_px` at its sides, fills the background and adds one
/// clickable item, so that ImGui::IsItemHovered() and the like refer to the plot. `top_bytes` is the largest value; a small
/// margin stays above it.
CurvePlot begin_curve_plot(const char* id, float height_px, std::size_t columns, std::uint64_t top_bytes, bool& is_clicked,
                           float left_px = 0, float right_px = 0);

/// Fills the area below a curve. The elements of `bytes` are numbers, or optional numbers if a recording has gaps.
template <typename Bytes>
void fill_below_curve(const CurvePlot& plot, const std::vector<Bytes>& bytes, ImU32 colour) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::optional<std::uint64_t> here = bytes[i];
        if (here) ImGui::GetWindowDrawList()->AddRectFilled({plot.x(i), plot.y(*here)}, {plot.x(i + 1), plot.max.y}, colour);
    }
}

/// Draws a line through points with the line width that all curves use.
void draw_curve_points(std::span<const ImVec2> points, ImU32 colour);

template <typename Bytes>
void draw_curve(const CurvePlot& plot, const std::vector<Bytes>& bytes, ImU32 colour) {
    std::vector<ImVec2> points;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::optional<std::uint64_t> here = bytes[i];
        if (!here) continue;
        points.emplace_back(plot.x(i), plot.y(*here));
        points.emplace_back(plot.x(i + 1), plot.y(*here));
    }
    draw_curve_points(points, colour);
}

/// Draws a vertical line over the plot's full height.
void draw_column_line(const CurvePlot& plot, float x_px, ImU32 colour);

}  // namespace snapviewer
