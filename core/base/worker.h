#pragma once

#include <functional>
#include <future>
#include <thread>
#include <utility>

#include "core/base/context.h"
#include "core/system/threads.h"

namespace snapviewer {

/// Work on a thread of its own, or in turns of the main thread where the program has no threads. With a thread the
/// destructor waits for it; without, nobody can, so that the work owns all that it uses.
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

/// Work that the caller needs only later: beside it, on another thread, or where the program has none, when its outcome is
/// asked for.
template <typename Work>
auto begin_beside(Work work) {
    return std::async(has_threads() ? std::launch::async : std::launch::deferred,
                      [context = Context::current(), work = std::move(work)]() mutable {
                          const ContextScope scope(context);
                          return work();
                      });
}

}  // namespace snapviewer
