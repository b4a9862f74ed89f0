#pragma once

#include <functional>
#include <future>
#include <thread>
#include <utility>

#include "core/base/context.h"
#include "core/system/threads.h"

namespace snapviewer {

/// Runs work on a thread of its own, or on the main thread between frames if the program has no threads. The destructor
/// waits for the thread. Without threads nothing can wait for the work, so it must own everything that it uses.
class Worker {
public:
    Worker() = default;
    explicit Worker(std::function<void()> work) {
        if (has_threads())
            thread_ = std::jthread(std::move(work));
        else
            take_turn(std::move(work));
    }
    void join() {
        if (thread_.joinable()) thread_.join();
    }

private:
    std::jthread thread_;
};

/// Starts work whose result the caller needs later, on another thread. If the program has no threads, the work runs when its
/// result is requested. Keeps the context of the calling thread. Returns a std::future.
template <typename Work>
auto begin_beside(Work work) {
    return std::async(has_threads() ? std::launch::async : std::launch::deferred,
                      [context = Context::current(), work = std::move(work)]() mutable {
                          const ContextScope scope(context);
                          return work();
                      });
}

}  // namespace snapviewer
