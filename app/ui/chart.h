#pragma once

#include <imgui.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace snapviewer {

/// A plot of numbers of bytes for one frame: columns run from left to right, bytes from the bottom to the top. The elements
/// of a curve are numbers, or optional numbers if a recording has gaps.
///
///     Chart chart({.id = "ranks", .rect = "series_ranks", .height_px = 96, .columns = 500, .top_bytes = highest});
///     chart.draw_curve(bytes, palette().accent);
///     if (const auto column = chart.hovered_column()) explain(*column);
class Chart {
public:
    struct Setup {
        const char* id;
        const char* rect;  ///< name of the observed plot
        float height_px;   ///< in pixels at scale 1
        std::size_t columns;
        std::uint64_t top_bytes;          ///< the largest value; a small margin stays above it
        float left_px = 0, right_px = 0;  ///< room beside the plot
    };
    /// Reserves the width of the current window, fills the background and adds one clickable ImGui item.
    explicit Chart(const Setup& setup);

    ImVec2 min() const { return min_; }
    ImVec2 max() const { return max_; }
    std::size_t columns() const { return columns_; }
    double top_bytes() const { return top_bytes_; }

    float x(std::size_t column) const { return x_of_share(static_cast<double>(column) / static_cast<double>(columns_)); }
    float x_of_share(double share) const { return min_.x + static_cast<float>(share) * (max_.x - min_.x); }
    float y(std::uint64_t bytes) const {
        return max_.y - static_cast<float>(static_cast<double>(bytes) / top_bytes_) * (max_.y - min_.y);
    }

    bool is_clicked() const { return is_clicked_; }
    /// The column under the mouse, or nullopt.
    std::optional<std::size_t> hovered_column() const;
    /// Relative position of the mouse within the plot's width, from 0 to just below 1.
    float mouse_share() const;

    /// Fills the area below a curve.
    template <typename Bytes>
    void fill_below(const std::vector<Bytes>& bytes, ImU32 colour) const {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            const std::optional<std::uint64_t> here = bytes[i];
            if (here) ImGui::GetWindowDrawList()->AddRectFilled({x(i), y(*here)}, {x(i + 1), max_.y}, colour);
        }
    }
    template <typename Bytes>
    void draw_curve(const std::vector<Bytes>& bytes, ImU32 colour) const;

    /// Draws a vertical line over the plot's full height.
    void draw_line_at(float x_px, ImU32 colour) const;
    /// Draws a vertical grid line. No-op if it would be too close to the last one to be readable.
    void draw_grid_line(double share);

private:
    ImVec2 min_, max_;
    std::size_t columns_;
    double top_bytes_;
    bool is_clicked_ = false, is_hovered_ = false;
    float grid_line_px_ = 0;  ///< x of the last grid line
};

/// The largest value of a curve, 0 if it has none.
template <typename Bytes>
std::uint64_t highest_bytes(const std::vector<Bytes>& bytes) {
    std::uint64_t highest = 0;
    for (const std::optional<std::uint64_t> here : bytes) highest = std::max(highest, here.value_or(0));
    return highest;
}

/// Draws a line through points with the line width that all curves use.
void draw_curve_points(std::span<const ImVec2> points, ImU32 colour);

/// Puts the next item of a legend behind the last one if an item of this width fits there, else on a new line.
void place_legend_item(bool is_first, float width_px);

template <typename Bytes>
void Chart::draw_curve(const std::vector<Bytes>& bytes, ImU32 colour) const {
    std::vector<ImVec2> points;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::optional<std::uint64_t> here = bytes[i];
        if (!here) continue;
        points.emplace_back(x(i), y(*here));
        points.emplace_back(x(i + 1), y(*here));
    }
    draw_curve_points(points, colour);
}

}  // namespace snapviewer
