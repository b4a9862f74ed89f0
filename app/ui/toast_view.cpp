#include "app/ui/toast_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/cut_text.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"

namespace snapviewer {
namespace {

constexpr float k_widest_toast_px = 640;

}  // namespace

void draw_toasts(const Toasts& toasts, ImVec2 area_min, ImVec2 area_max) {
    ImDrawList* list = ImGui::GetForegroundDrawList();
    const ImVec2 padding(scaled(14), scaled(7));
    const float widest = std::min(scaled(k_widest_toast_px), area_max.x - area_min.x - scaled(16));
    float bottom = area_max.y - scaled(14);
    for (std::size_t i = toasts.shown().size(); i-- > 0;) {
        const Toasts::Toast& toast = toasts.shown()[i];
        const auto faded = [alpha = Toasts::opacity(toast)](ImU32 colour) {
            return with_alpha(colour, static_cast<ImU32>(std::lround(alpha * 255)));
        };
        const std::string text = cut_in_middle(toast.text, widest - 2 * padding.x);
        const ImVec2 size = ImGui::CalcTextSize(text.c_str());
        const ImVec2 min(std::round((area_min.x + area_max.x - size.x) / 2 - padding.x), bottom - size.y - 2 * padding.y);
        const ImVec2 max(min.x + size.x + 2 * padding.x, bottom);
        list->AddRectFilled(min, max, faded(palette().text), scaled(6));
        list->AddText({min.x + padding.x, min.y + padding.y}, faded(palette().panel), text.c_str());
        report_rect(fmt::format("toast_{}", i), min.x, min.y, max.x, max.y);
        bottom = min.y - scaled(6);
    }
}

}  // namespace snapviewer
