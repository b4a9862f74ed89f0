#include "app/features/files/files_on_disk.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include "app/system/folders.h"
#include "core/base/addresses.h"
#include "core/base/hash.h"
#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/load/formats.h"
#include "core/load/read_database.h"
#include "core/system/files.h"
#include "core/system/processes.h"

namespace snapviewer::files {
namespace {

FileStamp read_stamp(const std::filesystem::path& path) {
    // Standard input has no useful modification time, because that of a pipe changes with every byte. Remote files are not
    // polled.
    if (is_standard_input(path.string()) || is_remote(path.string())) return {true, 0, {}};
    std::error_code failed;
    FileStamp stamp;
    stamp.modified = std::filesystem::last_write_time(path, failed);
    if (failed) return {};
    stamp.exists = true;
    stamp.size_bytes = std::filesystem::file_size(path, failed);
    if (failed) stamp.size_bytes = 0;  // a folder has a modification time, but no file size
    return stamp;
}

}  // namespace

FileStamps read_stamps(const std::vector<std::string>& paths) {
    FileStamps stamps;
    for (const std::string& path : paths) {
        stamps.push_back(read_stamp(path));
        const FileStamp journal = read_stamp(path + "-wal");
        stamps.push_back(journal.size_bytes > 0 ? journal : FileStamp{});  // an empty write-ahead log contains no changes
    }
    return stamps;
}

void ChangeDetector::look(FileStamps now) {
    if (!now.empty() && !now.front().exists) {
        change_ = DiskChange::gone;
    } else if (now == last_ && now != accepted_) {
        change_ = DiskChange::changed;
    } else if (now == accepted_ || change_ == DiskChange::gone) {
        change_ = DiskChange::none;
    }
    last_ = std::move(now);
}

void ChangeDetector::accept() {
    accepted_ = last_;
    if (change_ == DiskChange::changed) change_ = DiskChange::none;
}

namespace {

namespace fs = std::filesystem;

FolderEntry describe(const fs::directory_entry& found) {
    std::error_code failed;
    FolderEntry entry;
    entry.name = found.path().filename().string();
    entry.is_folder = found.is_directory(failed);
    if (!entry.is_folder) {
        const std::uintmax_t size_bytes = found.file_size(failed);
        if (!failed) entry.size_bytes = size_bytes;
    }
    const fs::file_time_type modified = found.last_write_time(failed);
    if (!failed) {
        const auto since_epoch = fs::file_time_type::clock::to_sys(modified).time_since_epoch();
        entry.modified_s = std::chrono::duration_cast<std::chrono::seconds>(since_epoch).count();
    }
    return entry;
}

std::string sentence_of(const std::error_code& failed) {
    if (failed == std::errc::permission_denied) return "You do not have permission to open this folder";
    if (failed == std::errc::no_such_file_or_directory) return "This folder does not exist";
    if (failed == std::errc::not_a_directory) return "This is not a folder";
    return "This folder cannot be read: " + failed.message();
}

}  // namespace

Result<std::vector<FolderEntry>> list_folder(const std::string& folder) {
    std::error_code failed;
    std::vector<FolderEntry> entries;
    fs::directory_iterator at(folder, failed);
    while (!failed && at != fs::directory_iterator()) {
        entries.push_back(describe(*at));
        at.increment(failed);
    }
    if (failed) return Error{ErrorCode::io, sentence_of(failed)};
    return entries;
}

void sort_entries(std::vector<FolderEntry>& entries, FolderSort by, bool descending) {
    std::sort(entries.begin(), entries.end(), [=](const FolderEntry& a, const FolderEntry& b) {
        if (a.is_folder != b.is_folder) return a.is_folder;
        const FolderEntry& low = descending ? b : a;
        const FolderEntry& high = descending ? a : b;
        if (by == FolderSort::size && a.size_bytes != b.size_bytes) return low.size_bytes < high.size_bytes;
        if (by == FolderSort::modified && a.modified_s != b.modified_s) return low.modified_s < high.modified_s;
        if (by == FolderSort::name) return compare_names(low.name, high.name, LetterCase::ignored) < 0;
        return compare_names(a.name, b.name, LetterCase::ignored) < 0;
    });
}

std::vector<std::uint32_t> filter_entries(const std::vector<FolderEntry>& entries, const FolderFilter& filter) {
    std::vector<std::uint32_t> passed;
    const bool hidden_too = filter.show_hidden || filter.prefix.starts_with('.');
    const std::string prefix = lower_case(filter.prefix);
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
        const FolderEntry& entry = entries[i];
        if (!hidden_too && entry.name.starts_with('.')) continue;
        if (filter.snapshots_only && !entry.is_folder && !has_snapshot_name(entry.name)) continue;
        if (lower_case(entry.name).starts_with(prefix) && contains_in_any_case(entry.name, filter.part)) passed.push_back(i);
    }
    return passed;
}

bool has_snapshot_name(std::string_view name) {
    const auto is_one_of = [&](std::string_view endings) {
        while (!endings.empty()) {
            const std::size_t end = std::min(endings.find(' '), endings.size());
            if (lower_case(name).ends_with(lower_case(endings.substr(0, end)))) return true;
            endings.remove_prefix(std::min(end + 1, endings.size()));
        }
        return false;
    };
    return std::ranges::any_of(load::formats(), is_one_of, &load::Format::endings);
}

TypedPath parse_typed_path(const std::string& text, const std::string& base) {
    std::string whole = text;
    if (whole == "~") whole += k_separator;
    if (whole.size() > 1 && whole[0] == '~' && is_separator(whole[1])) whole.replace(0, 1, home_folder());
    if (!fs::path(whole).is_absolute()) whole = join_path(base, whole);
    const fs::path path = fs::path(whole).lexically_normal();
    return {path.parent_path().string(), path.filename().string()};
}

std::string join_path(const std::string& folder, const std::string& name) { return (fs::path(folder) / name).string(); }

std::string parent_folder(const std::string& folder) { return fs::path(folder).parent_path().string(); }

std::string home_folder() {
    const fs::path home = home_of_user();
    return (home.empty() ? root_folders().front() : home).string();
}

std::string working_folder() {
    std::error_code failed;
    const fs::path folder = fs::current_path(failed);
    return failed ? home_folder() : folder.string();
}

std::vector<std::string> folders_elsewhere(const std::vector<std::string>& addresses) {
    std::vector<std::string> folders;
    for (const std::string& text : addresses) {
        const auto address = remote_address(text);
        if (!address || address->transport != RemoteAddress::Transport::ssh) continue;
        const std::string_view path = address->path;
        const std::string folder = path_on_same_machine(*address, path.substr(0, path.rfind('/') + 1));
        if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
    }
    return folders;
}

std::string common_beginning(const std::vector<std::string_view>& names) {
    if (names.empty()) return {};
    std::string_view shared = names.front();
    const auto lower = [](char letter) { return lower_case(letter); };
    for (const std::string_view name : names)
        shared = {shared.begin(), std::ranges::mismatch(shared, name, {}, lower, lower).in1};
    // Avoids a cut inside a multi-byte UTF-8 character.
    const std::string_view first = names.front();
    const auto continues = [&](std::size_t at) {
        return at < first.size() && (static_cast<unsigned char>(first[at]) >> 6) == 2;
    };
    std::size_t length = shared.size();
    while (length > 0 && continues(length)) --length;
    return std::string(first.substr(0, length));
}

PathKind path_kind(const std::string& path) {
    std::error_code failed;
    const fs::file_status status = fs::status(path, failed);
    if (!fs::exists(status)) return PathKind::absent;
    if (!fs::is_directory(status)) return PathKind::file;
    return fs::exists(fs::path(path) / "allocations.json", failed) ? PathKind::trace_folder : PathKind::folder;
}

std::string format_modified(std::int64_t modified_s) {
    if (modified_s == 0) return {};
    const std::optional<std::tm> local = local_time(static_cast<std::time_t>(modified_s));
    if (!local) return {};
    std::array<char, 32> text{};
    const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &*local);
    return {text.data(), length};
}

namespace {

constexpr std::uint64_t k_pieces = 96;
constexpr std::uint64_t k_piece_bytes = 64 * 1024;

}  // namespace

std::optional<std::uint64_t> content_hash(const std::string& path) {
    std::error_code failed;
    const bool is_folder = std::filesystem::is_directory(path, failed);
    const auto file = PlainFile::open(is_folder ? path + "/allocations.json" : path, PlainFile::Links::follow);
    if (!file) return std::nullopt;
    const std::uint64_t size_bytes = file->info().size_bytes;
    std::uint64_t hash = mix_bits(size_bytes + 1);
    // Hashes all adjacent pieces of a small file. For a larger file, hashes pieces at equal distances, including the first
    // and the last one.
    const bool is_small = size_bytes <= k_pieces * k_piece_bytes;
    const std::uint64_t pieces = is_small ? (size_bytes + k_piece_bytes - 1) / k_piece_bytes : k_pieces;
    std::vector<std::byte> piece;
    for (std::uint64_t i = 0; i < pieces; ++i) {
        const std::uint64_t begin = is_small ? i * k_piece_bytes : (size_bytes - k_piece_bytes) * i / (k_pieces - 1);
        piece.resize(std::min(k_piece_bytes, size_bytes - begin));
        if (!file->read(piece, begin)) return std::nullopt;
        hash = mix_bits(hash ^ hash_bytes(piece.data(), piece.size()));
    }
    return hash;
}

namespace {

/// The time span in which the devices of a document were recorded. Its end is before its begin if there are no times.
std::pair<std::int64_t, std::int64_t> recorded_us(const Document& document) {
    std::pair span(std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min());
    for (const DeviceView& device : document.devices) {
        const Timeline& timeline = *device.timeline;
        if (!timeline.has_times() || timeline.start_time_us() == k_no_time) continue;
        span.first = std::min(span.first, timeline.start_time_us());
        span.second = std::max(span.second, timeline.start_time_us() + timeline.tick_times_us().back());
    }
    return span;
}

/// True if both documents can be ranks of one run: they have different devices, and their recording times overlap.
bool are_of_one_run(const Document& a, const Document& b) {
    const auto is_device_of_b = [&](const DeviceTrace& trace) {
        return std::ranges::find(b.snapshot->devices, trace.device, &DeviceTrace::device) != b.snapshot->devices.end();
    };
    if (std::ranges::any_of(a.snapshot->devices, is_device_of_b)) return false;
    const auto [a_begin, a_end] = recorded_us(a);
    const auto [b_begin, b_end] = recorded_us(b);
    return a_begin <= b_end && b_begin <= a_end;
}

}  // namespace

std::string find_companion(const Document& document, const Document& before, Progress& progress) {
    const FileKind kind = document.snapshot->kind;
    const std::optional<FileKind> wanted = companion_kind(*document.snapshot);
    if (!document.with.empty() || !wanted) return "";
    if (*wanted == kind)
        return companion_kind(*before.snapshot) == kind && are_of_one_run(document, before) ? before.path : "";
    for (const std::string& path : {before.path, before.with}) {
        if (path.empty()) continue;
        const Result<load::DatabasePair> pair = load::open_pair(document.path, path, progress);
        if (pair && load::are_of_one_model(*pair)) return path;
    }
    return "";
}

std::optional<FileKind> companion_kind(const Snapshot& snapshot) {
    if (!snapshot.container.empty()) return std::nullopt;  // exported files lack the data for opening two files together
    switch (snapshot.kind) {
        case FileKind::memory_report: return FileKind::run_time_report;
        case FileKind::run_time_report: return FileKind::memory_report;
        case FileKind::ascend_profiler: return FileKind::ascend_profiler;
        default: return std::nullopt;
    }
}

const char* companion_name(const Snapshot& snapshot) {
    const std::optional<FileKind> wanted = companion_kind(snapshot);
    if (!wanted) return nullptr;
    if (*wanted == FileKind::ascend_profiler) return "the profile of another rank";
    return *wanted == FileKind::run_time_report ? "run-time report" : "memory report";
}

}  // namespace snapviewer::files
