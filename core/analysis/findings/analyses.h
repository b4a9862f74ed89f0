#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/findings/findings.h"
#include "core/analysis/growth/growth.h"
#include "core/analysis/kinds/kinds.h"
#include "core/analysis/oom/card_use.h"
#include "core/analysis/oom/oom.h"
#include "core/analysis/space/address_space.h"
#include "core/analysis/space/holes.h"
#include "core/analysis/stacks/stack_groups.h"
#include "core/analysis/steps/phases.h"
#include "core/analysis/steps/steps.h"
#include "core/timeline/modules.h"
#include "core/timeline/timeline.h"
#include "core/trace/stack_lines.h"

namespace snapviewer::findings {

/// A result that stays valid as long as the object that computed it. Copy the pointer to keep the result longer.
template <typename T>
using SharedResult = const std::shared_ptr<const T>&;

/// A lazily computed value. Thread-safe: concurrent callers wait for the first one.
template <typename T>
class Lazy {
public:
    /// Returns the value. Calls `make` to compute it unless an earlier call succeeded. If `make` throws, the next call tries
    /// again.
    template <typename Make>
    SharedResult<T> get(Make make) {
        const std::lock_guard lock(mutex_);
        if (!value_) value_ = std::make_shared<const T>(make());
        return value_;
    }

private:
    std::mutex mutex_;
    std::shared_ptr<const T> value_;
};

/// Inputs that are not part of a snapshot: the user's options and files beside the snapshot.
struct AnalysisOptions {
    std::optional<std::uint64_t> device_total_bytes = {};
    kinds::KindRules kind_rules = {};
    std::vector<oom::CardFigures> card_figures = {};  ///< Figures about the memory of any device
    /// Function that replays a recording; nullptr if no replay is available, and hints then promise nothing
    oom::FindExpandableGain* find_expandable_gain = nullptr;
};

/// Analyses that compute one result for each distinct stack of a file. Lazy and thread-safe like DeviceAnalyses.
class StackAnalyses {
public:
    explicit StackAnalyses(const Snapshot& snapshot) : snapshot_(snapshot) {}
    SharedResult<StackLines> lines() {
        return lines_.get([&] { return StackLines::build(snapshot_); });
    }
    SharedResult<steps::StackPhases> phases() {
        return phases_.get([&] { return steps::StackPhases::build(snapshot_, *lines()); });
    }

private:
    const Snapshot& snapshot_;  ///< Snapshot of the file; the timelines keep it alive
    Lazy<StackLines> lines_;
    Lazy<steps::StackPhases> phases_;
};

/// The analyses of one device, each computed on first use and cached. Thread-safe. All analyses throw a Failure only if the
/// calling thread's work was stopped (core/base/context.h), and std::bad_alloc if memory runs out.
class DeviceAnalyses {
public:
    /// A moment, in all functions, is a number of events that have happened, as in AddressSpace.
    DeviceAnalyses(std::shared_ptr<const Timeline> timeline, std::shared_ptr<StackAnalyses> stacks, std::size_t device_index,
                   std::int64_t first_event_id, std::int64_t first_allocation_id, const AnalysisOptions& options);

    const Timeline& timeline() const { return *timeline_; }
    const Snapshot& snapshot() const { return timeline_->snapshot(); }
    const DeviceTrace& trace() const { return timeline_->trace(); }
    /// Returns false if a profiler recorded only the lifetimes of allocations, without segments. An export of a snapshot has
    /// lifetimes and segments, so it returns true.
    bool has_blocks() const { return !trace().allocations_are_given || !snapshot().segments.empty(); }
    /// Returns the reason why memory layouts are unknown, or an empty string if they are known, as in most files. Layouts
    /// are computed backwards over all events from the segments at the end, so a file without all events has none.
    std::string why_no_layouts() const {
        return trace().cut_off == CutOff::in_the_events
                   ? "the file is cut off before the end of its events, so the memory layout after an event is unknown"
                   : "";
    }
    std::size_t device_index() const { return device_index_; }
    const AnalysisOptions& options() const { return options_; }

    /// Converts an event number of this device to its id in SQL. allocation_id() does the same for an allocation.
    std::int64_t event_id(std::uint32_t event) const { return first_event_id_ + event; }
    std::int64_t allocation_id(AllocationId id) const { return first_allocation_id_ + id.value; }
    /// Returns the SQL id of the last event before a moment, or nullopt for the moment before the first event.
    std::optional<std::int64_t> event_id_of_moment(std::uint32_t moment) const {
        return moment == 0 ? std::nullopt : std::optional(event_id(moment - 1));
    }
    /// Returns the moment at which the peak is reached, or nullopt if that is unknown because the file is cut off before it.
    std::optional<std::uint32_t> peak_moment() const;

    SharedResult<space::AddressSpace> address_space() {
        return address_space_.get([&] { return space::AddressSpace::build(snapshot(), trace()); });
    }
    SharedResult<space::HolesHistory> holes() {
        return holes_.get([&] { return space::holes_history(*address_space()); });
    }
    SharedResult<std::vector<oom::CardUse>> card_uses();
    SharedResult<std::vector<space::PoolUse>> pool_uses();
    SharedResult<oom::OomReport> oom();
    /// Computes the effect of expandable segments. Contains no answer if this would take longer than one second. Call only
    /// if a hint depends on it.
    SharedResult<oom::ExpandableGain> expandable_gain();
    SharedResult<StackLines> stack_lines() { return stacks_->lines(); }
    SharedResult<steps::Steps> steps() {
        return steps_.get([&] { return steps::find_steps(timeline(), *stacks_->phases(), *event_phases()); });
    }
    SharedResult<std::vector<steps::Phase>> phases_by_event() {
        return phases_by_event_.get(
            [&] { return steps::find_phases_by_event(timeline(), *stacks_->phases(), *event_phases()); });
    }
    SharedResult<growth::Growth> growth() {
        return growth_.get([&] { return growth::find_growth(timeline(), *stack_lines(), *steps()); });
    }
    SharedResult<stacks::Churn> churn() {
        return churn_.get([&] { return stacks::find_churn(timeline(), *stack_lines(), *steps()); });
    }
    SharedResult<Modules> modules() {
        return modules_.get([&] { return find_modules(snapshot(), trace()); });
    }
    SharedResult<std::vector<growth::GrowingModule>> growing_modules() {
        return growing_modules_.get([&] { return growth::find_growing_modules(timeline(), *modules(), *growth()); });
    }
    /// Modules whose memory grows in a recording without training steps. Empty if the file has steps.
    SharedResult<std::vector<growth::LastingModule>> lasting_modules();
    SharedResult<kinds::Kinds> kinds();
    SharedResult<std::vector<DeviceFinding>> findings() {
        return findings_.get([&] { return find_findings(*this); });
    }

private:
    SharedResult<steps::EventPhases> event_phases() {
        return event_phases_.get([&] { return steps::EventPhases::build(trace(), *stacks_->phases()); });
    }

    std::shared_ptr<const Timeline> timeline_;
    std::shared_ptr<StackAnalyses> stacks_;
    std::size_t device_index_;
    std::int64_t first_event_id_;
    std::int64_t first_allocation_id_;
    AnalysisOptions options_;
    Lazy<space::AddressSpace> address_space_;
    Lazy<space::HolesHistory> holes_;
    Lazy<std::vector<oom::CardUse>> card_uses_;
    Lazy<std::vector<space::PoolUse>> pool_uses_;
    Lazy<oom::OomReport> oom_;
    Lazy<oom::ExpandableGain> expandable_gain_;
    Lazy<steps::EventPhases> event_phases_;
    Lazy<steps::Steps> steps_;
    Lazy<std::vector<steps::Phase>> phases_by_event_;
    Lazy<growth::Growth> growth_;
    Lazy<stacks::Churn> churn_;
    Lazy<Modules> modules_;
    Lazy<std::vector<growth::GrowingModule>> growing_modules_;
    Lazy<std::vector<growth::LastingModule>> lasting_modules_;
    Lazy<kinds::Kinds> kinds_;
    Lazy<std::vector<DeviceFinding>> findings_;
};

/// The analyses of all devices of a file. Creation is cheap, because every analysis is lazy.
class Analyses {
public:
    /// `timelines` has one element for each element of `snapshot.devices`, in the same order.
    Analyses(const Snapshot& snapshot, const std::vector<std::shared_ptr<const Timeline>>& timelines,
             const AnalysisOptions& options = {});

    std::size_t device_count() const { return devices_.size(); }
    DeviceAnalyses& device(std::size_t index) const { return *devices_[index]; }

private:
    std::vector<std::unique_ptr<DeviceAnalyses>> devices_;
};

}  // namespace snapviewer::findings
