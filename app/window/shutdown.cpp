#include "app/window/shutdown.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <utility>

namespace snapviewer {
namespace {

constexpr std::array k_ending_signals = {SIGTERM, SIGINT, SIGHUP};
volatile std::sig_atomic_t g_is_stopped = 0;

void note_signal(int signal) {
    g_is_stopped = 1;
    std::signal(signal, SIG_DFL);
}

struct LastWords {
    int status = 0;
    std::function<void()> say;
};

LastWords& last_words() {
    static LastWords it;
    return it;
}

void at_exit() {
    if (const std::function<void()> say = std::exchange(last_words().say, {})) {
        say();
        std::_Exit(last_words().status);
    }
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
    last_words() = {status, std::move(say)};
    [[maybe_unused]] static const int registered = std::atexit(at_exit);
}

OnLostDisplay::~OnLostDisplay() { last_words().say = {}; }

void end_within(std::chrono::milliseconds patience) {
    std::thread([patience] {
        std::this_thread::sleep_for(patience);
        std::_Exit(0);
    }).detach();
}

}  // namespace snapviewer
