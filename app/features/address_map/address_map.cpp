#include "app/features/address_map/address_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/features/answers/device_answers.h"
#include "app/features/session.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/timeline_axis.h"
#include "core/analysis/findings/findings.h"
#include "core/analysis/space/holes.h"
#include "core/base/text.h"
#include "core/timeline/totals.h"

namespace snapviewer::address_map {

std::vector<std::uint32_t> block_colours(const space::AddressMoment& at, const mesh::AllocationColours& colours) {
    std::vector<std::uint32_t> found;
    found.reserve(at.blocks.size());
    for (const space::AddressMoment::Block& block : at.blocks)
        found.push_back(block.allocation.value < colours.count() ? colours.of(block.allocation) : 0);
    return found;
}

namespace {

std::string why_no_map(const findings::FindingsState& findings) {
    if (findings.work.is_stopped)
        return "Working out the address space was stopped; it can be resumed on the page Findings.";
    if (!findings.work.error.empty())
        return "The address space could not be worked out: this file " + findings.work.error + ".";
    if (!findings.is_ready()) return "The address space is being worked out.";
    return answers::why_no_addresses(findings.answers->analyses());
}

struct IdleTotals {
    std::uint64_t bytes = 0;
    std::uint64_t largest_bytes = 0;
    std::uint64_t holes = 0;
};

IdleTotals idle_totals(const space::AddressMoment& at) {
    IdleTotals totals;
    for (const space::AddressMoment::Range& range : at.ranges) {
        space::for_each_hole(at, range, [&](const space::Hole& hole) {
            totals.bytes += hole.size_bytes();
            totals.largest_bytes = std::max(totals.largest_bytes, hole.size_bytes());
            ++totals.holes;
        });
    }
    return totals;
}

std::string title_of(const space::AddressMoment& at, const Timeline& timeline, std::uint32_t moment) {
    std::string text = moment == 0 ? "Before the first event"
                                   : fmt::format("{} (event {})",
                                                 step_text(timeline, static_cast<double>(step_of_moment(timeline, moment))),
                                                 format_count(static_cast<std::uint64_t>(
                                                     first_event_id(timeline.snapshot(), timeline.trace()) + moment - 1)));
    text.front() = static_cast<char>(text.front() >= 'a' && text.front() <= 'z' ? text.front() - 'a' + 'A' : text.front());
    const IdleTotals idle = idle_totals(at);
    text +=
        fmt::format(": {} reserved in {}, {} in use", format_bytes(at.reserved_bytes), counted(at.ranges.size(), "segment"),
                    format_bytes(at.active_bytes - std::min(at.active_bytes, at.pending_bytes)));
    if (at.pending_bytes > 0) text += fmt::format(", {} waiting for another stream", format_bytes(at.pending_bytes));
    text += fmt::format(", {} idle in {}", format_bytes(idle.bytes), counted(idle.holes, "hole"));
    if (idle.holes > 1) text += fmt::format(", the largest {}", format_bytes(idle.largest_bytes));
    if (!at.outside.empty())
        text += fmt::format("; {} outside all segments of the file", counted(at.outside.size(), "block"));
    return text;
}

const space::AddressMoment::Range* range_around(const space::AddressMoment& at, std::uint64_t address) {
    const auto after = std::ranges::upper_bound(at.ranges, address, {},
                                                [](const space::AddressMoment::Range& each) { return each.range.address; });
    if (after == at.ranges.begin()) return nullptr;
    const space::AddressMoment::Range& range = *std::prev(after);
    return address < range.range.end() ? &range : nullptr;
}

std::string pin_text(const space::PinningBlock& pin, const Timeline& timeline) {
    return fmt::format(
        "Pinned by {}: {}. Without it, {} would be idle in one piece, and {} could be returned to the driver.",
        format_bytes(pin.block.size_bytes), allocated_by(timeline, pin.block.allocation), format_bytes(pin.hole_without_it),
        pin.released_bytes == 0 ? "nothing" : format_bytes(pin.released_bytes));
}

std::string idle_text(const space::Hole& hole, const space::AddressMoment::Range& range) {
    std::string text = fmt::format("{} idle at 0x{:x}, in a segment of {}", format_bytes(hole.size_bytes()), hole.begin,
                                   format_bytes(range.range.size_bytes));
    const std::uint64_t returned = space::returnable_part(range.range, hole).size_bytes();
    if (returned == hole.size_bytes()) return text + ", all of which torch.cuda.empty_cache() would return to the driver.";
    if (returned > 0)
        return text + fmt::format("; torch.cuda.empty_cache() would return {} of it to the driver.", format_bytes(returned));
    return text + fmt::format(" with {}.", counted(range.block_count, "block"));
}

}  // namespace

/// A file without history opens on its addresses, because nothing in it changes over time.
void AddressMaps::adopt() {
    is_first_picture_ = session_.document != nullptr && !session_.document->snapshot->segments.empty() &&
                        std::ranges::all_of(session_.document->snapshot->devices,
                                            [](const DeviceTrace& device) { return device.events.size() == 0; });
}

void AddressMaps::show(bool is_wanted) {
    session_.preferences.show_address_map = is_wanted;
    is_first_picture_ = false;
}

void AddressMaps::clear_map() {
    state_ = AddressMapState{};
    colours_.reset();
}

void AddressMaps::take_answers() {
    const findings::FindingsState& findings = found_.state();
    const std::string why_empty = why_no_map(findings);
    const auto answers = why_empty.empty() ? findings.answers : nullptr;
    if (answers == nullptr) state_.why_empty = why_empty;
    if (answers == answers_) return;
    answers_ = answers;
    clear_map();
    state_.why_empty = why_empty;
    if (answers_ == nullptr) return;
    // The findings have already computed the address space, so this call only returns the cached result.
    const auto space = answers_->document->analyses->device(answers_->device_index).address_space();
    state_.space = space;
    if (state_.space->ranges().empty()) state_.why_empty = "This file has no segments, so nothing is known about addresses.";
    state_.fullest =
        std::make_shared<const space::AddressMoment>(state_.space->at(space::max_reserved_moment(*state_.space)));
    const Timeline& timeline = answers_->analyses().timeline();
    show_moment(timeline.tick_events()[timeline.peak_tick()]);
}

/// The event to show in the address map: the one under the mouse, or the moment that was chosen for the whole window since
/// the last frame. Keeps the current event unless the timeline of allocations is on the screen, because other views have no
/// events.
std::uint32_t AddressMaps::wanted_moment() {
    const bool follows =
        !state_.is_held && session_.current_kind() == ViewKind::allocations && session_.shown_icicle() == nullptr;
    if (!follows) return state_.moment;
    const Timeline& timeline = *session_.current_timeline();
    if (session_.timeline.has_cursor) return timeline.tick_events()[session_.timeline.cursor_tick];
    const std::optional<std::uint32_t> chosen = live_.tick();
    if (!chosen || std::exchange(chosen_tick_, chosen) == chosen) return state_.moment;
    return timeline.tick_events()[*chosen];
}

void AddressMaps::show_moment(std::uint32_t moment) {
    state_.moment = std::min(moment, state_.space->moment_count() - 1);
    state_.at = state_.space->at(state_.moment);
    state_.title = title_of(state_.at, answers_->analyses().timeline(), state_.moment);
    state_.hole.reset();
    ++state_.version;
}

void AddressMaps::take_colours() {
    if (session_.current_kind() != ViewKind::allocations) {
        state_.colours.clear();
        state_.highlight = nullptr;
        coloured_version_ = 0;
        return;
    }
    state_.highlight = session_.highlight.allocations;
    const std::uint64_t colours_version = pictures_.colours_version();
    if (!colours_ || colours_version_ != colours_version) {
        colours_.emplace(pictures_.colours());
        colours_version_ = colours_version;
        coloured_version_ = 0;
    }
    if (std::exchange(coloured_version_, state_.version) == state_.version) return;
    state_.colours = block_colours(state_.at, *colours_);
}

void AddressMaps::choose_hole(std::uint64_t address) {
    const space::AddressMoment::Range* range = range_around(state_.at, address);
    if (range == nullptr) return;
    const space::AddressSpot spot =
        space::spot_at(state_.at, static_cast<std::uint32_t>(range - state_.at.ranges.data()), address);
    if (spot.block) return;
    ChosenHole chosen{spot.hole, {}, {idle_text(spot.hole, *range)}};
    for (const space::PinningBlock& pin : space::pins_at(*state_.space, state_.at).blocks) {
        const std::uint64_t end = space::end_address(pin.block.address, pin.block.size_bytes);
        if (pin.range_address != range->range.address || (end != spot.hole.begin && pin.block.address != spot.hole.end))
            continue;
        chosen.pins.push_back(pin.block.address);
        chosen.sentences.push_back(pin_text(pin, answers_->analyses().timeline()));
    }
    state_.hole = std::move(chosen);
    state_.is_held = true;
}

void AddressMaps::update() {
    if (answers_ != nullptr && answers_->document != session_.document) {
        answers_.reset();
        clear_map();
    }
    const std::optional<std::uint32_t> wanted = found_.take_wanted_moment();
    if (wanted) show(true);
    if (!is_shown() || session_.current_timeline() == nullptr) return;
    take_answers();
    if (state_.space == nullptr || !state_.why_empty.empty()) return;
    if (wanted) {
        state_.is_held = true;
        show_moment(*wanted);
    }
    if (const std::uint32_t moment = wanted_moment(); moment != state_.moment) show_moment(moment);
    take_colours();
    if (const auto address = std::exchange(state_.hole_asked_for, std::nullopt)) choose_hole(*address);
}

void AddressMaps::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::panel,
                            .id = "map",
                            .order = 200,
                            .is_there = [this](const Session&) { return is_shown(); },
                            .area = PanelArea::below_picture,
                            .share = &session_.preferences.address_map_fraction,
                            .draw = [this](const Area& area, Requests& requests) { draw_panel(area, requests); }});
    board.commands.on(CommandId::view_address_map, {.is_possible = has_picture,
                                                    .is_on = [this](const Session&) { return is_shown(); },
                                                    .run = [this] { show(!is_shown()); }});
}

}  // namespace snapviewer::address_map
