#include "app/features/findings/pools_card.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/features/findings/capacity_bar.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/number_text.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_most_pools_shown = 12;
constexpr ImU32 k_used_in_pool = IM_COL32(0x4c, 0x8f, 0xd6, 0xff);
constexpr ImU32 k_idle_in_pool = IM_COL32(0xb8, 0x62, 0x4a, 0xff);

std::string maker_text(const PoolUse& use) {
    if (use.made_by.empty()) return "No stack tells who made it.";
    return "Made by " + use.made_by +
           (use.captured_by.empty() || use.captured_by == use.made_by ? "" : ", captured by " + use.captured_by);
}

std::string tooltip_text(const PoolUse& use, bool peak_is_end) {
    std::string text = fmt::format("Pool {}\n{}\nAt the end {}, of it {} idle", use.pool, maker_text(use),
                                   format_bytes_exactly(use.at_end.reserved), format_bytes_exactly(use.at_end.idle()));
    if (use.at_peak && !peak_is_end)
        text += fmt::format("\nAt the peak {}, of it {} idle", format_bytes_exactly(use.at_peak->reserved),
                            format_bytes_exactly(use.at_peak->idle()));
    return text;
}

}  // namespace

std::vector<const PoolUse*> pools_to_show(const std::vector<PoolUse>& uses) {
    std::vector<const PoolUse*> shown;
    for (const PoolUse& use : uses) {
        if (use.is_private && use.at_end.reserved > 0) shown.push_back(&use);
    }
    std::ranges::stable_sort(shown, std::ranges::greater(), [](const PoolUse* use) { return use->at_end.reserved; });
    shown.resize(std::min(shown.size(), k_most_pools_shown));
    return shown;
}

std::vector<CapacityPart> pool_parts(const PoolUse& use) {
    std::vector<CapacityPart> parts = {{"used", use.at_end.used, k_used_in_pool},
                                       {"idle", use.at_end.idle(), k_idle_in_pool}};
    std::erase_if(parts, [](const CapacityPart& part) { return part.bytes == 0; });
    return parts;
}

void draw_pools_card(const std::vector<PoolUse>& uses, const Timeline& timeline) {
    const std::vector<const PoolUse*> shown = pools_to_show(uses);
    if (shown.empty()) return;
    ImGui::Indent(scaled(10));
    for (const PoolUse* use : shown) {
        const std::string amount =
            fmt::format("{} of {} idle", format_bytes(use->at_end.idle()), format_bytes(use->at_end.reserved));
        const std::string& maker = use->captured_by.empty() ? use->made_by : use->captured_by;
        draw_amount_row(use->pool + (maker.empty() ? "" : "  " + maker), amount, 0, palette().text);
        if (ImGui::IsItemHovered()) row_tooltip(tooltip_text(*use, known_peak(timeline).is_at_end));
        draw_capacity_bar(fmt::format("pool_bar_{}", use->pool).c_str(), pool_parts(*use), shown.front()->at_end.reserved);
    }
    ImGui::Unindent(scaled(10));
    ImGui::Spacing();
}

}  // namespace snapviewer
