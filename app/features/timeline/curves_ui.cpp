#include "app/features/timeline/curves_ui.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "app/features/timeline/overlays_ui.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/texts.h"
#include "app/ui/theme.h"

namespace snapviewer {
namespace {

/// Width in pixels of a column of a curve. Narrower columns would cost a software rasterizer more time without a visible
/// gain.
constexpr int k_column_px = 2;

constexpr ImU32 k_area_alpha = 0x58;
constexpr ImU32 k_stacked_alpha = 0xa0;
constexpr ImU32 k_ribbon_alpha = 0x40;

bool is_ribbon_edge(SeriesShape shape) { return shape == SeriesShape::ribbon_low || shape == SeriesShape::ribbon_high; }

bool has_mirrored(const CurveTrack& track) {
    return std::ranges::any_of(track.curves, [](const Curve& curve) { return curve.shape() == SeriesShape::mirrored; });
}

struct Extremes {
    double low = 0;
    double high = 0;
};

/// Value range of a track. Stacked curves need room for the sum of their maxima.
Extremes extremes_of(const CurveTrack& track) {
    Extremes extremes;
    double stacked = 0;
    for (const Curve& curve : track.curves) {
        if (curve.shape() == SeriesShape::stacked) {
            extremes.high = std::max(extremes.high, stacked += std::max(0.0, curve.highest()));
        } else if (curve.shape() == SeriesShape::mirrored) {
            extremes.low = std::min(extremes.low, -curve.highest());
        } else {
            extremes.low = std::min(extremes.low, curve.lowest());
            extremes.high = std::max(extremes.high, curve.highest());
        }
    }
    return extremes;
}

/// Draws the curves of one lane, first to last.
class CurvePainter {
public:
    CurvePainter(const TrackLane& lane, const CurveTrack& track, CurveSamples& samples)
        : lane_(lane),
          track_(track),
          samples_(samples),
          range_(extremes_of(track)),
          columns_(std::max(1, static_cast<int>(lane.canvas.width_px()) / k_column_px)),
          column_px_(static_cast<float>(lane.canvas.width_px() / columns_)),
          stacked_(static_cast<std::size_t>(columns_), 0.0) {}

    void run() {
        for (std::size_t i = 0; i < track_.curves.size(); ++i) {
            const bool has_next = i + 1 < track_.curves.size();
            const SeriesShape shape = track_.curves[i].shape();
            if (shape == SeriesShape::stacked) {
                draw_stacked(i);
            } else if (shape == SeriesShape::area || shape == SeriesShape::mirrored) {
                draw_area(i, shape == SeriesShape::area ? 1 : -1);
            } else if (shape == SeriesShape::ribbon_low && has_next &&
                       track_.curves[i + 1].shape() == SeriesShape::ribbon_high) {
                draw_ribbon(i, i + 1);
                ++i;
            } else {
                draw_line(i, 1);
            }
        }
    }

private:
    std::span<const ValueSpan> columns_of(std::size_t index) {
        return samples_.of(track_.curves[index], lane_.axis, lane_.canvas.view, columns_);
    }

    float row(double value) const {
        const double height = std::max(range_.high - range_.low, 1e-300);
        const float top = lane_.top + 3;
        const float bottom = lane_.bottom - 3;
        return bottom - static_cast<float>((value - range_.low) / height) * (bottom - top);
    }

    template <typename Rows>
    void fill(Rows rows_at, ImU32 colour) {
        fill_columns(lane_.list, lane_.canvas, static_cast<std::size_t>(columns_), rows_at, colour, column_px_);
    }

    void draw_line(std::size_t index, double sign) {
        const float half = scaled(0.8F);
        const ImU32 colour = track_curve_colour(track_, index);
        for_each_run(columns_of(index), [&](std::size_t begin, std::size_t end, const ValueSpan& span) {
            const auto [top, bottom] = std::minmax({row(sign * span.low), row(sign * span.high)});
            lane_.list->AddRectFilled({lane_.canvas.min.x + column_px_ * static_cast<float>(begin), top - half},
                                      {lane_.canvas.min.x + column_px_ * static_cast<float>(end), bottom + half}, colour);
        });
    }

    void draw_area(std::size_t index, double sign) {
        const std::span<const ValueSpan> columns = columns_of(index);
        const float zero = row(0);
        const auto rows_at = [&](std::size_t i) {
            const float end = row(sign * columns[i].high);
            return std::pair(std::min(zero, end), std::max(zero, end));
        };
        fill(rows_at, with_alpha(track_curve_colour(track_, index), k_area_alpha));
        draw_line(index, sign);
    }

    void draw_stacked(std::size_t index) {
        const std::span<const ValueSpan> columns = columns_of(index);
        const ImU32 colour = track_curve_colour(track_, index);
        const auto rows_at = [&](std::size_t i) {
            return std::pair(std::round(row(stacked_[i] + std::max(0.0, columns[i].high))), std::round(row(stacked_[i])));
        };
        const auto edge_at = [&](std::size_t i) {
            const auto [top, bottom] = rows_at(i);
            return std::pair(top, std::min(bottom, top + 1));
        };
        fill(rows_at, with_alpha(colour, k_stacked_alpha));
        fill(edge_at, colour);
        for (std::size_t i = 0; i < stacked_.size(); ++i) stacked_[i] += std::max(0.0, columns[i].high);
    }

    void draw_ribbon(std::size_t low, std::size_t high) {
        const std::span<const ValueSpan> lows = columns_of(low);
        const std::span<const ValueSpan> highs = columns_of(high);
        const auto rows_at = [&](std::size_t i) { return std::pair(row(highs[i].high), row(lows[i].low)); };
        fill(rows_at, with_alpha(track_curve_colour(track_, low), k_ribbon_alpha));
    }

    const TrackLane& lane_;
    const CurveTrack& track_;
    CurveSamples& samples_;
    Extremes range_;
    int columns_;
    float column_px_;
    std::vector<double> stacked_;  ///< height of the stacked curves so far, per column
};

}  // namespace

void draw_track_curves(const TrackLane& lane, const CurveTrack& track, CurveSamples& samples) {
    CurvePainter(lane, track, samples).run();
}

void draw_track_range(const TrackLane& lane, const CurveTrack& track, float left, float right) {
    const Extremes range = extremes_of(track);
    const Unit unit = track.curves.front().unit();
    const float line = ImGui::GetTextLineHeight();
    draw_cut_text(lane.list, {left, lane.top + line + scaled(4)}, right, palette().text_faint, value_text(unit, range.high));
    if (range.low >= 0) return;
    // Mirrored curves have positive values that are drawn downwards.
    draw_cut_text(lane.list, {left, lane.top + 2 * line + scaled(5)}, right, palette().text_faint,
                  value_text(unit, has_mirrored(track) ? -range.low : range.low));
}

ImU32 track_curve_colour(const CurveTrack& track, std::size_t index) {
    std::size_t colour = 1;
    for (std::size_t i = 0; i < index; ++i) {
        if (!is_ribbon_edge(track.curves[i].shape())) ++colour;
    }
    return curve_colour(colour);
}

void draw_totals_curve(const TotalsPreview& totals, float fraction, ImVec2 size) {
    const std::vector<std::int64_t> samples = totals.samples();
    if (samples.empty()) return;
    // Frees of memory that was allocated before the recording can make the total negative.
    const auto [lowest, highest] = std::ranges::minmax(samples);
    const auto ground = static_cast<double>(std::min<std::int64_t>(lowest, 0));
    const double height = std::max(1.0, static_cast<double>(highest) - ground) * 1.08;

    const ImVec2 min = ImGui::GetCursorScreenPos();
    ImGui::Dummy(size);
    observe_item("load_preview");
    const ImVec2 max(min.x + size.x, min.y + size.y);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(min, max, palette().canvas);
    const auto columns = static_cast<std::size_t>(std::max(1.0F, std::floor(size.x * std::clamp(fraction, 0.0F, 1.0F))));
    float last_top = 0;
    for (std::size_t column = 0; column < columns; ++column) {
        const auto total = static_cast<double>(highest_in_column(samples, column, columns));
        const float left = min.x + static_cast<float>(column);
        const float top = max.y - size.y * static_cast<float>((total - ground) / height);
        list->AddRectFilled({left, top}, {left + 1, max.y}, palette().accent_soft);
        const float upper = column == 0 ? top : std::min(top, last_top);
        const float lower = column == 0 ? top : std::max(top, last_top);
        list->AddRectFilled({left, upper}, {left + 1, lower + scaled(1.5F)}, palette().accent);
        last_top = top;
    }
    const char* label = "total memory so far (preview)";
    const float label_width = ImGui::CalcTextSize(label).x;
    list->AddText({max.x - label_width - scaled(8), min.y + scaled(6)}, palette().text_faint, label);
    list->AddRect(min, max, palette().border);
}

}  // namespace snapviewer
