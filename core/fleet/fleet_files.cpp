#include "core/fleet/fleet_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/context.h"
#include "core/base/remote_address.h"
#include "core/base/text.h"
#include "core/fleet/fleet_database.h"
#include "core/load/formats.h"
#include "core/load/remote_folder.h"
#include "core/system/files.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

constexpr int k_most_depth = 64;

/// Ending of the snapshots that MosaicML Composer writes.
constexpr std::string_view k_composers_ending = ".memory_snapshot";

/// The last component of a path, made absolute first so that it exists for `.` and `runs/` too.
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
                if (!entry->is_symlink(ignored) && depth < k_most_depth) add_folder(path, depth + 1);
            } else if (entry->is_directory(ignored) || (has_snapshot_ending(name) && !is_no_rank(path))) {
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
        const std::shared_ptr<RemoteFolder> there = remote_folder(folder);
        Result<std::vector<RemoteEntry>> entries = Error{ErrorCode::io, "is not connected to"};
        if (there != nullptr) entries = there->list(progress_);
        if (!entries) {
            add_named(folder).error = entries.error().text();
            files_.back().remote = RemotePlace{folder, "", 0};
            return;
        }
        std::set<std::string> names;
        for (const RemoteEntry& entry : *entries) names.insert(entry.name);
        const RemoteAddress address = *remote_address(folder);
        for (const RemoteEntry& entry : *entries) {
            const fs::path name = entry.name;
            const bool is_one_of_two = names.contains((name.parent_path() / "allocations.json").string()) &&
                                       names.contains((name.parent_path() / "elements.db").string());
            if (!has_snapshot_ending(name.filename().string()) || is_no_rank(name)) continue;
            FleetFile& file = add_named(path_beside(address, address.path + entry.name));
            file.file_bytes = entry.size_bytes;
            file.remote = RemotePlace{folder, entry.name, entry.modified_s};
            if (is_one_of_two) file.error = "is one of the two files of a snapshot, which can only be opened together";
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
            if (file.name.step) {
                file.name.rank = 0;  // The file is a dump of the same process at another step.
                continue;
            }
            while (taken.contains(next)) ++next;
            file.name.rank = next++;
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
    if (name.ends_with(k_composers_ending)) return true;
    for (const Format& format : formats()) {
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

}  // namespace snapviewer
