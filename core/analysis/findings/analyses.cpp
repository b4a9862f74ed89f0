#include "core/analysis/findings/analyses.h"

#include <algorithm>
#include <chrono>

namespace snapviewer {
namespace {

/// Maximum time for replays that only improve a hint.
constexpr std::chrono::seconds k_max_replay_time{1};

}  // namespace

std::shared_ptr<const StackLines> StackAnalyses::lines() {
    return lines_.get([&] { return StackLines::build(snapshot_); });
}

std::shared_ptr<const StackPhases> StackAnalyses::phases() {
    const auto made = lines();
    return phases_.get([&] { return StackPhases::build(snapshot_, *made); });
}

DeviceAnalyses::DeviceAnalyses(std::shared_ptr<const Timeline> timeline, std::shared_ptr<StackAnalyses> stacks,
                               std::size_t device_index, std::int64_t first_event_id, std::int64_t first_allocation_id,
                               const AnalysisOptions& options)
    : timeline_(std::move(timeline)),
      stacks_(std::move(stacks)),
      device_index_(device_index),
      first_event_id_(first_event_id),
      first_allocation_id_(first_allocation_id),
      options_(options) {}

std::shared_ptr<const AddressSpace> DeviceAnalyses::address_space() {
    return address_space_.get([&] { return AddressSpace::build(snapshot(), trace()); });
}

std::shared_ptr<const HolesHistory> DeviceAnalyses::holes() {
    const auto space = address_space();
    return holes_.get([&] { return holes_history(*space); });
}

std::shared_ptr<const std::vector<CardUse>> DeviceAnalyses::card_uses() {
    const auto space = address_space();
    return card_uses_.get([&] { return snapviewer::card_uses(*space, options_.card_figures, options_.device_total_bytes); });
}

std::shared_ptr<const std::vector<PoolUse>> DeviceAnalyses::pool_uses() {
    const auto space = address_space();
    const auto lines = stack_lines();
    return pool_uses_.get(
        [&] { return snapviewer::pool_uses(*space, *lines, timeline().tick_events()[timeline().peak_tick()]); });
}

std::shared_ptr<const OomReport> DeviceAnalyses::oom() {
    const auto space = address_space();
    const auto lines = stack_lines();
    return oom_.get([&] {
        auto report = oom_report(timeline(), *lines, *space, options_.device_total_bytes, options_.card_figures);
        if (std::ranges::none_of(report.verdicts, &OomVerdict::is_helped_by_joining)) return report;
        const auto gain = expandable_gain();
        for (OomVerdict& verdict : report.verdicts) {
            if (verdict.is_helped_by_joining)
                verdict.hint = expandable_hint(*gain, verdict.event, verdict.reserved + verdict.driver_bytes);
        }
        return report;
    });
}

std::shared_ptr<const ExpandableGain> DeviceAnalyses::expandable_gain() {
    return expandable_gain_.get([&] {
        const auto end = std::chrono::steady_clock::now() + k_max_replay_time;
        const auto is_over = [end] { return std::chrono::steady_clock::now() >= end; };
        if (options_.find_expandable_gain == nullptr) return ExpandableGain{trace().events.size() > 0, std::nullopt};
        return options_.find_expandable_gain(snapshot(), trace(), is_over);
    });
}

std::shared_ptr<const std::vector<DeviceFinding>> DeviceAnalyses::findings() {
    return findings_.get([&] { return find_findings(*this); });
}

std::shared_ptr<const EventPhases> DeviceAnalyses::event_phases(const StackPhases& stacks) {
    return event_phases_.get([&] { return EventPhases::build(trace(), stacks); });
}

std::shared_ptr<const Steps> DeviceAnalyses::steps() {
    const auto stacks = stacks_->phases();
    const auto phases = event_phases(*stacks);
    return steps_.get([&] { return find_steps(timeline(), *stacks, *phases); });
}

std::shared_ptr<const std::vector<Phase>> DeviceAnalyses::told_phases() {
    const auto stacks = stacks_->phases();
    const auto phases = event_phases(*stacks);
    return told_phases_.get([&] { return find_told_phases(timeline(), *stacks, *phases); });
}

std::shared_ptr<const Growth> DeviceAnalyses::growth() {
    const auto lines = stack_lines();
    const auto found = steps();
    return growth_.get([&] { return find_growth(timeline(), *lines, *found, {}); });
}

std::shared_ptr<const Churn> DeviceAnalyses::churn() {
    const auto lines = stack_lines();
    const auto found = steps();
    return churn_.get([&] { return find_churn(timeline(), *lines, *found); });
}

std::shared_ptr<const Modules> DeviceAnalyses::modules() {
    return modules_.get([&] { return find_modules(snapshot(), trace()); });
}

std::shared_ptr<const std::vector<GrowingModule>> DeviceAnalyses::growing_modules() {
    const auto told = modules();
    const auto found = growth();
    return growing_modules_.get([&] { return find_growing_modules(timeline(), *told, *found); });
}

std::shared_ptr<const std::vector<LastingModule>> DeviceAnalyses::lasting_modules() {
    const auto told = modules();
    const auto found = growth();
    return lasting_modules_.get([&] {
        if (!found->edges.empty()) return std::vector<LastingModule>();
        return find_lasting_modules(timeline(), *told);
    });
}

std::shared_ptr<const Kinds> DeviceAnalyses::kinds() {
    const auto stacks = stacks_->phases();
    const auto phases = event_phases(*stacks);
    const auto told = modules();
    const auto found = steps();
    return kinds_.get([&] { return find_kinds(timeline(), *stacks, *phases, *told, *found, options_.kind_rules); });
}

Analyses::Analyses(const Snapshot& snapshot, const std::vector<std::shared_ptr<const Timeline>>& timelines,
                   const AnalysisOptions& options) {
    const auto stacks = std::make_shared<StackAnalyses>(snapshot);
    std::int64_t events = 0;
    std::int64_t allocations = 0;
    for (std::size_t i = 0; i < timelines.size(); ++i) {
        devices_.push_back(std::make_unique<DeviceAnalyses>(timelines[i], stacks, i, events, allocations, options));
        events += static_cast<std::int64_t>(snapshot.devices[i].events.size());
        allocations += static_cast<std::int64_t>(snapshot.devices[i].allocations.size());
    }
}

}  // namespace snapviewer
