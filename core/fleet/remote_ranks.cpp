#include "core/fleet/remote_ranks.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/load/remote_folder.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_summarised_at_once = 16;
constexpr const char* k_broken_off = "cannot be fetched: the connection broke off; F5 or the command again goes on";

/// Summaries of files that could not be fetched because the connection was lost. They are marked for a retry.
std::vector<FileSummary> unreached(std::span<const FleetFile> files, const std::string& why) {
    std::vector<FileSummary> summaries;
    for (const FleetFile& file : files) {
        summaries.push_back(unreadable_file(file, why));
        summaries.back().lacked_connection = true;
    }
    return summaries;
}

/// Rewrites a row that the other machine computed as if the file had been read here.
void call_as_here(RankRow& row, const FleetFile& file) {
    row.file = file.path;
    row.file_bytes = file.file_bytes;
    row.run = file.run;
    if (row.rank_from != RankSource::metadata) {
        row.rank = *file.name.rank;
        row.rank_from = file.name.source;
    }
}

/// Splits a summary of several files into one summary for each file.
std::vector<FileSummary> apart(FileSummary all, std::span<const FleetFile> files) {
    std::vector<FileSummary> summaries(files.size());
    summaries.front().stacks = std::move(all.stacks);
    for (RankSummary& rank : all.ranks) {
        const auto is_of = [&](const FleetFile& file) { return rank.row.file == "./" + file.remote->name; };
        const auto file = std::ranges::find_if(files, is_of);
        if (file == files.end()) continue;
        call_as_here(rank.row, *file);
        summaries[static_cast<std::size_t>(file - files.begin())].ranks.push_back(std::move(rank));
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (!summaries[i].ranks.empty()) continue;
        FileSummary silent = unreadable_file(files[i], "is not among what the snapviewer of that machine found");
        summaries[i].ranks = std::move(silent.ranks);
    }
    return summaries;
}

std::vector<FileSummary> summarised_there(RemoteFolder& folder, std::span<const FleetFile> files,
                                          const SummaryOptions& options, Progress& progress) {
    FleetFile database = files.front();
    database.path = database.remote->folder;
    database.is_fleet_database = true;
    std::vector<std::string> names;
    for (const FleetFile& file : files) names.push_back(file.remote->name);
    folder.offer_summary(database.path, std::move(names));
    FileSummary all = summarise_file(database, options, progress);
    const bool has_failed = all.ranks.size() == 1 && all.ranks.front().row.file == database.path;
    if (!has_failed) return apart(std::move(all), files);
    std::vector<FileSummary> summaries;
    for (const FleetFile& file : files) summaries.push_back(unreadable_file(file, all.ranks.front().row.error));
    return summaries;
}

std::vector<FileSummary> summarised_here(RemoteFolder& folder, const FleetFile& file, const SummaryOptions& options,
                                         Progress& progress) {
    folder.offer_file(file.path, file.remote->name);
    std::vector<FileSummary> one;
    one.push_back(summarise_file(file, options, progress));
    return one;
}

}  // namespace

std::size_t files_at_once(const std::string& folder) {
    const std::shared_ptr<RemoteFolder> there = remote_folder(folder);
    return there != nullptr && there->has_snapviewer() ? k_summarised_at_once : 1;
}

std::vector<FileSummary> summarise_remote(std::span<const FleetFile> files, const SummaryOptions& options,
                                          Progress& progress) {
    if (!files.front().error.empty()) return {unreadable_file(files.front(), files.front().error)};
    const std::shared_ptr<RemoteFolder> folder = remote_folder(files.front().remote->folder);
    if (folder == nullptr || !folder->is_connected()) return unreached(files, k_broken_off);
    std::vector<FileSummary> summaries = folder->has_snapviewer()
                                             ? summarised_there(*folder, files, options, progress)
                                             : summarised_here(*folder, files.front(), options, progress);
    // After a lost connection, the error of the file is a consequence and says less than the connection's own message.
    return folder->is_connected() ? std::move(summaries) : unreached(files, k_broken_off);
}

}  // namespace snapviewer
