#include "app/features/findings/oom_card.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/features/findings/capacity_bar.h"
#include "app/ui/fonts.h"
#include "app/ui/paragraph.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/number_text.h"

namespace snapviewer {
namespace {

constexpr ImU32 k_allocated = IM_COL32(0x4c, 0x8f, 0xd6, 0xff);
constexpr ImU32 k_pending = IM_COL32(0x7d, 0x6b, 0xb8, 0xff);
constexpr ImU32 k_idle_default = IM_COL32(0xd0, 0x9a, 0x45, 0xff);
constexpr ImU32 k_idle_private = IM_COL32(0xb8, 0x62, 0x4a, 0xff);
constexpr ImU32 k_free = IM_COL32(0x4f, 0xa5, 0x6b, 0xff);
constexpr ImU32 k_outside = IM_COL32(0x5c, 0x63, 0x70, 0xff);
constexpr ImU32 k_other_process = IM_COL32(0xc2, 0x4d, 0x6e, 0xff);
constexpr ImU32 k_driver = IM_COL32(0x8a, 0x8f, 0x98, 0xff);

ImU32 colour_of(CardPart part) {
    switch (part) {
        case CardPart::allocated: return k_allocated;
        case CardPart::pending: return k_pending;
        case CardPart::idle: return k_idle_default;
        case CardPart::private_idle: return k_idle_private;
        case CardPart::this_process: return k_outside;
        case CardPart::other_processes: return k_other_process;
        case CardPart::free: return k_free;
        case CardPart::no_process:
        case CardPart::unknown: return k_driver;
    }
    return k_driver;
}

void draw_notes(const CardUse& use) {
    if (!use.where.empty()) draw_paragraph(palette().text_dim, "Told by " + use.where + ".");
    for (const std::string& note : use.notes) draw_paragraph(palette().text_dim, note);
}

void draw_holders(const std::vector<SourceBytes>& holders) {
    if (holders.empty()) return;
    ImGui::Spacing();
    ImGui::PushStyleColor(ImGuiCol_Text, palette().text_dim);
    ImGui::TextUnformatted("Held most");
    ImGui::PopStyleColor();
    for (const SourceBytes& holder : holders) {
        draw_amount_row(holder.source, fmt::format("{} in {}", format_bytes(holder.bytes), format_count(holder.count)), 0,
                        palette().text, fonts().code);
        if (ImGui::IsItemHovered()) row_tooltip(fmt::format("{}\n{}", holder.source, format_bytes_exactly(holder.bytes)));
    }
}

}  // namespace

std::vector<CapacityPart> capacity_parts(const CardUse& use) {
    std::vector<CapacityPart> parts;
    for (const CardRow& row : use.rows) {
        const bool is_striped = row.part == CardPart::pending || row.part == CardPart::unknown;
        parts.push_back({row.words, row.bytes, colour_of(row.part), is_striped});
    }
    return parts;
}

std::vector<CapacityPart> capacity_parts(const OomVerdict& verdict) {
    if (verdict.card) return capacity_parts(*verdict.card);
    const auto outside = static_cast<std::uint64_t>(std::max<std::int64_t>(0, verdict.outside.value_or(0)));
    std::vector<CapacityPart> parts = {
        {"allocated", verdict.allocated, k_allocated},
        {"freed, waiting for another stream", verdict.pending, k_pending, true},
        {"idle in the default pool", verdict.idle_default, k_idle_default},
        {"idle in private pools", verdict.idle_private, k_idle_private},
        {"free on the device", verdict.device_free.value_or(0), k_free},
        {verdict.outside_is_bound ? "outside PyTorch, at least" : "outside PyTorch", outside, k_outside},
    };
    std::erase_if(parts, [](const CapacityPart& part) { return part.bytes == 0; });
    return parts;
}

void draw_card_use(const CardUse& use) {
    ImGui::Indent(scaled(10));
    draw_capacity_parts(capacity_parts(use));
    draw_notes(use);
    ImGui::Unindent(scaled(10));
    ImGui::Spacing();
}

void draw_oom_card(const OomVerdict& verdict) {
    ImGui::Indent(scaled(10));
    draw_capacity_parts(capacity_parts(verdict));
    if (verdict.card) draw_notes(*verdict.card);
    draw_amount_row("requested by " + verdict.stack_source, format_bytes(verdict.demand), scaled(16), palette().danger);
    draw_holders(verdict.largest_sources);
    ImGui::Unindent(scaled(10));
    ImGui::Spacing();
}

}  // namespace snapviewer
