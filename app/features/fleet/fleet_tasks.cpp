#include "app/features/fleet/fleet_tasks.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <utility>

#include "core/analysis/findings/analyses.h"
#include "core/base/addresses.h"
#include "core/document/document.h"
#include "core/fleet/fleet.h"
#include "core/fleet/fleet_reader.h"
#include "core/system/memory.h"

namespace snapviewer {

FileStamps stamps_of(const fleet::FleetFile& file) {
    if (!file.remote) return read_stamps({file.path});
    const std::filesystem::file_time_type modified{std::chrono::seconds(file.remote->modified_s)};
    FileStamps stamps(k_stamps_per_path);
    stamps.front() = {true, static_cast<std::uintmax_t>(file.file_bytes), modified};
    return stamps;
}

std::optional<FleetStamps> read_fleet_stamps(const std::vector<std::string>& paths) {
    Progress progress;
    FleetStamps stamps;
    const auto files = fleet::find_fleet_files(paths, "", progress);
    if (!files) return stamps;
    for (const fleet::FleetFile& file : *files) {
        if (fleet::is_unlisted_folder(file)) return std::nullopt;
        stamps.emplace(file.path, stamps_of(file));
    }
    return stamps;
}

std::uint64_t awaited_memory_bytes(std::uint64_t estimated_bytes, std::uint64_t available_bytes) {
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return std::max(estimated_bytes, available_bytes + std::min(available_bytes / 4, most - available_bytes));
}

void mark_awaited(FleetStamps& stamps, const std::map<std::string, std::uint64_t>& awaited, std::uint64_t available_bytes) {
    for (const auto& [path, bytes] : awaited) {
        if (available_bytes > bytes) stamps.erase(path);
    }
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t k_points_a_rank = 4096;
constexpr auto k_between_showing = std::chrono::milliseconds(300);
/// Minimum pause between two updates of the window, as a multiple of the duration of an update. Limits the cost of updates
/// for large fleets.
constexpr int k_pause_factor = 10;

using Totals = Result<std::shared_ptr<const compare::ReducedTotals>>;

Totals totals_of_rank(const RankPlace& rank, const std::string& file, Progress& progress) {
    const auto document = open_document(file, {.mesh = false, .database = false}, progress);
    if (!document) return document.error();
    const auto device = device_of_rank(*(*document)->snapshot, rank);
    if (!device) return Error{ErrorCode::bad_file, "no longer contains this rank", {}, {}};
    findings::DeviceAnalyses& analyses = (*document)->analyses->device(*device);
    const auto steps = analyses.steps();
    return std::make_shared<const compare::ReducedTotals>(
        compare::reduce_totals(analyses.timeline(), *steps, k_points_a_rank));
}

/// The training steps of a rank, reconstructed from the moments that a fleet database contains.
steps::Steps steps_of_kept(const std::vector<fleet::HighestTotal>& totals) {
    steps::Steps steps;
    steps.method =
        steps::StepMethod::profiler;  // steps are matched by their numbers, no matter whether a profiler counted them
    for (std::size_t begin = 0, end = 0; begin < totals.size(); begin = end) {
        while (end < totals.size() && totals[end].training_step == totals[begin].training_step) ++end;
        if (!totals[begin].training_step) continue;
        steps::TrainingStep& step = steps.steps.emplace_back();
        step.name = std::to_string(*totals[begin].training_step);
        step.begin_step = totals[begin].step;
        step.end_step = end < totals.size() ? totals[end].step : totals.back().step + 1;
    }
    steps.complete = steps.steps.size();
    return steps;
}

/// Reads the totals of a rank from a fleet database, in the same form as if its file had been read.
Totals kept_totals_of_rank(const RankPlace& rank, const std::vector<std::string>& databases, Progress& progress) {
    for (const std::string& path : databases) {
        auto kept = fleet::read_kept_totals(path, rank.file, rank.rank, rank.device, progress);
        if (!kept) return kept.error();
        if (kept->empty()) continue;
        std::ranges::stable_sort(*kept, {}, &fleet::HighestTotal::step);
        compare::ReducedTotals reduced{{}, kept->back().step + 1, steps_of_kept(*kept)};
        for (const fleet::HighestTotal& total : *kept)
            reduced.points.push_back({total.step, total.allocated_bytes, total.time_us.value_or(k_no_time)});
        return std::make_shared<const compare::ReducedTotals>(std::move(reduced));
    }
    return Error{ErrorCode::bad_file,
                 "has no curve, because its file no longer exists and the fleet was written without --totals, which saves "
                 "the curves"};
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

std::map<std::string, std::uint64_t> FleetReading::awaited() const {
    std::map<std::string, std::uint64_t> awaited;
    for (const auto& [path, known] : known_) {
        if (known.awaited_bytes) awaited.emplace(path, *known.awaited_bytes);
    }
    return awaited;
}

/// Drops files that disappeared, changed, now count as another rank or run, or can be retried because memory became free. If
/// a fleet database changed, drops everything, because one database describes many files.
void FleetReading::forget_changed(const FoundFiles& found) {
    std::map<std::string, const KnownFile*> there;
    for (const auto& [file, now] : found) there[file.path] = &now;
    const std::uint64_t available_bytes = available_memory_bytes();
    const auto is_changed = [&](const auto& known) {
        const auto now = there.find(known.first);
        // A remote file that no listing contains has no modification time to compare.
        if (is_remote(known.first) && !known.second.is_listed) return true;
        if (known.second.awaited_bytes && available_bytes > *known.second.awaited_bytes) return true;
        return now == there.end() || now->second->stamps != known.second.stamps || now->second->rank != known.second.rank ||
               now->second->run != known.second.run;
    };
    if (std::ranges::none_of(known_, is_changed)) return;
    if (std::ranges::any_of(found, [](const auto& each) { return each.first.is_fleet_database; })) {
        fleet_ = fleet::Fleet();
        known_.clear();
    }
    std::erase_if(known_, [&](const auto& known) {
        if (!is_changed(known)) return false;
        fleet_.remove(known.first);
        return true;
    });
}

Status FleetReading::read_fresh(const FoundFiles& found, Progress& progress) {
    std::vector<fleet::FleetFile> fresh;
    std::vector<const KnownFile*> of_fresh;
    for (const auto& [file, now] : found) {
        if (known_.contains(file.path)) continue;
        fresh.push_back(file);
        of_fresh.push_back(&now);
    }
    read_ = found.size() - fresh.size();
    auto shown_at = Clock::now();
    Clock::duration pause = k_between_showing;
    return fleet::read_fleet(fresh, {}, progress, [&](std::size_t file, fleet::FileSummary summary) {
        fleet_.add(summary);
        KnownFile& known = known_[fresh[file].path] = *of_fresh[file];
        if (summary.lacked_connection) known.stamps.clear();
        if (summary.lacked_memory)
            known.awaited_bytes = awaited_memory_bytes(
                fleet::estimate_memory_bytes(fresh[file].path, fresh[file].file_bytes), available_memory_bytes());
        ++read_;
        const auto before = Clock::now();
        if (before - shown_at < pause) return Status();
        show();
        shown_at = Clock::now();
        pause = std::max<Clock::duration>(k_between_showing, k_pause_factor * (shown_at - before));
        return Status();
    });
}

Status FleetReading::read(Progress& progress) {
    auto files = fleet::find_fleet_files(paths_, "", progress);
    if (!files) return files.error();
    // A remote machine that does not answer must not remove the ranks that were already read from it.
    const auto unlisted = std::ranges::find_if(*files, fleet::is_unlisted_folder);
    if (unlisted != files->end() && !known_.empty()) return Error{ErrorCode::io, unlisted->path + ": " + unlisted->error};
    FoundFiles found;
    for (fleet::FleetFile& file : *files) {
        KnownFile now{stamps_of(file), *file.name.rank, file.run, std::nullopt, file.remote.has_value()};
        found.emplace_back(std::move(file), std::move(now));
    }
    forget_changed(found);
    files_ = found.size();
    const Status status = read_fresh(found, progress);
    show();
    return status && found.empty() ? Status(Error{ErrorCode::bad_file, fleet::k_no_fleet_files, {}, {}}) : status;
}

Totals read_totals(const RankPlace& rank, const std::string& file, const std::vector<std::string>& databases,
                   Progress& progress) {
    std::error_code ignored;
    const bool is_kept_alone = !databases.empty() && !std::filesystem::exists(file, ignored);
    return is_kept_alone ? kept_totals_of_rank(rank, databases, progress) : totals_of_rank(rank, file, progress);
}

}  // namespace snapviewer
