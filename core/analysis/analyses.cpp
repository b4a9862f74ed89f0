#include "core/analysis/analyses.h"

namespace snapviewer {

DeviceAnalyses::DeviceAnalyses(std::shared_ptr<const Timeline> timeline, std::size_t device_index,
                               std::int64_t first_event_id, std::int64_t first_allocation_id, const AnalysisOptions& options)
    : timeline_(std::move(timeline)),
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

Result<std::shared_ptr<const OomReport>> DeviceAnalyses::oom(const Progress* progress) {
    const auto space = address_space(progress);
    if (!space) return space.error();
    return oom_.get([&] { return oom_report(timeline(), **space, options_.device_total_bytes, progress); });
}

Analyses::Analyses(const Snapshot& snapshot, const std::vector<std::shared_ptr<const Timeline>>& timelines,
                   const AnalysisOptions& options) {
    std::int64_t events = 0;
    std::int64_t allocations = 0;
    for (std::size_t i = 0; i < timelines.size(); ++i) {
        devices_.push_back(std::make_unique<DeviceAnalyses>(timelines[i], i, events, allocations, options));
        events += static_cast<std::int64_t>(snapshot.devices[i].events.size());
        allocations += static_cast<std::int64_t>(snapshot.devices[i].allocations.size());
    }
}

}  // namespace snapviewer
