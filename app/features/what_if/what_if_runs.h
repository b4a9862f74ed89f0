#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/features/app_state.h"
#include "app/features/what_if/what_if_tasks.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Why a device's recording cannot be repeated at all, as a sentence; empty where that can be tried.
std::string why_no_replay(const Snapshot& snapshot, std::size_t device_index);

/// What other settings would have done, while the window for that is open: repeats the recording of the device on the
/// screen, answers what is asked of it, then tries what people try, one after another. Main thread.
class WhatIfRuns : public Feature {
public:
    /// `state` outlives this.
    explicit WhatIfRuns(AppState& state) : state_(state) {}

    /// Every frame: follows the device and what the user wants.
    void update() override;
    /// What is there stays. It goes on when asked to, or when something else is wanted.
    void stop();
    /// After it was stopped or failed.
    void restart();
    /// Also while something is wanted that update() has not seen yet.
    bool is_busy() const override { return is_working() || is_out_of_date(); }
    void connect(Switchboard& board) override;
    void draw(Requests& requests) override;
    void describe(nlohmann::json& report) const override;

private:
    bool is_shown() const { return state_.what_if.is_open && state_.current_timeline() != nullptr; }
    bool is_working() const { return repeating_.is_busy() || asking_.is_busy() || trying_.is_busy() || mapping_.is_busy(); }
    bool is_of_other_device() const { return document_ != state_.document || device_index_ != state_.device_index; }
    bool is_out_of_date() const;
    void discard();
    void forget();
    void take();
    void take_recording();
    void begin_next();
    void begin_trying();
    bool is_map_out_of_date() const;
    void begin_mapping();
    void show_map(std::shared_ptr<const ReplayedMap> map);
    void show_work();

    AppState& state_;
    std::shared_ptr<const Document> document_;  ///< that the state of the window is about
    std::size_t device_index_ = 0;
    ChangedSettings wanted_;    ///< in the frame before
    bool is_answered_ = false;  ///< `wanted_` was asked, or is being asked
    AllocatorSettings base_;    ///< of the settings that were tried
    Job<RepeatOutcome> repeating_;
    Job<AskOutcome> asking_;
    Job<TryOutcome> trying_;
    Job<MapOutcome> mapping_;
    std::shared_ptr<const AnsweredQuestion> mapped_answer_;  ///< what the map was asked of last
    std::optional<MappedMoment> mapped_;                     ///< and for when
};

}  // namespace snapviewer
