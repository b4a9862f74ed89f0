#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <initializer_list>

#include "core/system/processes.h"

namespace snapviewer {
namespace {

void (*g_clean_up)() = nullptr;
std::atomic<int> g_received_signal{0};  ///< number of the recorded signal, or 0
static_assert(std::atomic<int>::is_always_lock_free);

/// All signals except SIGSYS, with which the sandbox reports a refused call: the kernel ends a process that blocks it.
sigset_t blockable_signals() {
    sigset_t signals{};
    sigfillset(&signals);
    sigdelset(&signals, SIGSYS);
    return signals;
}

void end_by_signal(int signal) {
    g_clean_up();
    ::raise(signal);  // ends the program after this handler, because the default action is active again
}

void record_signal(int signal) {
    if (g_received_signal.exchange(signal) == 0) return;
    std::signal(signal, SIG_DFL);
    end_by_signal(signal);
}

/// Installs a handler for signals, except those that are ignored, as under nohup and in background jobs.
void handle(std::initializer_list<int> signals, void (*handler)(int), int flags) {
    for (const int signal : signals) {
        struct sigaction action {};
        ::sigaction(signal, nullptr, &action);
        if (action.sa_handler == SIG_IGN) continue;
        action = {};
        action.sa_handler = handler;
        action.sa_flags = flags;
        action.sa_mask = blockable_signals();
        ::sigaction(signal, &action, nullptr);
    }
}

}  // namespace

void call_before_ending(void (*clean_up)()) {
    g_clean_up = clean_up;
    handle({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU}, end_by_signal, static_cast<int>(SA_RESETHAND));
}

void record_end_request() { handle({SIGINT, SIGTERM, SIGHUP}, record_signal, 0); }
bool is_end_requested() { return g_received_signal != 0; }

void end_by_recorded_signal() {
    const int signal = g_received_signal;
    std::signal(signal, SIG_DFL);
    end_by_signal(signal);
}

void wait_for_end() {
    while (true) ::pause();
}

void sleep_for(std::chrono::milliseconds time) { ::poll(nullptr, 0, static_cast<int>(time.count())); }
void ignore_file_size_signals() { std::signal(SIGXFSZ, SIG_IGN); }
void ignore_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

void with_signals_blocked(const std::function<void()>& work) {
    const sigset_t blocked = blockable_signals();
    sigset_t before{};
    ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
    work();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void block_signals() {
    sigset_t others{};
    sigfillset(&others);
    // Synchronous signals must reach the thread that causes them.
    for (const int signal : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&others, signal);
    ::pthread_sigmask(SIG_BLOCK, &others, nullptr);
}

}  // namespace snapviewer
