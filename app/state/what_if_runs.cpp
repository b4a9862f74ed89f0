#include "app/state/what_if_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace snapviewer {
namespace {

/// What is switched on and makes sense; the window says what is wrong with the rest.
ChangedSettings wanted_settings(const WhatIfState& page) {
    ChangedSettings wanted;
    const AllocatorSettings recorded = page.recording ? page.recording->basis.run.settings : AllocatorSettings{};
    for (const WhatIfSwitch& each : page.switches) {
        AllocatorSettings changed = recorded;
        if (each.is_on && change_setting(changed, each.name, each.value)) wanted.emplace_back(each.name, each.value);
    }
    return wanted;
}

bool is_halted(const WhatIfState& page) { return page.is_stopped || !page.trouble.empty() || !page.why_not.empty(); }

}  // namespace

std::string why_no_replay(const Snapshot& snapshot, std::size_t device_index) {
    const DeviceTrace& trace = snapshot.devices[device_index];
    if (trace.events.size() == 0) return "This file has no history of this device that could be repeated";
    if (trace.allocations_are_given) return "This is what a profiler recorded: it has no events of the allocator to repeat";
    return "";
}

bool WhatIfRuns::is_out_of_date() const {
    if (!is_shown()) return false;
    return is_of_other_device() || (!state_.what_if.why_not.empty() ? false : wanted_ != wanted_settings(state_.what_if));
}

void WhatIfRuns::discard() {
    if (asking_.is_busy()) is_answered_ = false;
    repeating_.discard();
    asking_.discard();
    trying_.discard();
}

/// What the user chose stays.
void WhatIfRuns::forget() {
    discard();
    document_ = state_.document;
    device_index_ = state_.device_index;
    WhatIfState fresh;
    fresh.switches = std::move(state_.what_if.switches);
    if (document_ != nullptr && state_.current_timeline() != nullptr)
        fresh.why_not = why_no_replay(*document_->snapshot, device_index_);
    state_.what_if = std::move(fresh);
    is_answered_ = false;
    base_ = {};
}

/// Switching expandable segments means the other way round.
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
            page.trouble = outcome->error().text();
    };
    keep(repeating_.take(), [&](std::shared_ptr<const RepeatedRecording> made) {
        page.recording = std::move(made);
        take_recording();
    });
    keep(asking_.take(), [&](std::shared_ptr<const AnsweredQuestion> made) { page.answer = std::move(made); });
    keep(trying_.take(), [&](std::shared_ptr<const TriedSetting> made) { page.tried.push_back(std::move(made)); });
}

/// What people try is tried on the card that was asked for, beside the recorded settings.
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
    if (page.tried.size() < usual.size()) trying_.start(trying(page.recording, base, usual[page.tried.size()]));
}

void WhatIfRuns::begin_next() {
    WhatIfState& page = state_.what_if;
    if (page.recording == nullptr) {
        if (!repeating_.is_busy()) repeating_.start(repeating(document_, device_index_));
    } else if (!is_answered_) {
        trying_.discard();
        asking_.start(asking(page.recording, wanted_));
        is_answered_ = true;
    } else if (!asking_.is_busy() && !trying_.is_busy()) {
        begin_trying();
    }
}

void WhatIfRuns::show_work() {
    WhatIfState& page = state_.what_if;
    page.doing.clear();
    if (repeating_.is_busy()) {
        page.doing = "Repeating the recording under its own settings";
    } else if (asking_.is_busy()) {
        page.doing = wanted_.empty() ? "Asking what the recorded settings do" : "Asking what other settings do";
    } else if (trying_.is_busy()) {
        const auto setting = usual_settings(base_)[page.tried.size()];
        page.doing = fmt::format("Trying {}={}", setting.first, setting.second);
    }
    const std::size_t done = (page.recording != nullptr ? 1U : 0U) + (page.answer != nullptr ? 1U : 0U) + page.tried.size();
    const std::size_t all = 2 + std::max<std::size_t>(page.to_try, usual_settings(base_).size());
    page.fraction = static_cast<float>(done) / static_cast<float>(all);
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
        page.is_stopped = false;
        page.trouble.clear();
    }
    if (!is_halted(page)) begin_next();
    show_work();
}

void WhatIfRuns::stop() {
    discard();
    state_.what_if.is_stopped = true;
}

void WhatIfRuns::restart() {
    state_.what_if.is_stopped = false;
    state_.what_if.trouble.clear();
    if (state_.what_if.answer == nullptr) is_answered_ = false;
}

}  // namespace snapviewer
