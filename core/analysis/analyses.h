#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/address_space.h"
#include "core/analysis/card_use.h"
#include "core/analysis/churn.h"
#include "core/analysis/findings.h"
#include "core/analysis/growth.h"
#include "core/analysis/holes_history.h"
#include "core/analysis/kinds.h"
#include "core/analysis/module_growth.h"
#include "core/analysis/oom.h"
#include "core/analysis/phases.h"
#include "core/analysis/pool_use.h"
#include "core/analysis/replay/what_if.h"
#include "core/analysis/steps.h"
#include "core/analysis/told_phases.h"
#include "core/timeline/modules.h"
#include "core/timeline/timeline.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// A lazily computed value. Thread-safe: concurrent callers wait for the first one.
template <typename T>
class MadeOnce {
public:
    /// Returns the value, made by `make` unless there is one. If `make` throws, the next call tries again.
    template <typename Make>
    std::shared_ptr<const T> get(Make make) {
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
    std::optional<std::uint64_t> device_total_bytes;
    KindRules kind_rules = {};
    std::vector<CardFigures> card_figures = {};  ///< of any device
};

/// Analyses that compute one result for each distinct stack of a file. Lazy and thread-safe like DeviceAnalyses.
class StackAnalyses {
public:
    explicit StackAnalyses(const Snapshot& snapshot) : snapshot_(snapshot) {}
    std::shared_ptr<const StackLines> lines();
    std::shared_ptr<const StackPhases> phases();

private:
    const Snapshot& snapshot_;  ///< the timelines of the devices keep it
    MadeOnce<StackLines> lines_;
    MadeOnce<StackPhases> phases_;
};

/// The analyses of one device, each computed on first use and kept. Thread-safe. Like all analyses they throw a Failure only
/// if the work of the calling thread is to stop (core/base/context.h), and std::bad_alloc.
class DeviceAnalyses {
public:
    /// A moment is a number of events that have happened, as in AddressSpace.
    DeviceAnalyses(std::shared_ptr<const Timeline> timeline, std::shared_ptr<StackAnalyses> stacks, std::size_t device_index,
                   std::int64_t first_event_id, std::int64_t first_allocation_id, const AnalysisOptions& options);

    const Timeline& timeline() const { return *timeline_; }
    const Snapshot& snapshot() const { return timeline_->snapshot(); }
    const DeviceTrace& trace() const { return timeline_->trace(); }
    /// False for lives that a profiler gives, without segments; an export of a snapshot gives lives and has segments.
    bool tells_of_blocks() const { return !trace().allocations_are_given || !snapshot().segments.empty(); }
    /// The reason why memory layouts are unknown, mostly empty. Layouts are computed from the segments backwards over all
    /// events.
    std::string why_no_layouts() const {
        return trace().cut_off == CutOff::in_the_events
                   ? "the file is cut off before the end of its events, so the memory layout after an event is unknown"
                   : "";
    }
    std::size_t device_index() const { return device_index_; }
    const AnalysisOptions& options() const { return options_; }

    /// SQL's numbers of this device's events and allocations.
    std::int64_t event_id(std::uint32_t event) const { return first_event_id_ + event; }
    std::int64_t allocation_id(AllocationId id) const { return first_allocation_id_ + id.value; }
    /// SQL's id of the event before a moment; nullopt for the moment before the first event.
    std::optional<std::int64_t> event_id_of_moment(std::uint32_t moment) const {
        return moment == 0 ? std::nullopt : std::optional(event_id(moment - 1));
    }

    std::shared_ptr<const AddressSpace> address_space();
    std::shared_ptr<const HolesHistory> holes();
    std::shared_ptr<const std::vector<CardUse>> card_uses();
    std::shared_ptr<const std::vector<PoolUse>> pool_uses();
    std::shared_ptr<const OomReport> oom();
    /// Gives no answer after one second. Call it only if a hint depends on it.
    std::shared_ptr<const ExpandableGain> expandable_gain();
    std::shared_ptr<const StackLines> stack_lines() { return stacks_->lines(); }
    std::shared_ptr<const Steps> steps();
    std::shared_ptr<const std::vector<Phase>> told_phases();
    std::shared_ptr<const Growth> growth();
    std::shared_ptr<const Churn> churn();
    std::shared_ptr<const Modules> modules();
    std::shared_ptr<const std::vector<GrowingModule>> growing_modules();
    /// Empty if the file has steps.
    std::shared_ptr<const std::vector<LastingModule>> lasting_modules();
    std::shared_ptr<const Kinds> kinds();
    std::shared_ptr<const std::vector<DeviceFinding>> findings();

private:
    std::shared_ptr<const EventPhases> event_phases(const StackPhases& stacks);

    std::shared_ptr<const Timeline> timeline_;
    std::shared_ptr<StackAnalyses> stacks_;
    std::size_t device_index_;
    std::int64_t first_event_id_;
    std::int64_t first_allocation_id_;
    AnalysisOptions options_;
    MadeOnce<AddressSpace> address_space_;
    MadeOnce<HolesHistory> holes_;
    MadeOnce<std::vector<CardUse>> card_uses_;
    MadeOnce<std::vector<PoolUse>> pool_uses_;
    MadeOnce<OomReport> oom_;
    MadeOnce<ExpandableGain> expandable_gain_;
    MadeOnce<EventPhases> event_phases_;
    MadeOnce<Steps> steps_;
    MadeOnce<std::vector<Phase>> told_phases_;
    MadeOnce<Growth> growth_;
    MadeOnce<Churn> churn_;
    MadeOnce<Modules> modules_;
    MadeOnce<std::vector<GrowingModule>> growing_modules_;
    MadeOnce<std::vector<LastingModule>> lasting_modules_;
    MadeOnce<Kinds> kinds_;
    MadeOnce<std::vector<DeviceFinding>> findings_;
};

/// The analyses of all devices of a file. Creating it costs nothing.
class Analyses {
public:
    /// `timelines` parallel to snapshot.devices.
    Analyses(const Snapshot& snapshot, const std::vector<std::shared_ptr<const Timeline>>& timelines,
             const AnalysisOptions& options = {});

    std::size_t device_count() const { return devices_.size(); }
    DeviceAnalyses& device(std::size_t index) const { return *devices_[index]; }

private:
    std::vector<std::unique_ptr<DeviceAnalyses>> devices_;
};

}  // namespace snapviewer
