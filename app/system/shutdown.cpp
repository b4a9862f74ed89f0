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

constexpr auto k_timeout = std::chrono::seconds(4);
/// Time for the main thread to finish its frame and to notice the loss too.
constexpr auto k_main_timeout = std::chrono::seconds(1);

/// Ends the program at once, without waiting for other threads. Removes temporary files, so that no half-written one stays.
[[noreturn]] void end_at_once(int status) {
    remove_temporary_files_for_good();
    std::_Exit(status);
}

/// State shared by the threads that notice the loss of the display and the thread that calls the callback.
struct LossState {
    std::atomic<bool> is_watched{false};
    std::atomic<bool> has_begun{false};
    std::atomic<bool> is_cancelled{false};
    int status = 0;
    std::thread::id main;
    std::binary_semaphore is_over{0};  ///< the display is lost, or the guard was destroyed
    /// The main thread has noticed the loss and no longer changes the state that the callback reads.
    std::binary_semaphore main_stopped{0};
    std::binary_semaphore callback_done{0};
};

LossState& loss_state() {
    static LossState it;
    return it;
}

/// Called by every thread that notices the loss of the display. Ends the program; returns only if no OnLostDisplay exists.
void on_loss() {
    LossState& state = loss_state();
    if (!state.is_watched) return;
    const bool is_first = !state.has_begun.exchange(true);
    if (std::this_thread::get_id() == state.main) state.main_stopped.release();
    while (!is_first) std::this_thread::sleep_for(k_timeout);
    state.is_over.release();
    (void)state.callback_done.try_acquire_for(k_timeout);
    end_at_once(state.status);
}

}  // namespace

OnLostDisplay::OnLostDisplay(int status, std::function<void()> callback) {
    if (!has_threads()) return;  // a page in a browser gets no notice of its end
    LossState& state = loss_state();
    state.status = status;
    state.main = std::this_thread::get_id();
    state.is_watched = true;
    listen_for_lost_display(on_loss);
    [[maybe_unused]] static const int registered = std::atexit(on_loss);
    thread_ = std::thread([&state, callback = std::move(callback)] {
        state.is_over.acquire();
        if (state.is_cancelled) return;
        (void)state.main_stopped.try_acquire_for(k_main_timeout);
        callback();
        state.callback_done.release();
    });
}

OnLostDisplay::~OnLostDisplay() {
    if (!thread_.joinable()) return;
    LossState& state = loss_state();
    if (!state.has_begun.exchange(true)) {
        state.is_cancelled = true;
        state.is_over.release();
    }
    state.is_watched = false;
    thread_.join();
}

void end_within(std::chrono::milliseconds timeout) {
    if (!has_threads()) return;
    std::thread([timeout] {
        std::this_thread::sleep_for(timeout);
        end_at_once(0);
    }).detach();
}

}  // namespace snapviewer
