#include "core/base/temporary_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <ctime>
#include <random>
#include <string_view>
#include <utility>

#include "core/system/ending.h"
#include "core/system/processes.h"

namespace snapviewer {
namespace {

constexpr std::string_view k_temporary_prefix = ".snapviewer-";
constexpr std::size_t k_boot_digits = 8;
constexpr std::size_t k_random_digits = 16;
constexpr std::time_t k_surely_abandoned_s = std::time_t{24} * 60 * 60;
constexpr int k_temporary_attempts = 100;
constexpr std::size_t k_guarded_bytes = 4096;

/// What the signal handler reads; memory that is always there. The last word written to a place is its state.
struct GuardedPath {
    enum State : int { unused, being_filled, file, folder };
    std::atomic<int> state{unused};
    std::array<char, k_guarded_bytes> path{};
};
std::array<GuardedPath, 32> g_guarded;
static_assert(std::atomic<int>::is_always_lock_free);
/// The program has been told to end: no thread makes another temporary file.
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

/// Tells temporary files of this run of this machine from those of other machines and earlier times: containers on one
/// machine share it, and also the locks.
const std::string& boot_digits() {
    static const std::string digits = [] {
        std::string id = boot_id();
        id.resize(k_boot_digits, '0');
        return id;
    }();
    return digits;
}

std::string temporary_name() {
    std::random_device random;
    return fmt::format("{}{}-{:08x}{:08x}", k_temporary_prefix, boot_digits(), random(), random());
}

bool is_temporary_name(std::string_view name) {
    if (!name.starts_with(k_temporary_prefix)) return false;
    name.remove_prefix(k_temporary_prefix.size());
    const auto are_digits = [](std::string_view text) {
        return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
    };
    return name.size() == k_boot_digits + 1 + k_random_digits && name[k_boot_digits] == '-' &&
           are_digits(name.substr(0, k_boot_digits)) && are_digits(name.substr(k_boot_digits + 1));
}

/// Whether the file can go; its lock is then ours, so that it does not come back to life.
bool is_abandoned(const FileHandle& file, std::string_view name) {
    std::error_code failed;
    const std::optional<FileState> state = state_of(file, failed);
    if (!state || state->kind != FileState::Kind::file || !state->is_own || state->link_count != 1) return false;
    const bool is_of_this_boot = name.substr(k_temporary_prefix.size(), k_boot_digits) == boot_digits();
    if (!is_of_this_boot && std::time(nullptr) - state->written_s < k_surely_abandoned_s) return false;
    return !lock_file(file);
}

/// False if somebody took the new file for abandoned in the moment before it was locked. True also where the file system
/// has no locks: then nobody can take one for abandoned either.
bool lock_new_temporary_file(const FileHandle& file) {
    std::error_code failed = lock_file(file);
    if (failed == std::errc::operation_would_block) return false;
    const std::optional<FileState> state = state_of(file, failed);
    return state && state->link_count > 0;
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

Result<TemporaryFile> create_temporary_file(const std::string& folder, std::filesystem::perms permissions) {
    std::error_code failed;
    for (int attempt = 0; attempt < k_temporary_attempts; ++attempt) {
        TemporaryPath path(folder + temporary_name());
        if (g_is_ending) wait_for_end();
        FileHandle file = create_new_file(path.path(), permissions, failed);
        if (failed) {
            path.keep();  // there is none, or it is another's
            if (failed == std::errc::file_exists) continue;
            break;
        }
        if (lock_new_temporary_file(file)) return TemporaryFile{std::move(path), std::move(file)};
        failed = std::make_error_code(std::errc::file_exists);
    }
    return write_error(failed.message());
}

void remove_abandoned_temporary_files(const std::string& folder) {
    remove_files_in(folder, is_temporary_name, is_abandoned);
}

void remove_temporary_files_now() {
    for (const GuardedPath& guarded : g_guarded) {
        if (guarded.state == GuardedPath::file) remove_file(guarded.path.data());
    }
    for (const GuardedPath& guarded : g_guarded) {  // which are empty now
        if (guarded.state == GuardedPath::folder) remove_folder(guarded.path.data());
    }
}

/// Another thread may be about to make a temporary file whose name it took down before; a moment later that is there, too.
void remove_temporary_files_for_good() {
    g_is_ending = true;
    remove_temporary_files_now();
    rest(std::chrono::milliseconds(2));
    remove_temporary_files_now();
}

void remove_temporary_files_on_signals() {
    call_before_ending(remove_temporary_files_for_good);
    have_large_files_fail();
}

}  // namespace snapviewer
