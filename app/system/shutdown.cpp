#include "app/system/shutdown.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <semaphore>
#include <thread>
#include <utility>

#include "core/base/output_file.h"
#include "core/system/threads.h"

namespace snapviewer {
namespace {

constexpr auto k_patience = std::chrono::seconds(4);
/// Time for the main thread to finish its frame and to notice the loss too.
constexpr auto k_main_patience = std::chrono::seconds(1);

/// Ends the program at once, without waiting for other threads. Removes temporary files, so that no half-written one stays.
[[noreturn]] void end_at_once(int status) {
    remove_temporary_files_for_good();
    std::_Exit(status);
}

/// State shared by the threads that notice the loss of the display and the thread that calls the callback.
struct LastWords {
    std::atomic<bool> are_wanted{false};
    std::atomic<bool> are_begun{false};
    std::atomic<bool> are_unneeded{false};
    int status = 0;
    std::thread::id main;
    std::binary_semaphore is_over{0};  ///< the display is lost, or the guard was destroyed
    /// The main thread has noticed the loss and no longer changes the state that the callback reads.
    std::binary_semaphore main_rests{0};
    std::binary_semaphore are_spoken{0};
};

LastWords& last_words() {
    static LastWords it;
    return it;
}

/// Called by every thread that notices the loss of the display. Ends the program; returns only if no OnLostDisplay exists.
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

}  // namespace

OnLostDisplay::OnLostDisplay(int status, std::function<void()> say) {
    if (!has_threads()) return;  // a page in a browser gets no notice of its end
    LastWords& words = last_words();
    words.status = status;
    words.main = std::this_thread::get_id();
    words.are_wanted = true;
    listen_for_lost_display(meet_loss);
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
    if (!speaker_.joinable()) return;
    LastWords& words = last_words();
    if (!words.are_begun.exchange(true)) {
        words.are_unneeded = true;
        words.is_over.release();
    }
    words.are_wanted = false;
    speaker_.join();
}

void end_within(std::chrono::milliseconds patience) {
    if (!has_threads()) return;
    std::thread([patience] {
        std::this_thread::sleep_for(patience);
        end_at_once(0);
    }).detach();
}

}  // namespace snapviewer
