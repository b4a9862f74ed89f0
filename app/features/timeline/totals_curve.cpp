#include "app/features/timeline/totals_curve.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/ui/state_report.h"
#include "app/ui/theme.h"

namespace snapviewer {
namespace {

/// Returns the maximum of the samples in one of `columns` columns. If there are fewer samples than columns, neighbouring
/// columns share a sample.
std::int64_t highest_in_column(const std::vector<std::int64_t>& samples, std::size_t column, std::size_t columns) {
    const std::size_t begin = column * samples.size() / columns;
    const std::size_t end = std::max(begin + 1, (column + 1) * samples.size() / columns);
    return *std::max_element(samples.begin() + static_cast<std::ptrdiff_t>(begin),
                             samples.begin() + static_cast<std::ptrdiff_t>(end));
}

}  // namespace

void draw_totals_curve(const TotalsPreview& totals, float fraction, ImVec2 size) {
    const std::vector<std::int64_t> samples = totals.samples();
    if (samples.empty()) return;
    // Frees of memory that was allocated before the recording can make the total negative.
    const auto [lowest, highest] = std::ranges::minmax(samples);
    const auto ground = static_cast<double>(std::min<std::int64_t>(lowest, 0));
    const double height = std::max(1.0, static_cast<double>(highest) - ground) * 1.08;

    const ImVec2 min = ImGui::GetCursorScreenPos();
    ImGui::Dummy(size);
    report_rect("load_preview");
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
