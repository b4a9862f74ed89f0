#include "core/analysis/analyses.h"

#include <algorithm>
#include <chrono>

namespace snapviewer {
namespace {

/// Maximum time that a hint may cost.
constexpr std::chrono::seconds k_max_replay_time{1};

}  // namespace

Result<std::shared_ptr<const StackLines>> StackAnalyses::lines(const Progress* progress) {
    return lines_.get([&] { return StackLines::build(snapshot_, progress); });
}

Result<std::shared_ptr<const StackPhases>> StackAnalyses::phases(const Progress* progress) {
    const auto made = lines(progress);
    if (!made) return made.error();
    return phases_.get([&] { return StackPhases::build(snapshot_, **made, progress); });
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

Result<std::shared_ptr<const AddressSpace>> DeviceAnalyses::address_space(const Progress* progress) {
    return address_space_.get([&] { return AddressSpace::build(snapshot(), trace(), progress); });
}

Result<std::shared_ptr<const HolesHistory>> DeviceAnalyses::holes(const Progress* progress) {
    const auto space = address_space(progress);
    if (!space) return space.error();
    return holes_.get([&] { return holes_history(**space, progress); });
}

Result<std::shared_ptr<const std::vector<CardUse>>> DeviceAnalyses::card_uses(const Progress* progress) {
    const auto space = address_space(progress);
    if (!space) return space.error();
    return card_uses_.get([&]() -> Result<std::vector<CardUse>> {
        return snapviewer::card_uses(**space, options_.card_figures, options_.device_total_bytes);
    });
}

Result<std::shared_ptr<const std::vector<PoolUse>>> DeviceAnalyses::pool_uses(const Progress* progress) {
    const auto space = address_space(progress);
    if (!space) return space.error();
    const auto lines = stack_lines(progress);
    if (!lines) return lines.error();
    return pool_uses_.get([&]() -> Result<std::vector<PoolUse>> {
        return snapviewer::pool_uses(**space, **lines, timeline().tick_events()[timeline().peak_tick()]);
    });
}

Result<std::shared_ptr<const OomReport>> DeviceAnalyses::oom(const Progress* progress) {
    const auto space = address_space(progress);
    if (!space) return space.error();
    const auto lines = stack_lines(progress);
    if (!lines) return lines.error();
    return oom_.get([&]() -> Result<OomReport> {
        auto report = oom_report(timeline(), **lines, **space, options_.device_total_bytes, options_.card_figures, progress);
        if (!report || std::ranges::none_of(report->verdicts, &OomVerdict::is_helped_by_joining)) return report;
        const auto gain = expandable_gain(progress);
        if (!gain) return gain.error();
        for (OomVerdict& verdict : report->verdicts) {
            if (verdict.is_helped_by_joining)
                verdict.hint = expandable_hint(**gain, verdict.event, verdict.reserved + verdict.driver_bytes);
        }
        return report;
    });
}

Result<std::shared_ptr<const ExpandableGain>> DeviceAnalyses::expandable_gain(const Progress* progress) {
    return expandable_gain_.get([&] {
        const auto end = std::chrono::steady_clock::now() + k_max_replay_time;
        const auto is_over = [end] { return std::chrono::steady_clock::now() >= end; };
        return gain_of_expandable_segments(snapshot(), trace(), is_over, progress);
    });
}

Result<std::shared_ptr<const std::vector<DeviceFinding>>> DeviceAnalyses::findings(const Progress* progress) {
    return findings_.get([&] { return find_findings(*this, progress); });
}

Result<std::shared_ptr<const EventPhases>> DeviceAnalyses::event_phases(const StackPhases& stacks,
                                                                        const Progress* progress) {
    return event_phases_.get([&] { return EventPhases::build(trace(), stacks, progress); });
}

Result<std::shared_ptr<const Steps>> DeviceAnalyses::steps(const Progress* progress) {
    const auto stacks = stacks_->phases(progress);
    if (!stacks) return stacks.error();
    const auto phases = event_phases(**stacks, progress);
    if (!phases) return phases.error();
    return steps_.get([&] { return find_steps(timeline(), **stacks, **phases, progress); });
}

Result<std::shared_ptr<const std::vector<Phase>>> DeviceAnalyses::told_phases(const Progress* progress) {
    const auto stacks = stacks_->phases(progress);
    if (!stacks) return stacks.error();
    const auto phases = event_phases(**stacks, progress);
    if (!phases) return phases.error();
    return told_phases_.get([&] { return find_told_phases(timeline(), **stacks, **phases, progress); });
}

Result<std::shared_ptr<const Growth>> DeviceAnalyses::growth(const Progress* progress) {
    const auto lines = stack_lines(progress);
    if (!lines) return lines.error();
    const auto found = steps(progress);
    if (!found) return found.error();
    return growth_.get([&] { return find_growth(timeline(), **lines, **found, {}, progress); });
}

Result<std::shared_ptr<const Churn>> DeviceAnalyses::churn(const Progress* progress) {
    const auto lines = stack_lines(progress);
    if (!lines) return lines.error();
    const auto found = steps(progress);
    if (!found) return found.error();
    return churn_.get([&]() -> Result<Churn> { return find_churn(timeline(), **lines, **found); });
}

Result<std::shared_ptr<const Modules>> DeviceAnalyses::modules(const Progress* progress) {
    return modules_.get([&] { return find_modules(snapshot(), trace(), progress); });
}

Result<std::shared_ptr<const std::vector<GrowingModule>>> DeviceAnalyses::growing_modules(const Progress* progress) {
    const auto told = modules(progress);
    if (!told) return told.error();
    const auto found = growth(progress);
    if (!found) return found.error();
    return growing_modules_.get([&] { return find_growing_modules(timeline(), **told, **found, progress); });
}

Result<std::shared_ptr<const std::vector<LastingModule>>> DeviceAnalyses::lasting_modules(const Progress* progress) {
    const auto told = modules(progress);
    if (!told) return told.error();
    const auto found = growth(progress);
    if (!found) return found.error();
    return lasting_modules_.get([&]() -> Result<std::vector<LastingModule>> {
        if (!(*found)->edges.empty()) return std::vector<LastingModule>();
        return find_lasting_modules(timeline(), **told, progress);
    });
}

Result<std::shared_ptr<const Kinds>> DeviceAnalyses::kinds(const Progress* progress) {
    const auto stacks = stacks_->phases(progress);
    if (!stacks) return stacks.error();
    const auto phases = event_phases(**stacks, progress);
    if (!phases) return phases.error();
    const auto told = modules(progress);
    if (!told) return told.error();
    const auto found = steps(progress);
    if (!found) return found.error();
    return kinds_.get(
        [&] { return find_kinds(timeline(), **stacks, **phases, **told, **found, options_.kind_rules, progress); });
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
