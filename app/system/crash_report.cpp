#include "app/system/crash_report.h"

#include <execinfo.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/base/temporary_file.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_actions = 32;
constexpr std::size_t k_action_bytes = 160;
constexpr std::size_t k_frames = 64;
constexpr std::size_t k_path_bytes = 4096;
constexpr std::size_t k_kept_reports = 10;
constexpr std::string_view k_new_ending = ".new.txt";
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool k_is_sanitized = true;
#else
constexpr bool k_is_sanitized = false;
#endif
constexpr std::array k_fatal_signals = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

/// What the handler reads. Memory that is there before anything goes wrong, and no lock: a handler may wait for nothing. An
/// action that is being noted at that very moment may come out garbled.
struct Prepared {
    std::array<std::array<char, k_action_bytes>, k_actions> actions{};
    std::size_t action_count = 0;
    std::array<char, k_path_bytes> folder{};
    std::array<char, k_path_bytes> path{};
    std::array<char, 64 << 10> stack{};  // for a program whose own stack is full
};

Prepared& prepared() {
    static Prepared it;
    return it;
}

void put(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

const char* signal_name(int signal) {
    switch (signal) {
        case SIGSEGV: return "SIGSEGV";
        case SIGBUS: return "SIGBUS";
        case SIGABRT: return "SIGABRT";
        case SIGFPE: return "SIGFPE";
        default: return "SIGILL";
    }
}

void write_report(int file, int signal, std::span<void* const> frames) {
    const Prepared& it = prepared();
    put(file, "snapviewer " SNAPVIEWER_VERSION " was ended by ");
    put(file, signal_name(signal));
    put(file, "\n\nlast commands, the newest last:\n");
    const std::size_t first = it.action_count > k_actions ? it.action_count - k_actions : 0;
    for (std::size_t i = first; i < it.action_count; ++i) {
        put(file, "  ");
        put(file, it.actions[i % k_actions].data());
        put(file, "\n");
    }
    put(file, "\nbacktrace:\n");
    ::backtrace_symbols_fd(frames.data(), static_cast<int>(frames.size()), file);
}

void make_folders(char* path) {
    for (char* slash = path + 1; *slash != '\0'; ++slash) {
        if (*slash != '/') continue;
        *slash = '\0';
        ::mkdir(path, 0700);
        *slash = '/';
    }
    ::mkdir(path, 0700);
}

void on_fatal_signal(int signal) {
    Prepared& it = prepared();
    std::array<void*, k_frames> places{};
    const auto depth = static_cast<std::size_t>(::backtrace(places.data(), static_cast<int>(places.size())));
    const std::span<void* const> frames(places.data(), depth);
    put(STDERR_FILENO, "\n");
    write_report(STDERR_FILENO, signal, frames);
    if (it.path.front() != '\0') {
        make_folders(it.folder.data());
        const int file = ::open(it.path.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0) {
            write_report(file, signal, frames);
            ::close(file);
            put(STDERR_FILENO, "\nThis report was saved in ");
            put(STDERR_FILENO, it.path.data());
            put(STDERR_FILENO, "\n");
        }
    }
    remove_temporary_files_now();
    ::raise(signal);  // its own action is back in place, and ends the program once this handler is left
}

/// Text of a path as a string of C in one of the buffers; empty if it does not fit.
void keep(const std::string& text, std::array<char, k_path_bytes>& into) {
    if (text.size() < into.size()) std::copy(text.begin(), text.end(), into.begin());
}

}  // namespace

fs::path crash_folder() {
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state != nullptr && *state == '/') return fs::path(state) / "snapviewer";
    const char* home = std::getenv("HOME");
    if (home != nullptr && *home == '/') return fs::path(home) / ".local/state/snapviewer";
    return {};
}

void note_action(std::string_view action) {
    static std::mutex noting;
    const std::lock_guard lock(noting);
    Prepared& it = prepared();
    std::array<char, k_action_bytes>& place = it.actions[it.action_count % k_actions];
    const std::size_t length = std::min(action.size(), place.size() - 1);
    std::transform(action.begin(), action.begin() + static_cast<std::ptrdiff_t>(length), place.begin(),
                   [](char c) { return static_cast<unsigned char>(c) < ' ' ? ' ' : c; });
    place[length] = '\0';
    ++it.action_count;
}

void report_crashes(const fs::path& folder) {
    if (k_is_sanitized) return;
    Prepared& it = prepared();
    if (!folder.empty()) {
        const std::time_t now = std::time(nullptr);
        std::array<char, 32> moment{};
        std::tm parts{};
        std::strftime(moment.data(), moment.size(), "%Y%m%d-%H%M%S", ::gmtime_r(&now, &parts));
        keep(folder.string(), it.folder);
        keep((folder / fmt::format("crash-{}-{}{}", moment.data(), ::getpid(), k_new_ending)).string(), it.path);
    }
    void* frame = nullptr;
    ::backtrace(&frame, 1);  // the first call loads a library, which a handler may not do
    const stack_t own_stack{.ss_sp = it.stack.data(), .ss_flags = 0, .ss_size = it.stack.size()};
    ::sigaltstack(&own_stack, nullptr);
    struct sigaction action {};
    action.sa_handler = on_fatal_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (const int signal : k_fatal_signals) ::sigaction(signal, &action, nullptr);
}

std::optional<fs::path> take_crash_report(const fs::path& folder) {
    std::error_code failed;
    std::vector<fs::path> reports;
    std::optional<fs::path> newest;
    for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
        const std::string name = it->path().filename().string();
        if (!name.starts_with("crash-") || !name.ends_with(".txt")) continue;
        fs::path path = it->path();
        if (name.ends_with(k_new_ending)) {
            path = folder / (name.substr(0, name.size() - k_new_ending.size()) + ".txt");
            fs::rename(it->path(), path, failed);
            if (failed) continue;  // another run of the program was faster
            if (!newest || *newest < path) newest = path;
        }
        reports.push_back(path);
    }
    std::sort(reports.rbegin(), reports.rend());
    for (std::size_t i = k_kept_reports; i < reports.size(); ++i) fs::remove(reports[i], failed);
    return newest;
}

}  // namespace snapviewer
