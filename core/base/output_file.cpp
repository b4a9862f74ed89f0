#include "core/base/output_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>

#include "core/system/processes.h"

namespace snapviewer {
namespace {

constexpr std::string_view k_temporary_prefix = ".snapviewer-";
constexpr std::size_t k_first_digits = 8;
constexpr std::size_t k_last_digits = 16;
constexpr std::int64_t k_abandoned_after_s = 60 * 60;
constexpr int k_temporary_attempts = 100;
constexpr std::size_t k_guarded_bytes = 4096;

/// A path for the signal handler, in static memory. Every update of the path sets `state` last.
struct GuardedPath {
    enum State : int { unused, being_filled, file, folder };
    std::atomic<int> state{unused};
    std::array<char, k_guarded_bytes> path{};
};
std::array<GuardedPath, 32> g_guarded;
static_assert(std::atomic<int>::is_always_lock_free);
/// Set once the program is about to exit; no thread creates another temporary file.
std::atomic<bool> g_is_ending{false};
static_assert(std::atomic<bool>::is_always_lock_free);

int guard(const std::string& path, TemporaryPath::Kind kind) {
    for (std::size_t i = 0; path.size() < k_guarded_bytes && i < g_guarded.size(); ++i) {
        int expected = GuardedPath::unused;
        if (!g_guarded[i].state.compare_exchange_strong(expected, GuardedPath::being_filled)) continue;
        std::memcpy(g_guarded[i].path.data(), path.c_str(), path.size() + 1);
        g_guarded[i].state = kind == TemporaryPath::Kind::file ? GuardedPath::file : GuardedPath::folder;
        return static_cast<int>(i);
    }
    return -1;
}

std::string temporary_name() {
    std::random_device random;
    return fmt::format("{}{:08x}-{:08x}{:08x}", k_temporary_prefix, random(), random(), random());
}

namespace fs = std::filesystem;

/// Permissions of a new file before the umask applies.
constexpr fs::perms k_new_file_permissions = fs::perms(0666);

/// Returns an error if the file at `path` must not be replaced. Renaming would destroy a device or pipe, or a link to one
/// (such as /dev/stdout), which the user wants to write to instead.
std::optional<Error> why_not_replaceable(const std::string& path) {
    std::error_code failed;
    const fs::file_status there = fs::status(path, failed);
    if (fs::exists(there) && !fs::is_directory(there) && !fs::is_regular_file(there))
        return write_error("not a regular file");
    if (fs::is_directory(fs::symlink_status(path, failed)))
        return write_error(std::make_error_code(std::errc::is_a_directory).message());
    return std::nullopt;
}

/// Creates a temporary file with an unpredictable name in `folder` and opens it for writing. `permissions` are those of the
/// file that it will replace; nullopt for the permissions of a new file.
Result<std::pair<TemporaryPath, FileHandle>> create_temporary_file(const std::string& folder,
                                                                   std::optional<fs::perms> permissions) {
    std::error_code failed;
    for (int attempt = 0; attempt < k_temporary_attempts; ++attempt) {
        TemporaryPath path(folder + temporary_name());
        if (g_is_ending) wait_for_end();
        // The umask applies to new files only, not to the permissions of a file that is replaced.
        FileHandle file = create_new_file(path.path(), permissions.value_or(k_new_file_permissions),
                                          permissions ? Umask::ignored : Umask::applied, failed);
        if (!failed) return std::pair(std::move(path), std::move(file));
        path.keep();  // the file does not exist, or belongs to another process
        if (failed != std::errc::file_exists) break;
    }
    return write_error(failed.message());
}

}  // namespace

TemporaryPath::TemporaryPath(std::string path, Kind kind)
    : path_(std::move(path)), kind_(kind), place_(guard(path_, kind)) {}

TemporaryPath::TemporaryPath(TemporaryPath&& other) noexcept
    : path_(std::exchange(other.path_, {})), kind_(other.kind_), place_(std::exchange(other.place_, -1)) {}

TemporaryPath::~TemporaryPath() {
    if (!path_.empty() && kind_ == Kind::file) remove_file(path_.c_str());
    if (!path_.empty() && kind_ == Kind::folder) remove_folder(path_.c_str());
    keep();
}

void TemporaryPath::keep() {
    path_.clear();
    if (place_ >= 0) g_guarded[static_cast<std::size_t>(place_)].state = GuardedPath::unused;
    place_ = -1;
}

bool is_temporary_name(std::string_view name) {
    if (!name.starts_with(k_temporary_prefix)) return false;
    name.remove_prefix(k_temporary_prefix.size());
    const auto are_digits = [](std::string_view text) {
        return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
    };
    return name.size() == k_first_digits + 1 + k_last_digits && name[k_first_digits] == '-' &&
           are_digits(name.substr(0, k_first_digits)) && are_digits(name.substr(k_first_digits + 1));
}

void remove_abandoned_temporary_files(const std::string& folder, const FileHandle& new_file) {
    std::error_code failed;
    const std::optional<FileState> now = state_of(new_file, failed);
    if (!now) return;
    remove_files_in(folder, is_temporary_name, [&](const FileHandle& file) {
        const std::optional<FileState> state = state_of(file, failed);
        return state && state->kind == FileState::Kind::file && state->is_own && state->link_count == 1 &&
               now->written_s - state->written_s >= k_abandoned_after_s;
    });
}

void remove_temporary_files_now() {
    for (const GuardedPath& guarded : g_guarded) {
        if (guarded.state == GuardedPath::file) remove_file(guarded.path.data());
    }
    for (const GuardedPath& guarded : g_guarded) {  // the files in these folders are removed by now
        if (guarded.state == GuardedPath::folder) remove_folder(guarded.path.data());
    }
}

/// Removes the files twice, because another thread may have registered a path just before this call and create its file a
/// moment later.
void remove_temporary_files_for_good() {
    g_is_ending = true;
    remove_temporary_files_now();
    sleep_for(std::chrono::milliseconds(2));
    remove_temporary_files_now();
}

void remove_temporary_files_on_signals() {
    call_before_ending(remove_temporary_files_for_good);
    ignore_file_size_signals();
}

Result<OutputFile> OutputFile::create(const std::string& path) {
    if (const auto reason = why_not_replaceable(path)) return *reason;
    std::error_code failed;
    const fs::file_status replaced = fs::symlink_status(path, failed);
    const bool keeps_permissions = fs::is_regular_file(replaced);
    auto made = create_temporary_file(
        folder_of(path), keeps_permissions ? std::optional(replaced.permissions() & fs::perms::all) : std::nullopt);
    if (!made) return made.error();
    OutputFile output(path, std::move(made->first));
    output.file_ = std::move(made->second);
    remove_abandoned_temporary_files(folder_of(path), output.file_);
    output.stream_.reset(open_stream(output.file_, failed));
    if (output.stream_ == nullptr) return write_error(failed.message());
    return output;
}

bool OutputFile::write(std::string_view text) {
    if (write_errno_ == 0 && std::fwrite(text.data(), 1, text.size(), stream_.get()) != text.size()) write_errno_ = errno;
    return write_errno_ == 0;
}

Status OutputFile::finish(Durability durability) {
    if (std::fclose(stream_.release()) != 0 && write_errno_ == 0) write_errno_ = errno;
    if (write_errno_ != 0) return write_error(std::strerror(write_errno_));
    const std::error_code failed = durability == Durability::synced ? sync_file(file_) : std::error_code();
    return failed ? write_error(failed.message()) : Status();
}

Status OutputFile::rename() {
    if (const std::error_code failed = replace_file(temporary_path_.path(), path_)) return write_error(failed.message());
    temporary_path_.keep();
    return {};
}

Status OutputFile::commit(Durability durability) {
    if (Status finished = finish(durability); !finished) return finished;
    if (Status renamed = rename(); !renamed) return renamed;
    // Ignore errors: the file is complete and in place, even if its folder cannot be synced (some network file systems).
    if (durability == Durability::synced) (void)sync_folder(folder_of(path_));
    return {};
}

Status OutputFile::commit(OutputFile& first, OutputFile& second) {
    if (Status finished = first.finish(Durability::synced); !finished) return finished;
    if (Status finished = second.finish(Durability::synced); !finished) return finished;
    Status renamed;
    with_signals_blocked([&] {
        renamed = first.rename();
        if (renamed) renamed = second.rename();
    });
    (void)sync_folder(folder_of(first.path_));
    return renamed;
}

Status OutputFile::write_whole(const std::string& path, std::string_view text, Durability durability) {
    Result<OutputFile> file = create(path);
    if (!file) return file.error();
    file->write(text);
    return file->commit(durability);
}

}  // namespace snapviewer
