#include "app/features/pins/pins.h"

#include <fmt/format.h>
#include <algorithm>

#include "app/features/answers/device_answers.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/timeline_axis.h"
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
    state_.title = "Pins at " + step_text(timeline, static_cast<double>(timeline.step_of_tick(state_.tick)));
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

}  // namespace snapviewer::pins
