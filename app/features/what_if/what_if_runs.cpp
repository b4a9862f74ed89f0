#include "app/features/what_if/what_if_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace snapviewer {
namespace {

/// Returns the overrides that are switched on and valid. The window shows the errors of the others.
ChangedSettings wanted_settings(const WhatIfState& page) {
    ChangedSettings wanted;
    const AllocatorSettings recorded = page.recording ? page.recording->basis.run.settings : AllocatorSettings{};
    for (const WhatIfSwitch& each : page.switches) {
        AllocatorSettings changed = recorded;
        if (each.is_on && change_setting(changed, each.name, each.value)) wanted.emplace_back(each.name, each.value);
    }
    return wanted;
}

/// Returns the event that the user chose, else the first request that fails, else the peak; nullopt without an answer.
std::optional<MappedMoment> wanted_moment_of_map(const WhatIfState& page) {
    if (!page.shows_map || page.answer == nullptr || !page.answer->answer.answer) return std::nullopt;
    const WhatIfMode& mode = page.answer->answer.answer->modes[static_cast<std::size_t>(page.map_mode)];
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
    if (!is_of_other_device() && !is_halted(state_.what_if) && is_map_out_of_date()) return true;
    return is_of_other_device() || (!state_.what_if.why_not.empty() ? false : wanted_ != wanted_settings(state_.what_if));
}

void WhatIfRuns::discard() {
    if (asking_.is_busy()) is_answered_ = false;
    repeating_.discard();
    asking_.discard();
    trying_.discard();
    if (mapping_.is_busy()) mapped_.reset();
    mapping_.discard();
}

/// Starts again for another recording, but keeps the choices of the user.
void WhatIfRuns::forget() {
    discard();
    document_ = state_.document;
    device_index_ = state_.device_index;
    WhatIfState fresh;
    fresh.is_open = state_.what_if.is_open;
    fresh.switches = std::move(state_.what_if.switches);
    fresh.shows_map = state_.what_if.shows_map;
    mapped_.reset();
    mapped_answer_.reset();
    if (document_ != nullptr && state_.current_timeline() != nullptr)
        fresh.why_not = why_no_replay(*document_->snapshot, device_index_);
    state_.what_if = std::move(fresh);
    is_answered_ = false;
    base_ = {};
}

/// The switch for expandable segments offers the opposite of the recorded value.
void WhatIfRuns::take_recording() {
    const bool was_expandable = state_.what_if.recording->basis.run.settings.expandable;
    state_.what_if.switches.front().value = was_expandable ? "false" : "true";
}

void WhatIfRuns::take() {
    WhatIfState& page = state_.what_if;
    const auto keep = [&](auto outcome, auto use) {
        if (!outcome) return;
        if (*outcome)
            use(std::move(**outcome));
        else
            page.work.error = outcome->error().text();
    };
    keep(repeating_.take(), [&](std::shared_ptr<const RepeatedRecording> made) {
        page.recording = std::move(made);
        take_recording();
    });
    keep(asking_.take(), [&](std::shared_ptr<const AnsweredQuestion> made) {
        page.answer = std::move(made);
        page.map_event.reset();
    });
    keep(mapping_.take(), [&](std::shared_ptr<const ReplayedMap> made) { show_map(std::move(made)); });
    keep(trying_.take(), [&](std::shared_ptr<const TriedSetting> made) { page.tried.push_back(std::move(made)); });
}

/// Tries the next common setting on its own, with the recorded settings and the GPU capacity that the user asked for.
void WhatIfRuns::begin_trying() {
    WhatIfState& page = state_.what_if;
    if (page.answer == nullptr || !page.answer->answer.refused.empty()) return;
    AllocatorSettings base = page.recording->basis.run.settings;
    base.capacity = page.answer->answer.settings.capacity;
    const auto usual = usual_settings(base);
    if (page.to_try == 0 || base != base_) {
        page.tried.clear();
        page.to_try = usual.size();
        base_ = base;
    }
    if (page.tried.size() < usual.size()) trying_.start(make_trying_job(page.recording, base, usual[page.tried.size()]));
}

bool WhatIfRuns::is_map_out_of_date() const {
    const WhatIfState& page = state_.what_if;
    const auto wanted = wanted_moment_of_map(page);
    return wanted && (mapped_answer_ != page.answer || mapped_ != wanted);
}

void WhatIfRuns::begin_mapping() {
    const WhatIfState& page = state_.what_if;
    mapped_answer_ = page.answer;
    mapped_ = wanted_moment_of_map(page);
    mapping_.start(make_map_job(page.recording, page.answer, *mapped_));
}

/// Shows both maps in the same scale, that of the larger one.
void WhatIfRuns::show_map(std::shared_ptr<const ReplayedMap> map) {
    WhatIfState& page = state_.what_if;
    page.map = std::move(map);
    const auto& fullest =
        page.map->recorded->reserved_bytes < page.map->replayed->reserved_bytes ? page.map->replayed : page.map->recorded;
    for (auto* drawn : {&page.recorded_map, &page.replayed_map}) {
        drawn->space = page.map->space;
        drawn->fullest = fullest;
        const bool is_recorded = drawn == &page.recorded_map;
        drawn->at = is_recorded ? *page.map->recorded : *page.map->replayed;
        drawn->colours = is_recorded ? page.map->recorded_colours : page.map->replayed_colours;
        ++drawn->version;
    }
}

void WhatIfRuns::begin_next() {
    WhatIfState& page = state_.what_if;
    if (page.recording == nullptr) {
        if (!repeating_.is_busy()) repeating_.start(make_repeating_job(document_, device_index_));
    } else if (!is_answered_) {
        trying_.discard();
        asking_.start(make_asking_job(page.recording, wanted_));
        is_answered_ = true;
    } else if (!asking_.is_busy() && is_map_out_of_date()) {
        begin_mapping();
    } else if (!asking_.is_busy() && !mapping_.is_busy() && !trying_.is_busy()) {
        begin_trying();
    }
}

void WhatIfRuns::show_work() {
    WhatIfState& page = state_.what_if;
    page.work.status.clear();
    if (repeating_.is_busy()) {
        page.work.status = "Replaying the recording with its own settings";
    } else if (asking_.is_busy()) {
        page.work.status = wanted_.empty() ? "Replaying with the recorded settings" : "Replaying with other settings";
    } else if (mapping_.is_busy()) {
        page.work.status = "Replaying up to the moment of the map";
    } else if (trying_.is_busy()) {
        const auto setting = usual_settings(base_)[page.tried.size()];
        page.work.status = fmt::format("Trying {}={}", setting.first, setting.second);
    }
    const std::size_t done = (page.recording != nullptr ? 1U : 0U) + (page.answer != nullptr ? 1U : 0U) + page.tried.size();
    const std::size_t all = 2 + std::max<std::size_t>(page.to_try, usual_settings(base_).size());
    page.work.fraction = static_cast<float>(done) / static_cast<float>(all);
}

void WhatIfRuns::update() {
    if (is_of_other_device()) forget();
    if (!is_shown()) {
        if (is_working()) discard();
        return;
    }
    take();
    WhatIfState& page = state_.what_if;
    if (ChangedSettings wanted = wanted_settings(page); wanted != wanted_) {
        wanted_ = std::move(wanted);
        is_answered_ = false;
        page.work.restart();
    }
    if (!is_halted(page)) begin_next();
    show_work();
}

void WhatIfRuns::stop() {
    discard();
    state_.what_if.work.stop();
}

void WhatIfRuns::restart() {
    state_.what_if.work.restart();
    if (state_.what_if.answer == nullptr) is_answered_ = false;
}

}  // namespace snapviewer
