#include "app/features/pins/pins.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "app/features/answers/device_answers.h"
#include "app/features/findings/findings.h"
#include "app/features/requests.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/data_table.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/analysis/space/holes.h"
#include "core/base/text.h"
#include "core/timeline/totals.h"

namespace snapviewer::pins {
namespace {

constexpr std::size_t k_max_pins = 1000;

std::string pinned_sentence(const space::Pins& pins, std::uint64_t reserved_bytes) {
    std::uint64_t idle = 0;
    for (const space::PinnedRange& range : pins.ranges) idle += range.idle_bytes;
    if (pins.ranges.empty()) return "No block keeps idle memory from the driver at this moment.";
    const bool frees_any = !pins.blocks.empty() && pins.blocks.front().released_bytes > 0;
    return fmt::format(
        "{} of {} reserved is idle but pinned: blocks beside it, in {}, keep it from torch.cuda.empty_cache(). {}",
        format_bytes(idle), format_bytes(reserved_bytes), counted(pins.ranges.size(), "segment"),
        frees_any ? "Those that would free most come first."
                  : "No single one of them would give memory back to the driver; without the first, the "
                    "largest hole would open.");
}

}  // namespace

void PinsPage::leave() {
    answers_.reset();
    space_.reset();
    moment_.reset();
    state_ = {};
}

void PinsPage::take_answers() {
    const std::shared_ptr<const answers::DeviceAnswers>& answers = found_.state().answers;
    if (answers == answers_) return;
    leave();
    answers_ = answers;
    if (answers_ == nullptr) return;
    // The address space and the holes are cached already, because the findings were computed from them.
    findings::DeviceAnalyses& device = answers_->document->analyses->device(answers_->device_index);
    const auto space = device.address_space();
    const auto holes = device.holes();
    state_.why_empty = answers::why_no_addresses(device);
    if (state_.why_empty.empty() && device.trace().reserved_known == ReservedKnown::no)
        state_.why_empty = "This file has no segments, so nothing is known about addresses and fragmentation.";
    if (!state_.why_empty.empty()) return;
    space_ = space;
    worst_moment_ = holes->worst_moment;
    state_.worst_tick = tick_of_moment(device.timeline(), worst_moment_);
}

void PinsPage::show_pins(const Timeline& timeline, std::uint32_t moment) {
    moment_ = moment;
    const space::AddressMoment at = space_->at(std::min(moment, space_->moment_count() - 1));
    const space::Pins pins = space::pins_at(*space_, at);
    state_.title = "Pins at " + tick_text(timeline, state_.tick);
    if (state_.tick == state_.worst_tick) state_.title += ", the worst moment";
    state_.sentence = pinned_sentence(pins, at.reserved_bytes);
    if (pins.blocks.size() > k_max_pins)
        state_.sentence += fmt::format(" The first {} are listed.", format_count(k_max_pins));
    state_.has_new_rows = true;
    state_.rows.clear();
    for (const space::PinningBlock& pin : pins.blocks) {
        if (state_.rows.size() == k_max_pins) break;
        state_.rows.push_back({pin.block.allocation, allocated_by(timeline, pin.block.allocation), pin.block.size_bytes,
                               pin.released_bytes, pin.hole_without_it});
    }
}

/// Keeps the page in front when one of its blocks is selected, although details of a selection come to the front otherwise.
void PinsPage::keep_page() {
    const AllocationId selected = session_.selected();
    if (std::ranges::find(state_.rows, selected, &PinRow::allocation) != state_.rows.end())
        session_.pages.followed = selected;
}

void PinsPage::update() {
    const Timeline* timeline = session_.current_timeline();
    if (timeline == nullptr || session_.pages.shown != live::k_pins_page) return;
    if (session_.current_kind() != ViewKind::allocations) {
        leave();
        state_.why_empty = "Pins are shown beside the picture of allocations.";
        return;
    }
    take_answers();
    if (space_ == nullptr) return;
    state_.tick = live_.tick().value_or(timeline->peak_tick());
    const std::uint32_t moment = timeline->tick_events()[state_.tick];
    if (moment != moment_) show_pins(*timeline, moment);
    keep_page();
}

void PinsPage::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::page,
                            .id = live::k_pins_page,
                            .command = CommandId::page_pins,
                            .draw = [this](const Area& /*area*/, Requests& requests) { draw(requests); }});
}

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
