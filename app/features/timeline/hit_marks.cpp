#include "app/features/timeline/hit_marks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/ui/state_report.h"
#include "app/ui/theme.h"

namespace snapviewer {
namespace {

constexpr float k_mark_height_px = 5;
constexpr float k_pointer_px = 8;

bool is_same_place(const Projection& a, const Projection& b) {
    return a.view == b.view && a.width_px() == b.width_px() && a.height_px() == b.height_px();
}

/// Lower edge of an outline at `x`, interpolated linearly between two points.
double low_at(const Outline& outline, double x) {
    const auto after = std::ranges::upper_bound(outline.x, x);
    const auto i = static_cast<std::size_t>(after - outline.x.begin());
    if (i == 0) return outline.low_bytes.front();
    if (after == outline.x.end()) return outline.low_bytes.back();
    const double share = (x - outline.x[i - 1]) / (outline.x[i] - outline.x[i - 1]);
    return std::lerp(outline.low_bytes[i - 1], outline.low_bytes[i], share);
}

void draw_flag(ImDrawList* list, ImVec2 tip, float direction, const std::string& words) {
    const float size = scaled(k_pointer_px);
    const float base = tip.y + direction * size;
    list->AddTriangleFilled(tip, {tip.x - size * 0.7F, base}, {tip.x + size * 0.7F, base}, palette().selection);
    const ImVec2 text_size = ImGui::CalcTextSize(words.c_str());
    const ImVec2 padding(scaled(5), scaled(2));
    const float top = direction < 0 ? base - text_size.y - 2 * padding.y : base;
    const ImVec2 min(std::round(tip.x - text_size.x / 2 - padding.x), std::round(top));
    const ImVec2 max(min.x + text_size.x + 2 * padding.x, min.y + text_size.y + 2 * padding.y);
    list->AddRectFilled(min, max, palette().selection, scaled(3));
    list->AddText({min.x + padding.x, min.y + padding.y}, palette().selection_shadow | IM_COL32_A_MASK, words.c_str());
    report_rect("hit_pointer", min.x, std::min(min.y, tip.y), max.x, std::max(max.y, tip.y));
}

}  // namespace

void draw_hit_marks(ImDrawList* list, HitMarks& marks, const std::shared_ptr<const Hits>& hits, const Timeline& timeline,
                    Axis axis, const Projection& projection) {
    if (hits != marks.hits || axis != marks.axis || !is_same_place(projection, marks.projection)) {
        marks = {hits, axis, projection, {}};
        if (hits)
            marks.columns =
                hits->columns_of_small(timeline, axis, projection.view, {projection.width_px(), projection.height_px()});
    }
    for (std::size_t i = 0; i < marks.columns.size();) {
        const std::uint32_t first = marks.columns[i];
        std::uint32_t last = first;
        while (++i < marks.columns.size() && marks.columns[i] == last + 1) ++last;
        const float left = projection.min.x + static_cast<float>(first);
        const float right = std::max(left + scaled(2), projection.min.x + static_cast<float>(last) + 1);
        const float bottom = projection.min.y + scaled(k_mark_height_px);
        list->AddRectFilled({left, projection.min.y}, {right, bottom}, palette().accent);
    }
}

void draw_hit_pointer(ImDrawList* list, const Projection& projection, const Outline& outline, const std::string& words) {
    const View& view = projection.view;
    if (outline.is_empty() || outline.x.back() < view.x_begin || outline.x.front() > view.x_end) return;
    const double x = std::midpoint(std::max(outline.x.front(), view.x_begin), std::min(outline.x.back(), view.x_end));
    const double low_bytes = low_at(outline, x);
    const glm::dvec2 top = projection.px_of({x, low_bytes + outline.size_bytes});
    const double bottom_y = projection.px_of_y(low_bytes);
    if (top.y > static_cast<double>(projection.max.y) || bottom_y < static_cast<double>(projection.min.y)) return;
    const auto tip_x = static_cast<float>(top.x);
    const float gap = scaled(3);
    const float room = scaled(k_pointer_px) + ImGui::GetTextLineHeight() + scaled(8) + gap;
    const float above = static_cast<float>(top.y) - gap;
    if (above - room > projection.min.y)
        draw_flag(list, {tip_x, above}, -1, words);
    else
        draw_flag(list, {tip_x, std::min(static_cast<float>(bottom_y) + gap, projection.max.y - room)}, 1, words);
}

}  // namespace snapviewer
