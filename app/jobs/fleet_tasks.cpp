#include "app/jobs/fleet_tasks.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/jobs/within_memory.h"
#include "core/analysis/analyses.h"
#include "core/document/document.h"
#include "core/fleet/fleet_files.h"
#include "core/fleet/read_fleet.h"

namespace snapviewer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t k_points_a_rank = 4096;
constexpr auto k_between_showing = std::chrono::milliseconds(300);
/// Of a large fleet, showing what is there takes at most so much of the time.
constexpr int k_least_share = 10;

Result<std::shared_ptr<const ReducedTotals>> totals_of_rank(const RankPlace& rank, const std::string& file,
                                                            Progress& progress) {
    const auto document = open_document(file, {.mesh = false, .database = false}, progress);
    if (!document) return document.error();
    const auto device = device_of_rank(*(*document)->snapshot, rank);
    if (!device) return Error{ErrorCode::bad_file, "does not tell of this rank any more", {}, {}};
    DeviceAnalyses& analyses = (*document)->analyses->device(*device);
    const auto steps = analyses.steps(&progress);
    if (!steps) return steps.error();
    return std::make_shared<const ReducedTotals>(reduce_totals(analyses.timeline(), **steps, k_points_a_rank));
}

}  // namespace

void FleetReading::show() {
    auto now = std::make_shared<const ShownFleet>(show_fleet(fleet_));
    const std::lock_guard lock(mutex_);
    shown_ = std::move(now);
}

std::shared_ptr<const ShownFleet> FleetReading::shown() const {
    const std::lock_guard lock(mutex_);
    return shown_;
}

FleetStamps FleetReading::stamps() const {
    FleetStamps stamps;
    for (const auto& [path, known] : known_) stamps.emplace(path, known.stamps);
    return stamps;
}

/// What is gone, was written anew or counts as another rank by now. A database of a fleet told of many files, so then all is
/// read anew.
void FleetReading::forget_changed(const FoundFiles& found) {
    std::map<std::string, const KnownFile*> there;
    for (const auto& [file, now] : found) there[file.path] = &now;
    const auto is_changed = [&](const auto& known) {
        const auto now = there.find(known.first);
        return now == there.end() || now->second->stamps != known.second.stamps || now->second->rank != known.second.rank;
    };
    if (std::ranges::none_of(known_, is_changed)) return;
    if (std::ranges::any_of(found, [](const auto& each) { return each.first.is_fleet_database; })) {
        fleet_ = Fleet();
        known_.clear();
    }
    std::erase_if(known_, [&](const auto& known) {
        if (!is_changed(known)) return false;
        fleet_.remove(known.first);
        return true;
    });
}

Status FleetReading::read_fresh(const FoundFiles& found, Progress& progress) {
    std::vector<FleetFile> fresh;
    std::vector<const KnownFile*> of_fresh;
    for (const auto& [file, now] : found) {
        if (known_.contains(file.path)) continue;
        fresh.push_back(file);
        of_fresh.push_back(&now);
    }
    read_ = found.size() - fresh.size();
    std::size_t taken = 0;
    auto shown_at = Clock::now();
    Clock::duration pause = k_between_showing;
    return read_fleet(fresh, {}, progress, [&](FileSummary summary) {
        fleet_.add(summary);
        known_[fresh[taken].path] = *of_fresh[taken];
        ++taken;
        ++read_;
        const auto before = Clock::now();
        if (before - shown_at < pause) return Status();
        show();
        shown_at = Clock::now();
        pause = std::max<Clock::duration>(k_between_showing, k_least_share * (shown_at - before));
        return Status();
    });
}

Status FleetReading::read(Progress& progress) {
    auto files = find_fleet_files(paths_, "", progress);
    if (!files) return files.error();
    FoundFiles found;
    for (FleetFile& file : *files) {
        KnownFile now{read_stamps({file.path}), *file.name.rank};
        found.emplace_back(std::move(file), std::move(now));
    }
    forget_changed(found);
    files_ = found.size();
    const Status status = read_fresh(found, progress);
    show();
    return status && found.empty() ? Status(Error{ErrorCode::bad_file, k_no_fleet_files, {}, {}}) : status;
}

Job<Status>::Work reading_fleet(std::shared_ptr<FleetReading> reading) {
    return [reading = std::move(reading)](Progress& progress) {
        return within_memory<Status>([&] { return reading->read(progress); });
    };
}

Job<RankTotals>::Work reading_totals(RankPlace rank, std::string file) {
    return [rank = std::move(rank), file = std::move(file)](Progress& progress) {
        return RankTotals{rank, within_memory<Result<std::shared_ptr<const ReducedTotals>>>(
                                    [&] { return totals_of_rank(rank, file, progress); })};
    };
}

std::optional<std::size_t> device_of_rank(const Snapshot& snapshot, const RankPlace& place) {
    const std::string rank = std::to_string(place.rank);
    const auto& devices = snapshot.devices;
    const auto is_of_device = [&](const DeviceTrace& trace) { return !place.device || trace.device == *place.device; };
    auto found =
        std::ranges::find_if(devices, [&](const DeviceTrace& trace) { return is_of_device(trace) && trace.rank == rank; });
    if (found == devices.end()) found = std::ranges::find_if(devices, is_of_device);
    return found == devices.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - devices.begin()));
}

}  // namespace snapviewer
