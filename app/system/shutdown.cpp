#include "app/system/shutdown.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <semaphore>
#include <thread>
#include <utility>

#include "core/base/temporary_file.h"

namespace snapviewer {
namespace {

constexpr auto k_patience = std::chrono::seconds(4);
constexpr auto k_main_patience = std::chrono::seconds(1);  ///< until its frame is over, and it meets the loss as well
constexpr std::array k_ending_signals = {SIGTERM, SIGINT, SIGHUP};
volatile std::sig_atomic_t g_is_stopped = 0;

void note_signal(int signal) {
    g_is_stopped = 1;
    std::signal(signal, SIG_DFL);
}

/// Whatever other threads do; what they write is not left half done.
[[noreturn]] void end_at_once(int status) {
    remove_temporary_files_for_good();
    std::_Exit(status);
}

/// Between the threads that meet the loss of the display and the one that speaks.
struct LastWords {
    std::atomic<bool> are_wanted{false};
    std::atomic<bool> are_begun{false};
    std::atomic<bool> are_unneeded{false};
    int status = 0;
    std::thread::id main;
    std::binary_semaphore is_over{0};     ///< the program ends, or there is nothing to wait for any more
    std::binary_semaphore main_rests{0};  ///< it changes nothing any more of what is spoken of
    std::binary_semaphore are_spoken{0};
};

LastWords& last_words() {
    static LastWords it;
    return it;
}

/// For every thread that meets the loss; returns only where nobody wants to say anything.
void meet_loss() {
    LastWords& words = last_words();
    if (!words.are_wanted) return;
    const bool is_first = !words.are_begun.exchange(true);
    if (std::this_thread::get_id() == words.main) words.main_rests.release();
    while (!is_first) std::this_thread::sleep_for(k_patience);
    words.is_over.release();
    (void)words.are_spoken.try_acquire_for(k_patience);
    end_at_once(words.status);
}

/// Xlib asks this first and would then call exit(), which takes what is static away from threads that still work with it.
int on_xlib_error(void* /*display*/) {
    meet_loss();
    return 0;
}

/// Where GLFW has opened Xlib.
void listen_to_xlib() {
    using Handler = int (*)(void*);
    void* xlib = ::dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
    void* set = xlib != nullptr ? ::dlsym(xlib, "XSetIOErrorHandler") : nullptr;
    if (set != nullptr) (void)reinterpret_cast<Handler (*)(Handler)>(set)(on_xlib_error);
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
    words.main = std::this_thread::get_id();
    words.are_wanted = true;
    listen_to_xlib();
    [[maybe_unused]] static const int registered = std::atexit(meet_loss);
    speaker_ = std::thread([&words, say = std::move(say)] {
        words.is_over.acquire();
        if (words.are_unneeded) return;
        (void)words.main_rests.try_acquire_for(k_main_patience);
        say();
        words.are_spoken.release();
    });
}

OnLostDisplay::~OnLostDisplay() {
    LastWords& words = last_words();
    if (!words.are_begun.exchange(true)) {
        words.are_unneeded = true;
        words.is_over.release();
    }
    words.are_wanted = false;
    speaker_.join();
}

void end_within(std::chrono::milliseconds patience) {
    std::thread([patience] {
        std::this_thread::sleep_for(patience);
        end_at_once(0);
    }).detach();
}

}  // namespace snapviewer
