#include "app/serve/served_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "app/features/files/files_on_disk.h"
#include "core/document/document.h"
#include "core/fleet/series/series_reader.h"
#include "core/system/files.h"

namespace snapviewer::serve {
namespace {

namespace fs = std::filesystem;

constexpr const char* k_of_trace_folder[] = {"allocations.json", "elements.db"};

/// Returns the paths of the files that commands look for when they are given `path`, whether they exist or not.
std::vector<std::string> companions_of(const std::string& path) {
    std::vector<std::string> companions = {recorder_facts_path(path), series::about_path(path).string()};
    for (const std::string& database : {path, with_separator(path) + k_of_trace_folder[1]}) {
        for (const char* ending : {"-journal", "-wal"}) companions.push_back(database + ending);
    }
    for (const char* part : k_of_trace_folder) companions.push_back(with_separator(path) + part);
    return companions;
}

void describe(ServedPlace& place) {
    std::error_code failed;
    const fs::path path = place.path;
    if (place.kind == ServedPlace::Kind::file) place.size_bytes = fs::file_size(path, failed);
    for (const char* part : k_of_trace_folder) {
        if (place.kind == ServedPlace::Kind::trace_folder) place.size_bytes += fs::file_size(path / part, failed);
    }
    const fs::file_time_type modified = fs::last_write_time(path, failed);
    if (!failed) {
        const auto since_epoch = fs::file_time_type::clock::to_sys(modified).time_since_epoch();
        place.modified_s = std::chrono::duration_cast<std::chrono::seconds>(since_epoch).count();
    }
    if (!place.is_folder()) place.version = version_with_companions(place.path);
}

}  // namespace

std::string version_text(const std::string& path) {
    const auto version = version_of(path);
    if (!version) return "";
    return fmt::format("{:x}-{:x}-{:x}-{:x};", version->number, version->size_bytes, version->written_ns,
                       version->changed_ns);
}

std::string version_with_companions(const std::string& path) {
    std::string version = version_text(path);
    for (const std::string& companion : companions_of(path)) version += version_text(companion) + ',';
    return version;
}

Result<ServedFolder> ServedFolder::open(const std::string& path) {
    std::error_code failed;
    fs::path whole = fs::canonical(path, failed);
    if (failed) return Error{ErrorCode::io, "cannot be served: " + failed.message()};
    ServedFolder served;
    served.root_ = whole.string();
    if (files::path_kind(served.root_) == files::PathKind::folder) return served;
    served.root_ = whole.parent_path().string();
    served.only_file_ = whole.filename().string();
    if (!served.kind_of(whole.string(), served.only_file_)) {
        return Error{
            ErrorCode::unsupported,
            "cannot be served: it is neither a folder nor a file whose name ends as those of snapshots do (.pickle, "
            ".json, .db, ...)"};
    }
    return served;
}

bool ServedFolder::holds(const std::string& path) const {
    std::error_code failed;
    const std::string whole = fs::canonical(path, failed).string();
    if (failed || whole == root_) return !failed;
    const std::string shown = with_separator(root_) + only_file_;
    return whole == shown || whole.starts_with(with_separator(shown));
}

bool ServedFolder::may_show(const std::string& path) const {
    std::error_code failed;
    const std::string whole = fs::canonical(path, failed).string();
    if (failed || !holds(whole)) return false;
    const auto leads_out = [&](const std::string& companion) {
        std::error_code ignored;
        return fs::is_symlink(companion, ignored) && !holds(companion);
    };
    // Some commands look beside a link, others beside the file that it refers to.
    return std::ranges::none_of(companions_of(path), leads_out) && std::ranges::none_of(companions_of(whole), leads_out);
}

/// Returns nullopt if `path` is neither a folder nor a file that may be shown.
std::optional<ServedPlace::Kind> ServedFolder::kind_of(const std::string& path, const std::string& name) const {
    using Kind = ServedPlace::Kind;
    std::error_code failed;
    switch (files::path_kind(path)) {
        case files::PathKind::folder: return Kind::folder;
        case files::PathKind::trace_folder:
            return fs::exists(fs::path(path) / k_of_trace_folder[1], failed) ? Kind::trace_folder : Kind::folder;
        case files::PathKind::file:
            return files::has_snapshot_name(name) && fs::is_regular_file(path, failed) ? std::optional(Kind::file)
                                                                                       : std::nullopt;
        case files::PathKind::absent: return std::nullopt;
    }
    return std::nullopt;
}

std::optional<ServedPlace> ServedFolder::find(std::span<const std::string> names) const {
    if (!only_file_.empty() && !names.empty() && names.front() != only_file_) return std::nullopt;
    ServedPlace place;
    fs::path path = root_;
    while (place.is_folder() && place.used_names < names.size()) {
        const std::string& name = names[place.used_names++];
        path /= name;
        const auto kind = kind_of(path.string(), name);
        if (!kind) return std::nullopt;
        place.kind = *kind;
        place.name = name;
    }
    std::error_code failed;
    place.path = fs::canonical(path, failed).string();
    if (failed || !(place.is_folder() ? holds(place.path) : may_show(place.path))) return std::nullopt;
    describe(place);
    return place;
}

Result<std::vector<ServedPlace>> ServedFolder::list(const ServedPlace& folder, std::span<const std::string> names) const {
    const auto entries = files::list_folder(folder.path);
    if (!entries) return entries.error();
    std::vector<ServedPlace> places;
    std::vector<std::string> with_name(names.begin(), names.end());
    with_name.emplace_back();
    for (const files::FolderEntry& entry : *entries) {
        if (entry.name.starts_with('.')) continue;
        with_name.back() = entry.name;
        if (auto place = find(with_name)) places.push_back(*std::move(place));
    }
    return places;
}

}  // namespace snapviewer::serve
