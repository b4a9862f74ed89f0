#include "core/series/series_files.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/base/context.h"
#include "core/base/text.h"
#include "core/fleet/fleet_files.h"
#include "core/fleet/rank_name.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

constexpr int k_deepest_folder = 64;

enum class Walk : std::uint8_t { goes_on, ends };

/// Calls `take` for each file below the folder, except hidden ones, until `take` returns Walk::ends. Returns the system
/// error that ended the search early, if any.
template <typename Take>
std::error_code walk_folder(const fs::path& folder, Take take) {
    std::error_code failed;
    auto entry = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, failed);
    for (; !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
        check_stop();
        const bool is_hidden = entry->path().filename().string().starts_with('.');
        std::error_code ignored;
        if (is_hidden || entry.depth() >= k_deepest_folder) entry.disable_recursion_pending();
        if (!is_hidden && !entry->is_directory(ignored) && take(entry->path()) == Walk::ends) break;
    }
    return failed;
}

bool is_series_sample(const fs::path& path) {
    return has_snapshot_ending(path.filename().string()) && sample_in_path(path).why == "series";
}

/// Size and modification time of a file; zeros if it does not exist.
std::pair<std::uint64_t, std::int64_t> seen_of(const fs::path& path) {
    std::error_code failed;
    const std::uintmax_t bytes = fs::file_size(path, failed);
    if (failed) return {};
    const fs::file_time_type written = fs::last_write_time(path, failed);
    return {bytes, failed ? 0 : static_cast<std::int64_t>(written.time_since_epoch().count())};
}

/// Searches folders and collects the files of the series.
class SeriesFileFinder {
public:
    void add(const std::string& given) {
        std::error_code ignored;
        if (fs::is_directory(given, ignored)) {
            add_folder(given);
        } else {
            add_file(given);
        }
    }

    std::vector<SeriesFile> take() {
        std::ranges::stable_sort(files_,
                                 [](const SeriesFile& a, const SeriesFile& b) { return compare_names(a.path, b.path) < 0; });
        return std::move(files_);
    }

private:
    void add_folder(const fs::path& folder) {
        const std::error_code failed = walk_folder(folder, [this](const fs::path& path) {
            const std::string name = path.filename().string();
            if (tells_a_failure(path) || (has_snapshot_ending(name) && !name.ends_with(k_about_ending))) add_file(path);
            return Walk::goes_on;
        });
        if (failed) files_.push_back({.path = folder.string(), .stamp = {}, .name = {}, .error = failed.message()});
    }

    void add_file(const fs::path& path) {
        if (!seen_.insert(path.lexically_normal().string()).second) return;
        SeriesFile& file = files_.emplace_back();
        file.path = path.string();
        file.is_failure = tells_a_failure(path);
        file.name = sample_in_path(path);
        std::tie(file.stamp.file_bytes, file.stamp.written) = seen_of(path);
        if (!file.is_failure) std::tie(file.stamp.about_bytes, file.stamp.about_written) = seen_of(about_path_of(path));
    }

    std::set<std::string> seen_;
    std::vector<SeriesFile> files_;
};

}  // namespace

bool holds_series(const std::string& folder) {
    bool is_found = false;
    const Status searched = caught([&] {
        walk_folder(folder, [&](const fs::path& path) {
            is_found = is_series_sample(path);
            return is_found ? Walk::ends : Walk::goes_on;
        });
    });
    return searched && is_found;
}

Result<std::vector<SeriesFile>> find_series_files(std::span<const std::string> paths, Progress& progress) {
    return caught(&progress, [&] {
        SeriesFileFinder finder;
        for (const std::string& path : paths) {
            check_stop();
            finder.add(path);
        }
        return finder.take();
    });
}

}  // namespace snapviewer
