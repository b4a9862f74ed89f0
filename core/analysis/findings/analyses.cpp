#include "core/analysis/findings/analyses.h"

#include <chrono>

#include "core/timeline/recording_facts.h"

namespace snapviewer::findings {
namespace {

/// Maximum time for replays that only improve a hint.
constexpr std::chrono::seconds k_max_replay_time{1};

}  // namespace

DeviceAnalyses::DeviceAnalyses(std::shared_ptr<const Timeline> timeline, std::shared_ptr<StackAnalyses> stacks,
                               std::size_t device_index, std::int64_t first_event_id, std::int64_t first_allocation_id,
                               const AnalysisOptions& options)
    : timeline_(std::move(timeline)),
      stacks_(std::move(stacks)),
      device_index_(device_index),
      first_event_id_(first_event_id),
      first_allocation_id_(first_allocation_id),
      options_(options) {}

std::optional<std::uint32_t> DeviceAnalyses::peak_moment() const {
    if (is_peak_behind_cut(timeline())) return std::nullopt;
    return timeline().tick_events()[timeline().peak_tick()];
}

SharedResult<std::vector<oom::CardUse>> DeviceAnalyses::card_uses() {
    return card_uses_.get(
        [&] { return snapviewer::oom::card_uses(*address_space(), options_.card_figures, options_.device_total_bytes); });
}

SharedResult<std::vector<space::PoolUse>> DeviceAnalyses::pool_uses() {
    return pool_uses_.get([&] {
        return snapviewer::space::pool_uses(*address_space(), *stack_lines(),
                                            timeline().tick_events()[timeline().peak_tick()]);
    });
}

SharedResult<oom::OomReport> DeviceAnalyses::oom() {
    return oom_.get([&] {
        auto report = oom::oom_report(timeline(), *stack_lines(), *address_space(), options_.device_total_bytes,
                                      options_.card_figures);
        for (oom::OomVerdict& verdict : report.verdicts) {
            if (verdict.is_helped_by_joining())
                verdict.hint =
                    oom::expandable_hint(*expandable_gain(), verdict.event, verdict.reserved + verdict.driver_bytes);
        }
        return report;
    });
}

SharedResult<oom::ExpandableGain> DeviceAnalyses::expandable_gain() {
    return expandable_gain_.get([&] {
        const auto end = std::chrono::steady_clock::now() + k_max_replay_time;
        const auto is_over = [end] { return std::chrono::steady_clock::now() >= end; };
        if (options_.find_expandable_gain == nullptr) return oom::ExpandableGain{trace().events.size() > 0, std::nullopt};
        return options_.find_expandable_gain(snapshot(), trace(), is_over);
    });
}

SharedResult<std::vector<growth::LastingModule>> DeviceAnalyses::lasting_modules() {
    return lasting_modules_.get([&] {
        return growth()->edges.empty() ? growth::find_lasting_modules(timeline(), *modules())
                                       : std::vector<growth::LastingModule>();
    });
}

SharedResult<kinds::Kinds> DeviceAnalyses::kinds() {
    return kinds_.get([&] {
        return kinds::find_kinds(timeline(), *stacks_->phases(), *event_phases(), *modules(), *steps(), options_.kind_rules);
    });
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

}  // namespace snapviewer::findings
