#include "core/fleet/fleet_reader.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/addresses.h"
#include "core/base/text.h"
#include "core/fleet/read_in_order.h"
#include "core/load/formats.h"
#include "core/load/remote/folder.h"
#include "core/system/files.h"

namespace snapviewer::fleet {
namespace {

constexpr std::size_t k_summary_batch_files = 16;
constexpr const char* k_connection_lost = "cannot be fetched: the connection broke off; F5 or the command again goes on";

std::vector<FileSummary> unreadable_files(std::span<const FleetFile> files, const std::string& why) {
    std::vector<FileSummary> summaries;
    for (const FleetFile& file : files) summaries.push_back(unreadable_file(file, why));
    return summaries;
}

/// Summaries of files that could not be fetched because the connection was lost. They are marked for a retry.
std::vector<FileSummary> without_connection(std::span<const FleetFile> files) {
    std::vector<FileSummary> summaries = unreadable_files(files, k_connection_lost);
    for (FileSummary& summary : summaries) summary.lacked_connection = true;
    return summaries;
}

/// Splits a summary of several files that the other machine computed into one summary for each file. The rows then have the
/// names that this machine uses for the files.
std::vector<FileSummary> split_by_file(FileSummary all, std::span<const FleetFile> files) {
    std::vector<FileSummary> summaries(files.size());
    summaries.front().stacks = std::move(all.stacks);
    for (RankSummary& rank : all.ranks) {
        const auto is_of = [&](const FleetFile& file) { return rank.row.file == "./" + file.remote->name; };
        const auto file = std::ranges::find_if(files, is_of);
        if (file == files.end()) continue;
        rank.row.file = file->path;
        rank.row.file_bytes = file->file_bytes;
        rank.row.run = file->run;
        if (rank.row.rank_from != RankSource::metadata) {
            rank.row.rank = *file->name.rank;
            rank.row.rank_from = file->name.source;
        }
        summaries[static_cast<std::size_t>(file - files.begin())].ranks.push_back(std::move(rank));
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (summaries[i].ranks.empty())
            summaries[i].ranks = unreadable_file(files[i], "is not among what the snapviewer of that machine found").ranks;
    }
    return summaries;
}

/// Summarises files with the snapviewer of the other machine, which sends only the summaries.
std::vector<FileSummary> summarised_there(remote::RemoteFolder& folder, std::span<const FleetFile> files,
                                          const SummaryOptions& options, Progress& progress) {
    FleetFile database = files.front();
    database.path = database.remote->folder;
    database.is_fleet_database = true;
    std::vector<std::string> names;
    for (const FleetFile& file : files) names.push_back(file.remote->name);
    folder.queue_summary(database.path, std::move(names));
    FileSummary all = summarise_file(database, options, progress);
    const bool has_failed = all.ranks.size() == 1 && all.ranks.front().row.file == database.path;
    return has_failed ? unreadable_files(files, all.ranks.front().row.error) : split_by_file(std::move(all), files);
}

/// Number of files from one folder on another machine to request at once. If that machine has snapviewer, it summarises 16
/// files in parallel and sends only the summaries; else each file is transferred whole, one at a time.
std::size_t files_at_once(const std::string& folder) {
    const std::shared_ptr<remote::RemoteFolder> there = remote::remote_folder(folder);
    return there != nullptr && there->has_snapviewer() ? k_summary_batch_files : 1;
}

/// Summarises files of one folder on another machine. Returns one summary per file; the summary of a file that was not
/// received contains the error. Throws only stopped().
std::vector<FileSummary> summarise_remote(std::span<const FleetFile> files, const SummaryOptions& options,
                                          Progress& progress) {
    if (!files.front().error.empty()) return {unreadable_file(files.front(), files.front().error)};
    const std::shared_ptr<remote::RemoteFolder> folder = remote::remote_folder(files.front().remote->folder);
    if (folder == nullptr || !folder->is_connected()) return without_connection(files);
    std::vector<FileSummary> summaries;
    if (folder->has_snapviewer()) {
        summaries = summarised_there(*folder, files, options, progress);
    } else {
        folder->queue_file(files.front().path, files.front().remote->name);
        summaries.push_back(summarise_file(files.front(), options, progress));
    }
    // After a lost connection, the error of the file is a consequence and says less than the connection's own message.
    return folder->is_connected() ? std::move(summaries) : without_connection(files);
}

namespace fs = std::filesystem;

constexpr int k_max_depth = 64;

/// Ending of the snapshots that MosaicML Composer writes.
constexpr std::string_view k_composer_suffix = ".memory_snapshot";

/// The last component of a path. The path is made absolute first, because `.` and `runs/` have no last component.
std::string folder_name(const fs::path& path) {
    std::error_code failed;
    const fs::path whole = fs::absolute(path, failed).lexically_normal();
    return (whole.has_filename() ? whole.filename() : whole.parent_path().filename()).string();
}

/// Searches folders for the files of a fleet.
class FileFinder {
public:
    FileFinder(const std::string& left_out, Progress& progress) : left_out_(left_out), progress_(progress) {}

    void add(const std::string& given) {
        const fs::path path = given;
        std::error_code ignored;
        if (is_remote_folder(given)) {
            run_ = folder_name(path);
            add_remote_folder(given);
        } else if (fs::is_directory(path, ignored) && !is_snapshot_folder(path)) {
            run_ = folder_name(path);
            add_folder(path, 0);
        } else {
            run_ = folder_name(path.has_parent_path() ? path.parent_path() : fs::path("."));
            add_file(path, true);
        }
    }

    std::vector<FleetFile> take() {
        std::ranges::stable_sort(files_,
                                 [](const FleetFile& a, const FleetFile& b) { return compare_names(a.path, b.path) < 0; });
        find_steps();
        number_by_order();
        return std::move(files_);
    }

private:
    /// True for a folder that is one snapshot in two files (allocations.json and elements.db), a format of the tool
    /// SnapViewer.
    static bool is_snapshot_folder(const fs::path& path) {
        std::error_code ignored;
        return fs::exists(path / "allocations.json", ignored) && fs::exists(path / "elements.db", ignored);
    }

    void add_folder(const fs::path& folder, int depth) {
        std::error_code failed;
        for (fs::directory_iterator entry(folder, failed); !failed && entry != fs::directory_iterator();
             entry.increment(failed)) {
            check_stop();
            const fs::path path = entry->path();
            const std::string name = path.filename().string();
            if (name.starts_with('.')) continue;
            std::error_code ignored;
            if (entry->is_directory(ignored) && !is_snapshot_folder(path)) {
                if (!entry->is_symlink(ignored) && depth < k_max_depth) add_folder(path, depth + 1);
            } else if (entry->is_directory(ignored) || (has_snapshot_ending(name) && !is_not_of_rank(path))) {
                add_file(path, false);
            }
        }
        if (!failed) return;
        if (FleetFile* unread = add_file(folder, true)) unread->error = failed.message();
    }

    /// Returns nullptr if the file does not belong to the fleet.
    FleetFile* add_file(const fs::path& path, bool is_named) {
        std::error_code ignored;
        if (!seen_.insert(path.lexically_normal().string()).second) return nullptr;
        if (!is_named && !left_out_.empty() && are_same_file(path, left_out_)) return nullptr;
        const bool is_written = is_fleet_database(path.string());
        if (is_written && !is_named) return nullptr;
        FleetFile& file = add_named(path);
        file.is_fleet_database = is_written;
        const std::uintmax_t bytes = fs::file_size(path, ignored);
        if (!ignored) file.file_bytes = bytes;
        return &file;
    }

    /// Adds a file with the properties that its name states.
    FleetFile& add_named(const fs::path& path) {
        FleetFile& file = files_.emplace_back();
        file.path = path.string();
        file.run = moment_in_path(path);
        if (file.run.empty()) file.run = run_;
        file.run = valid_utf8(file.run);
        file.name = rank_in_path(path);
        return file;
    }

    void add_remote_folder(const std::string& folder) {
        const std::shared_ptr<remote::RemoteFolder> there = remote::remote_folder(folder);
        const Result<std::vector<remote::RemoteEntry>> entries =
            there != nullptr ? there->list(progress_) : Error{ErrorCode::io, "is not connected to"};
        if (!entries) {
            add_named(folder).error = entries.error().text();
            files_.back().remote = RemotePlace{folder, "", 0};
            return;
        }
        std::set<std::string> names;
        for (const remote::RemoteEntry& entry : *entries) names.insert(entry.name);
        const RemoteAddress address = *remote_address(folder);
        for (const remote::RemoteEntry& entry : *entries) {
            const fs::path name = entry.name;
            if (!has_snapshot_ending(name.filename().string()) || is_not_of_rank(name)) continue;
            FleetFile& file = add_named(path_on_same_machine(address, address.path + entry.name));
            file.file_bytes = entry.size_bytes;
            file.remote = RemotePlace{folder, entry.name, entry.modified_s};
            if (names.contains((name.parent_path() / "allocations.json").string()) &&
                names.contains((name.parent_path() / "elements.db").string()))
                file.error = "is one of the two files of a snapshot, which can only be opened together";
        }
    }

    /// Treats files with similar names in one folder as dumps of one process at several steps, if their numbers are too far
    /// apart for ranks.
    void find_steps() {
        std::map<std::string, std::vector<FleetFile*>> kinds;
        for (FleetFile& file : files_) {
            if (file.name.before_number && !file.is_fleet_database)
                kinds[(fs::path(file.path).parent_path() / *file.name.before_number).string()].push_back(&file);
        }
        for (const auto& [kind, files] : kinds) {
            std::vector<std::uint32_t> numbers;
            for (const FleetFile* file : files) numbers.push_back(*file->name.rank);
            if (!are_steps(numbers)) continue;
            for (FleetFile* file : files) {
                file->name.step = std::exchange(file->name.rank, std::nullopt);
                file->run = "step " + std::to_string(*file->name.step);
            }
        }
    }

    /// Assigns the unused numbers, in the order of names, to the files whose names have no number.
    void number_by_order() {
        std::set<std::uint32_t> taken;
        for (const FleetFile& file : files_) {
            if (file.name.rank) taken.insert(*file.name.rank);
        }
        std::uint32_t next = 0;
        for (FleetFile& file : files_) {
            if (file.name.rank) continue;
            file.name.source = RankSource::order;
            while (taken.contains(next)) ++next;
            // A file whose name states a step is a dump of the same process as the others of its folder, so it gets rank 0.
            file.name.rank = file.name.step ? 0 : next++;
        }
    }

    const std::string& left_out_;
    Progress& progress_;
    std::string run_;
    std::set<std::string> seen_;
    std::vector<FleetFile> files_;
};

}  // namespace

bool has_snapshot_ending(const std::string& name) {
    if (name.ends_with(k_composer_suffix)) return true;
    for (const load::Format& format : load::formats()) {
        std::string_view rest = format.endings;
        while (!rest.empty()) {
            const std::string_view ending = rest.substr(0, rest.find(' '));
            if (!ending.empty() && name.size() > ending.size() && name.ends_with(ending)) return true;
            rest.remove_prefix(std::min(rest.size(), ending.size() + 1));
        }
    }
    return false;
}

Result<std::vector<FleetFile>> find_fleet_files(std::span<const std::string> paths, const std::string& left_out,
                                                Progress& progress) {
    return caught(&progress, [&] {
        FileFinder finder(left_out, progress);
        for (const std::string& path : paths) {
            finder.add(path);
            check_stop();
        }
        return finder.take();
    });
}

namespace {

/// Estimated memory per byte of a file. Real uncompressed files take about one byte; compressed files hold up to 35 times
/// their size.
constexpr std::uint64_t k_memory_per_file_byte = 3;
constexpr std::uint64_t k_memory_per_packed_byte = 60;

/// Receives the summary of a file; throws to end the reading.
using TakeOrThrow = std::function<void(std::size_t file, FileSummary summary)>;

void read_local(std::span<const FleetFile> files, const SummaryOptions& options, const TakeOrThrow& take) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (!files[i].remote) places.push_back(i);
    }
    InOrderReader<FileSummary> reader(
        {.count = places.size(),
         .estimated_bytes =
             [&](std::size_t i) { return estimate_memory_bytes(files[places[i]].path, files[places[i]].file_bytes); },
         .read = [&](std::size_t i, Progress& own) { return summarise_file(files[places[i]], options, own); }},
        reading_threads());
    reader.retry_alone_if([](const FileSummary& summary) { return summary.lacked_memory; });
    reader.run([&](std::size_t i, FileSummary summary) { take(places[i], std::move(summary)); });
}

/// Reads the files of other machines one request after another, because a connection transfers one at a time. At most one
/// file occupies local storage.
void read_remote(std::span<const FleetFile> files, const SummaryOptions& options, const TakeOrThrow& take) {
    std::vector<std::vector<std::size_t>> batches;  ///< indices into `files`
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (!files[i].remote) continue;
        const FleetFile* before = batches.empty() ? nullptr : &files[batches.back().back()];
        const bool go_together = before != nullptr && before->error.empty() && files[i].error.empty() &&
                                 before->remote->folder == files[i].remote->folder &&
                                 batches.back().size() < files_at_once(files[i].remote->folder);
        if (!go_together) batches.emplace_back();
        batches.back().push_back(i);
    }
    using Summaries = std::vector<FileSummary>;
    InOrderReader<Summaries> reader({.count = batches.size(),
                                     .estimated_bytes = [](std::size_t) { return 0; },
                                     .read =
                                         [&](std::size_t batch, Progress& own) {
                                             std::vector<FleetFile> together;
                                             for (const std::size_t place : batches[batch]) together.push_back(files[place]);
                                             return summarise_remote(together, options, own);
                                         }},
                                    1);
    reader.run([&](std::size_t batch, Summaries summaries) {
        check_stop();  // A stop also breaks the connection, so the summaries may contain only that error.
        for (std::size_t i = 0; i < summaries.size(); ++i) take(batches[batch][i], std::move(summaries[i]));
    });
}

}  // namespace

bool is_packed(const std::filesystem::path& path) {
    const std::string ending = path.extension().string();
    return ending == ".gz" || ending == ".xz" || ending == ".bz2" || ending == ".lzma" || ending == ".zst" ||
           ending == ".zip";
}

std::uint64_t estimate_memory_bytes(const std::filesystem::path& path, std::uint64_t file_bytes) {
    return file_bytes * (is_packed(path) ? k_memory_per_packed_byte : k_memory_per_file_byte);
}

Status read_fleet(std::span<const FleetFile> files, const SummaryOptions& options, Progress& progress,
                  const TakeSummary& take) {
    std::size_t taken = 0;
    const auto take_counted = [&](std::size_t file, FileSummary summary) {
        throw_if_error(take(file, std::move(summary)));
        report_done(++taken, files.size());
    };
    return caught(&progress, [&] {
        report_stage(Stage::reading);
        read_local(files, options, take_counted);
        read_remote(files, options, take_counted);
    });
}

}  // namespace snapviewer::fleet
