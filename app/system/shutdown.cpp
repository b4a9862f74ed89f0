#include "app/system/shutdown.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <semaphore>
#include <thread>
#include <utility>

#include "app/system/lost_display.h"
#include "core/base/temporary_file.h"
#include "core/system/threads.h"

namespace snapviewer {
namespace {

constexpr auto k_patience = std::chrono::seconds(4);
constexpr auto k_main_patience = std::chrono::seconds(1);  ///< until its frame is over, and it meets the loss as well

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

}  // namespace

OnLostDisplay::OnLostDisplay(int status, std::function<void()> say) {
    if (!has_threads()) return;  // a page is not told of its end
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
