#include <imgui.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "app/features/findings/findings.h"
#include "app/features/pins/pins.h"
#include "app/features/requests.h"
#include "app/ui/data_table.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/text.h"

namespace snapviewer::pins {
namespace {

constexpr std::array<TableColumn, 4> k_pin_columns = {
    {{.title = "Size", .name = "size", .width_px = 74, .doc = "Bytes of the block", .largest_first = true},
     {.title = "Frees",
      .name = "frees",
      .width_px = 74,
      .doc = "Bytes that torch.cuda.empty_cache() could return to the driver without this block",
      .largest_first = true,
      .is_sorted_first = true},
     {.title = "Hole",
      .name = "hole",
      .width_px = 74,
      .doc = "Bytes that would be idle in one piece without this block",
      .largest_first = true},
     {.title = "Allocated by", .name = "line", .doc = "The line of your code that allocated the block"}}};

void draw_pin(const DataTable& table, const PinRow& pin, std::size_t row, AllocationId selected, Requests& requests) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(row));
    const bool is_selected = selected.is_some() && pin.allocation == selected;
    if (table.select(row, is_selected) && pin.allocation.is_some()) requests.ask(SelectAllocation{pin.allocation});
    if (ImGui::IsItemHovered()) row_tooltip(pin.name);
    ImGui::SameLine(0, 0);
    for (const std::uint64_t bytes : {pin.size_bytes, pin.released_bytes, pin.hole_without_it}) {
        right_text(format_bytes(bytes), palette().text);
        ImGui::TableNextColumn();
    }
    ImGui::TextUnformatted(cut_in_middle(pin.name, ImGui::GetContentRegionAvail().x).c_str());
    ImGui::PopID();
}

void sort_pins(std::vector<PinRow>& rows, const TableSorting& sorting) {
    const auto by = [&](auto member) -> void {
        // Rows that are equal keep their order.
        if (sorting.is_descending)
            std::ranges::stable_sort(rows, std::ranges::greater{}, member);
        else
            std::ranges::stable_sort(rows, {}, member);
    };
    switch (sorting.column.value_or(1)) {
        case 0: return by(&PinRow::size_bytes);
        case 1: return by(&PinRow::released_bytes);
        case 2: return by(&PinRow::hole_without_it);
        default: return by(&PinRow::name);
    }
}

void draw_pin_rows(PinsState& state, AllocationId selected, Requests& requests) {
    DataTable table({.id = "pins", .report = "pins", .columns = k_pin_columns});
    if (!table) return;
    const bool is_sorted_anew = table.new_sorting().has_value();
    if (std::exchange(state.has_new_rows, false) || is_sorted_anew) sort_pins(state.rows, table.sorting());
    table.rows(state.rows.size(), [&](std::size_t row) { draw_pin(table, state.rows[row], row, selected, requests); });
}

}  // namespace

/// Fills the rest of the current window. A click on a row selects its allocation; a button goes to the moment with the most
/// pinned memory.
void PinsPage::draw(Requests& requests) {
    ImGui::BeginChild("pins body");
    if (findings::draw_until_ready(found_.state(), requests)) {
        if (state_.why_empty.empty()) {
            draw_paragraph(palette().text, state_.title);
            if (state_.tick != state_.worst_tick) {
                const bool is_clicked = ImGui::Button("Go to the worst moment");
                if (is_clicked && space_ != nullptr && worst_moment_ > 0) requests.ask(GoToEvent{worst_moment_ - 1});
                observe_item("pins_worst");
            }
            draw_paragraph(palette().text_dim, state_.sentence);
            if (!state_.rows.empty()) draw_pin_rows(state_, session_.selected(), requests);
        } else {
            draw_paragraph(palette().text_dim, state_.why_empty);
        }
    }
    ImGui::EndChild();
}

}  // namespace snapviewer::pins
