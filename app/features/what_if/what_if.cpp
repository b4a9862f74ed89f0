#include "app/features/what_if/what_if.h"

#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <utility>

#include "core/analysis/findings/analyses.h"
#include "core/analysis/space/address_space.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/replay/what_if.h"

namespace snapviewer::what_if {
namespace {

/// Reduces reserved memory to k_curve_columns maxima. `reserved_after(i)` returns the reserved bytes after event `i`, or
/// nullopt if they did not change. Only events below `end` are used.
template <typename Reserved>
std::vector<std::uint64_t> reserved_curve(std::size_t events, std::size_t end, std::uint64_t at_start,
                                          const Reserved& reserved_after) {
    if (events == 0) return {};
    const std::size_t columns = std::min(k_curve_columns, events);
    std::vector<std::uint64_t> curve;
    curve.reserve(columns);
    std::uint64_t now = at_start;
    for (std::size_t i = 0; i < std::min(end, events); ++i) {
        now = reserved_after(i).value_or(now);
        if (i * columns / events == curve.size())
            curve.push_back(now);
        else
            curve.back() = std::max(curve.back(), now);
    }
    return curve;
}

std::vector<std::uint64_t> curve_of_mode(const replay::WhatIfMode& mode, std::size_t events) {
    if (!mode.start_fits) return {};
    return reserved_curve(events, mode.oom ? mode.oom->event : events, mode.start_reserved_bytes,
                          [&](std::size_t i) { return mode.reserved_after[i]; });
}

/// Frees the vectors that have one entry per event, so that answers stay small.
void leave_out_long_parts(replay::WhatIf& answer) {
    for (replay::WhatIfMode& mode : answer.modes) {
        free_memory(mode.reserved_after);
        free_memory(mode.fragmentation);
        free_memory(mode.segments_at_peak);
    }
}

std::shared_ptr<const RepeatedRecording> repeat_recording(std::shared_ptr<const Document> document,
                                                          std::size_t device_index) {
    const Snapshot& snapshot = *document->snapshot;
    auto basis = replay::replay_basis(snapshot, snapshot.devices[device_index]);
    const replay::RecordedRun& run = basis.run;
    auto curve = reserved_curve(run.event_count(), run.event_count(), run.start.reserved_bytes,
                                [&](std::size_t i) { return std::optional(run.reserved_after[i]); });
    return std::make_shared<const RepeatedRecording>(
        RepeatedRecording{std::move(document), device_index, std::move(basis), std::move(curve)});
}

std::shared_ptr<const AnsweredQuestion> answer_question(const RepeatedRecording& recording,
                                                        const ChangedSettings& settings) {
    AnsweredQuestion answered{settings, replay::ask_replay(recording.basis, {.settings = settings}), {}};
    if (answered.answer.answer) {
        replay::WhatIf& what_if = *answered.answer.answer;
        for (std::size_t m = 0; m < what_if.modes.size(); ++m)
            answered.reserved_bytes[m] = curve_of_mode(what_if.modes[m], recording.basis.run.event_count());
        leave_out_long_parts(what_if);
    }
    return std::make_shared<const AnsweredQuestion>(std::move(answered));
}

/// Replays up to the moment `when`. Precondition: `answer` has modes.
std::shared_ptr<const ReplayedMap> map_moment(const RepeatedRecording& recording,
                                              std::shared_ptr<const AnsweredQuestion> answer, const MappedMoment& when) {
    const Document& document = *recording.document;
    findings::DeviceAnalyses& device = document.analyses->device(recording.device_index);
    const auto space = device.address_space();
    auto recorded = std::make_shared<const space::AddressMoment>(space->at(when.events));
    auto replayed = replay::replayed_moment(recording.basis.run, answer->answer.settings, when.mode, when.events, *recorded);
    const mesh::AllocationColours colours(device.timeline(), mesh::stack_colours(*document.snapshot));
    std::vector<std::uint32_t> recorded_colours = address_map::block_colours(*recorded, colours);
    std::vector<std::uint32_t> replayed_colours = address_map::block_colours(replayed, colours);
    return std::make_shared<const ReplayedMap>(ReplayedMap{std::move(answer), when, space, std::move(recorded),
                                                           std::make_shared<const space::AddressMoment>(std::move(replayed)),
                                                           std::move(recorded_colours), std::move(replayed_colours)});
}

std::string exact_bytes(std::uint64_t bytes) { return format_bytes(bytes, 2); }

using ByteRange = std::pair<std::uint64_t, std::uint64_t>;

std::string range_text(const ByteRange& range) {
    const std::string least = exact_bytes(range.first);
    return range.first == range.second ? least : fmt::format("{} to {}", least, exact_bytes(range.second));
}

std::string limit_text(std::uint64_t bytes) {
    return bytes >= replay::k_unlimited_bytes ? "no limit" : format_bytes(bytes, 0);
}

std::string divisions_text(const replay::AllocatorSettings& settings) {
    const std::uint32_t first = settings.roundup.front();
    const bool is_one = std::ranges::all_of(settings.roundup, [&](std::uint32_t each) { return each == first; });
    if (!is_one) return "by size";
    return first <= 1 ? "off" : std::to_string(first);
}

}  // namespace

std::string agreement_sentence(const replay::ReplayBasis& basis) {
    const replay::ReplayAgreement& agreement = basis.agreement;
    const std::string why = agreement.is_usable() ? "" : replay::why_not_repeated(basis);
    return fmt::format(
        "Replay of the recording: {} of {} get their recorded address, {:.1f} % of the segment events are "
        "reproduced, reserved memory differs by at most {}.{}{}",
        format_count(agreement.placed), counted(agreement.requests, "allocation"), 100 * agreement.event_agreement,
        exact_bytes(agreement.curve_max_bytes), why.empty() ? "" : "\n", why.substr(0, why.find_last_not_of('\n') + 1));
}

std::string verdict_sentence(const replay::ReplayAnswer& answer) {
    if (!answer.refused.empty()) return fmt::format("No answer: {}.", fmt::join(answer.refused, "; "));
    const std::string card = exact_bytes(answer.settings.capacity);
    switch (answer.answer->verdict) {
        case replay::WhatIfVerdict::no_card_size:
            return "No verdict, because the size of the card is unknown. Enter a capacity.";
        case replay::WhatIfVerdict::fits: return fmt::format("Fits into {}.", card);
        case replay::WhatIfVerdict::does_not_fit: return fmt::format("Does not fit into {}.", card);
        case replay::WhatIfVerdict::undetermined:
            return fmt::format("Uncertain: whether it fits into {} depends on the addresses.", card);
    }
    return "";
}

std::string recorded_value(const replay::AllocatorSettings& settings, std::string_view name) {
    if (name == "expandable_segments") return settings.expandable ? "true" : "false";
    if (name == "max_split_size_mb") return limit_text(settings.max_split);
    if (name == "roundup_power2_divisions") return divisions_text(settings);
    if (name == "garbage_collection_threshold")
        return settings.gc_threshold > 0 ? fmt::format("{}", settings.gc_threshold) : "off";
    return settings.capacity > 0 ? exact_bytes(settings.capacity) : "unknown";
}

std::string peak_range_text(const replay::WhatIfMode& mode) {
    if (!mode.start_fits) return "the memory held at the start does not fit";
    return mode.peak_range ? range_text(*mode.peak_range) : exact_bytes(mode.peak_reserved_bytes);
}

std::string peak_range_text(const replay::WhatIf& answer) {
    std::optional<ByteRange> all;
    for (const replay::WhatIfMode& mode : answer.modes) {
        const auto& range = mode.peak_range;
        if (!range) continue;
        all = all ? ByteRange(std::min(all->first, range->first), std::max(all->second, range->second)) : *range;
    }
    return all ? range_text(*all) : "";
}

std::string peak_change_text(const std::optional<std::int64_t>& change_bytes) {
    if (!change_bytes) return "start does not fit";
    if (*change_bytes == 0) return "no change";
    return format_difference(*change_bytes, 2);
}

std::string failure_text(const replay::RecordedRun& run, const replay::ReplayOom& oom) {
    return fmt::format("The request of {} at event {} fails: {} reserved, largest free block {}",
                       exact_bytes(oom.requested_bytes), format_count(static_cast<std::uint64_t>(run.event_id(oom.event))),
                       exact_bytes(oom.reserved_bytes), exact_bytes(oom.largest_free_bytes));
}

std::string retried_text(const replay::RecordedRun& run, const replay::RetriedOom& oom) {
    return fmt::format("The request of {} that failed at event {} {}", exact_bytes(oom.requested_bytes),
                       format_count(static_cast<std::uint64_t>(run.event_id(oom.event))),
                       oom.reserved_with_it_bytes ? "fits here" : "also fails here");
}

namespace {

/// Returns the overrides that are switched on and valid. The window shows the errors of the others.
ChangedSettings wanted_settings(const WhatIfState& page) {
    ChangedSettings wanted;
    const replay::AllocatorSettings recorded =
        page.recording ? page.recording->basis.run.settings : replay::AllocatorSettings{};
    for (const WhatIfSwitch& each : page.switches) {
        replay::AllocatorSettings changed = recorded;
        if (each.is_on && replay::change_setting(changed, each.name, each.value)) wanted.emplace_back(each.name, each.value);
    }
    return wanted;
}

/// Returns the event that the user chose, else the first request that fails, else the peak; nullopt without an answer.
std::optional<MappedMoment> wanted_moment_of_map(const WhatIfState& page) {
    if (!page.shows_map || page.answer == nullptr || !page.answer->answer.answer) return std::nullopt;
    const replay::WhatIfMode& mode = page.answer->answer.answer->modes[static_cast<std::size_t>(page.map_mode)];
    if (!mode.start_fits) return std::nullopt;
    MappedMoment when;
    when.mode = page.map_mode;
    const std::optional<std::uint32_t> asked = page.map_event ? page.map_event
                                               : mode.oom     ? mode.oom->event
                                                              : mode.peak_event;
    if (!asked) return when;
    const bool fails = mode.oom && *asked >= mode.oom->event;
    when.events = (fails ? mode.oom->event : *asked) + 1;
    if (fails) when.failed = mode.oom->event;
    return when;
}

bool is_halted(const WhatIfState& page) { return page.work.is_at_rest() || !page.why_not.empty(); }

}  // namespace

std::string why_no_replay(const Snapshot& snapshot, std::size_t device_index) {
    const DeviceTrace& trace = snapshot.devices[device_index];
    if (trace.events.size() == 0) return "This file has no history of this device to replay";
    if (trace.allocations_are_given) return "This file comes from a profiler and has no allocator events to replay";
    return "";
}

bool WhatIfRuns::is_out_of_date() const {
    if (!is_shown()) return false;
    if (is_of_other_device()) return true;
    if (!is_halted(state_) && is_map_out_of_date()) return true;
    return state_.why_not.empty() && wanted_ != wanted_settings(state_);
}

/// Stops what runs. Work that has ended is not repeated later.
void WhatIfRuns::discard() {
    const auto discard_running = [](auto& task) {
        if (task.is_busy()) task.discard();
    };
    discard_running(repeating_);
    discard_running(asking_);
    discard_running(trying_);
    discard_running(mapping_);
}

/// Starts again for another recording, but keeps the choices of the user.
void WhatIfRuns::forget() {
    repeating_.discard();
    asking_.discard();
    trying_.discard();
    mapping_.discard();
    document_ = session_.document;
    device_index_ = session_.device_index;
    WhatIfState fresh;
    fresh.is_open = state_.is_open;
    fresh.switches = std::move(state_.switches);
    fresh.shows_map = state_.shows_map;
    if (document_ != nullptr && session_.current_timeline() != nullptr)
        fresh.why_not = why_no_replay(*document_->snapshot, device_index_);
    state_ = std::move(fresh);
    base_ = {};
}

void WhatIfRuns::take() {
    if (const auto made = state_.work.take(repeating_.take())) {
        state_.recording = *made;
        // The switch for expandable segments offers the opposite of the recorded value.
        state_.switches.front().value = state_.recording->basis.run.settings.expandable ? "false" : "true";
    }
    if (const auto made = state_.work.take(asking_.take())) {
        state_.answer = *made;
        state_.map_event.reset();
    }
    if (const auto made = state_.work.take(mapping_.take())) show_map(*made);
    if (const auto made = state_.work.take(trying_.take())) state_.tried.push_back(*made);
}

/// Tries the next common setting on its own, with the recorded settings and the GPU capacity that the user asked for.
/// Results that the table does not show are dropped.
void WhatIfRuns::begin_trying() {
    if (state_.answer == nullptr || !state_.answer->answer.refused.empty()) return;
    replay::AllocatorSettings base = state_.recording->basis.run.settings;
    base.capacity = state_.answer->answer.settings.capacity;
    const auto usual = replay::usual_settings(base);
    if (state_.to_try == 0 || base != base_) {
        state_.tried.clear();
        state_.to_try = usual.size();
        base_ = base;
    }
    if (state_.tried.size() == usual.size()) return;
    trying_.start(document_->snapshot->read_bytes,
                  [recording = state_.recording, base, setting = usual[state_.tried.size()]](Progress&) {
                      auto tried = replay::try_setting(recording->basis.run, base, setting);
                      leave_out_long_parts(tried.answer);
                      return std::make_shared<const replay::TriedSetting>(std::move(tried));
                  });
}

bool WhatIfRuns::is_map_out_of_date() const {
    const auto wanted = wanted_moment_of_map(state_);
    return wanted && mapping_.input() != std::pair(state_.answer, *wanted);
}

/// Shows both maps in the same scale, that of the larger one.
void WhatIfRuns::show_map(std::shared_ptr<const ReplayedMap> map) {
    state_.map = std::move(map);
    const ReplayedMap& made = *state_.map;
    const auto& fullest = made.recorded->reserved_bytes < made.replayed->reserved_bytes ? made.replayed : made.recorded;
    for (auto* drawn : {&state_.recorded_map, &state_.replayed_map}) {
        drawn->space = made.space;
        drawn->fullest = fullest;
        const bool is_recorded = drawn == &state_.recorded_map;
        drawn->at = is_recorded ? *made.recorded : *made.replayed;
        drawn->colours = is_recorded ? made.recorded_colours : made.replayed_colours;
        ++drawn->version;
    }
}

void WhatIfRuns::begin_next() {
    const std::uint64_t read_bytes = document_->snapshot->read_bytes;
    if (state_.recording == nullptr) {
        if (!repeating_.is_busy())
            repeating_.start(read_bytes, [document = document_, device_index = device_index_](Progress&) {
                return repeat_recording(document, device_index);
            });
        return;
    }
    const bool has_asked = asking_.follow(
        {state_.recording, wanted_}, read_bytes,
        [recording = state_.recording, wanted = wanted_](Progress&) { return answer_question(*recording, wanted); });
    if (has_asked) {
        trying_.discard();
    } else if (!asking_.is_busy() && is_map_out_of_date()) {
        const MappedMoment when = *wanted_moment_of_map(state_);
        mapping_.follow({state_.answer, when}, read_bytes,
                        [recording = state_.recording, answer = state_.answer, when](Progress&) {
                            return map_moment(*recording, answer, when);
                        });
    } else if (!is_working()) {
        begin_trying();
    }
}

void WhatIfRuns::show_work() {
    WhatIfState& page = state_;
    page.work.status.clear();
    if (repeating_.is_busy()) {
        page.work.status = "Replaying the recording with its own settings";
    } else if (asking_.is_busy()) {
        page.work.status = wanted_.empty() ? "Replaying with the recorded settings" : "Replaying with other settings";
    } else if (mapping_.is_busy()) {
        page.work.status = "Replaying up to the moment of the map";
    } else if (trying_.is_busy()) {
        const auto setting = replay::usual_settings(base_)[page.tried.size()];
        page.work.status = fmt::format("Trying {}={}", setting.first, setting.second);
    }
    const std::size_t done = (page.recording != nullptr ? 1U : 0U) + (page.answer != nullptr ? 1U : 0U) + page.tried.size();
    const std::size_t all = 2 + std::max<std::size_t>(page.to_try, replay::usual_settings(base_).size());
    page.work.fraction = static_cast<float>(done) / static_cast<float>(all);
}

void WhatIfRuns::update() {
    if (is_of_other_device()) forget();
    if (!is_shown()) {
        if (is_working()) discard();
        return;
    }
    take();
    if (ChangedSettings wanted = wanted_settings(state_); wanted != wanted_) {
        wanted_ = std::move(wanted);
        state_.work.restart();
    }
    if (!is_halted(state_)) begin_next();
    show_work();
}

void WhatIfRuns::use_setting(std::string_view name, const std::string& value) {
    for (WhatIfSwitch& each : state_.switches) {
        if (each.name != name) continue;
        each.is_on = true;
        each.value = value;
    }
}

void WhatIfRuns::stop() {
    discard();
    state_.work.stop();
}

void WhatIfRuns::restart() {
    state_.work.restart();
    if (state_.answer == nullptr) asking_.discard();
}

namespace {

std::string why_no_what_if(const Session& session) {
    return has_picture(session) ? why_no_replay(*session.document->snapshot, session.device_index) : "";
}

}  // namespace

void WhatIfRuns::connect(Switchboard& board) {
    board.docked.push_back(
        {.dock = Dock::window,
         .command = CommandId::tools_what_if,
         .is_possible = [](const Session& session) { return has_picture(session) && why_no_what_if(session).empty(); },
         .doc = why_no_what_if,
         .is_open = &state_.is_open,
         .draw =
             [this](const Area& /*area*/, Requests& requests) {
                 if (has_picture(session_)) draw(requests);
             }});
    board.commands.on(CommandId::what_if_stop, {.run = [this] { stop(); }});
    board.commands.on(CommandId::what_if_restart, {.run = [this] { restart(); }});
}

}  // namespace snapviewer::what_if
