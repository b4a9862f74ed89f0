#include "app/system/crash_report.h"

#include <execinfo.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <ctime>
#include <span>
#include <string>

#include "core/base/output_file.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_frames = 64;
constexpr std::size_t k_path_bytes = 4096;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool k_is_sanitized = true;
#else
constexpr bool k_is_sanitized = false;
#endif
constexpr std::array k_fatal_signals = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

/// Data for the signal handler: preallocated and without a lock, because a signal handler must not wait.
struct Prepared {
    std::array<char, k_path_bytes> folder{};
    std::array<char, k_path_bytes> path{};
    std::array<char, 64 << 10> stack{};  // alternate stack, because a stack overflow leaves no room on the normal one
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
    put(file, "snapviewer " SNAPVIEWER_VERSION " was ended by ");
    put(file, signal_name(signal));
    put_last_actions([file](std::string_view text) { put(file, text); });
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
    ::raise(signal);  // SA_RESETHAND has restored the default action, which ends the program after this handler returns
}

/// Copies a path into a buffer as a C string; leaves the buffer empty if the path is too long.
void keep(const std::string& text, std::array<char, k_path_bytes>& into) {
    if (text.size() < into.size()) std::copy(text.begin(), text.end(), into.begin());
}

}  // namespace

void report_crashes(const fs::path& folder) {
    if (k_is_sanitized) return;
    Prepared& it = prepared();
    if (!folder.empty()) {
        const std::time_t now = std::time(nullptr);
        std::array<char, 32> moment{};
        std::tm parts{};
        std::strftime(moment.data(), moment.size(), "%Y%m%d-%H%M%S", ::gmtime_r(&now, &parts));
        keep(folder.string(), it.folder);
        keep((folder / fmt::format("crash-{}-{}{}", moment.data(), ::getpid(), k_new_report_ending)).string(), it.path);
    }
    (void)last_actions();
    void* frame = nullptr;
    ::backtrace(&frame, 1);  // the first call loads a library, which a signal handler must not do
    const stack_t own_stack{.ss_sp = it.stack.data(), .ss_flags = 0, .ss_size = it.stack.size()};
    ::sigaltstack(&own_stack, nullptr);
    struct sigaction action {};
    action.sa_handler = on_fatal_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (const int signal : k_fatal_signals) ::sigaction(signal, &action, nullptr);
}

}  // namespace snapviewer
