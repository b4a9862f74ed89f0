#include "app/ui/sparkline.h"

#include <algorithm>
#include <vector>

#include "app/ui/theme.h"

namespace snapviewer {

void draw_sparkline(ImVec2 min, ImVec2 max, std::span<const std::int64_t> values, ImU32 colour) {
    if (values.size() < 2) return;
    const auto [least, most] = std::ranges::minmax(values);
    const double height = std::max(1.0, static_cast<double>(most) - static_cast<double>(least));
    // More points than pixels would not be seen.
    const std::size_t count = std::min(values.size(), static_cast<std::size_t>(std::max(2.0F, max.x - min.x)));
    std::vector<ImVec2> points;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t value = values[i * (values.size() - 1) / (count - 1)];
        const auto part = static_cast<float>((static_cast<double>(value) - static_cast<double>(least)) / height);
        points.emplace_back(min.x + static_cast<float>(i) / static_cast<float>(count - 1) * (max.x - min.x),
                            max.y - part * (max.y - min.y));
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (std::size_t i = 0; i + 1 < points.size(); ++i)
        list->AddQuadFilled(points[i], points[i + 1], {points[i + 1].x, max.y}, {points[i].x, max.y},
                            with_alpha(colour, 0x38));
    list->AddPolyline(points.data(), static_cast<int>(points.size()), colour, 0, scaled(1.5F));
    list->AddCircleFilled(points.back(), scaled(2), colour);
}

}  // namespace snapviewer
