#include "app/window/shutdown.h"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <semaphore>
#include <utility>

namespace snapviewer {
namespace {

constexpr auto k_patience = std::chrono::seconds(3);
constexpr std::array k_ending_signals = {SIGTERM, SIGINT, SIGHUP};
volatile std::sig_atomic_t g_is_stopped = 0;

void note_signal(int signal) {
    g_is_stopped = 1;
    std::signal(signal, SIG_DFL);
}

/// Between who ends the program and the thread that speaks.
struct LastWords {
    std::atomic<bool> are_wanted{false};
    std::atomic<bool> are_unneeded{false};
    int status = 0;
    std::binary_semaphore is_over{0};  ///< the program ends, or there is nothing to wait for any more
    std::binary_semaphore are_spoken{0};
};

LastWords& last_words() {
    static LastWords it;
    return it;
}

void at_exit() {
    if (!last_words().are_wanted.exchange(false)) return;
    last_words().is_over.release();
    (void)last_words().are_spoken.try_acquire_for(k_patience);
    std::_Exit(last_words().status);
}

}  // namespace

StopOnSignal::StopOnSignal() {
    for (const int signal : k_ending_signals) std::signal(signal, note_signal);
}

StopOnSignal::~StopOnSignal() {
    for (const int signal : k_ending_signals) std::signal(signal, SIG_DFL);
}

bool StopOnSignal::was_asked() { return g_is_stopped != 0; }

OnLostDisplay::OnLostDisplay(int status, std::function<void()> say) {
    LastWords& words = last_words();
    words.status = status;
    words.are_wanted = true;
    [[maybe_unused]] static const int registered = std::atexit(at_exit);
    speaker_ = std::thread([&words, say = std::move(say)] {
        words.is_over.acquire();
        if (words.are_unneeded) return;
        say();
        words.are_spoken.release();
    });
}

OnLostDisplay::~OnLostDisplay() {
    last_words().are_unneeded = last_words().are_wanted.exchange(false);
    if (last_words().are_unneeded) last_words().is_over.release();
    speaker_.join();
}

void end_within(std::chrono::milliseconds patience) {
    std::thread([patience] {
        std::this_thread::sleep_for(patience);
        std::_Exit(0);
    }).detach();
}

}  // namespace snapviewer
