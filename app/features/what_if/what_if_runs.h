#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/features/app_state.h"
#include "app/features/what_if/what_if_tasks.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Returns why the recording of a device cannot be replayed at all, as a sentence; empty if a replay can be tried.
std::string why_no_replay(const Snapshot& snapshot, std::size_t device_index);

/// Replays with other settings, while their window is open. Replays the recording of the current device, answers the
/// question of the user, then tries common settings one after another. Main thread; the replays run on worker threads.
class WhatIfRuns : public Feature {
public:
    /// Keeps a reference; `state` must outlive this object.
    explicit WhatIfRuns(AppState& state) : state_(state) {}

    /// Called every frame: follows the current device and the settings in the window, and takes results.
    void update() override;
    /// Stops the work and keeps the results so far. Resumes on restart(), or when the user changes a setting.
    void stop();
    /// Resumes after a stop or an error.
    void restart();
    /// Also true if the user has changed a setting since the last update().
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
    std::shared_ptr<const Document> document_;  ///< document that the state of the window belongs to
    std::size_t device_index_ = 0;
    ChangedSettings wanted_;    ///< settings of the previous frame
    bool is_answered_ = false;  ///< a job for `wanted_` was started, and may have ended
    AllocatorSettings base_;    ///< base settings of the trials
    Job<RepeatOutcome> repeating_;
    Job<AskOutcome> asking_;
    Job<TryOutcome> trying_;
    Job<MapOutcome> mapping_;
    std::shared_ptr<const AnsweredQuestion> mapped_answer_;  ///< answer that the last map was requested for
    std::optional<MappedMoment> mapped_;                     ///< moment that the last map was requested for
};

}  // namespace snapviewer
