#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace snapviewer {

/// A memory limit shared by threads. Threads wait until enough memory is free, in the order in which they asked.
/// Thread-safe. A Part may outlive it.
class MemoryShare {
    struct State;

public:
    explicit MemoryShare(std::size_t limit_bytes);

    /// A reserved part of the memory, released on destruction.
    class Part {
    public:
        Part(std::shared_ptr<State> state, std::size_t bytes) : state_(std::move(state)), bytes_(bytes) {}
        ~Part() { shrink_to(0); }
        Part(const Part&) = delete;
        Part& operator=(const Part&) = delete;

        void shrink_to(std::size_t bytes);

    private:
        std::shared_ptr<State> state_;
        std::size_t bytes_;
    };

    /// Waits for a part of `bytes`. A part larger than the limit is granted while no other exists. Returns null if the wait
    /// takes longer than five minutes or `is_unwanted`, which is called a few times per second, returns true.
    std::shared_ptr<Part> take(std::size_t bytes, const std::function<bool()>& is_unwanted);

private:
    struct State {
        explicit State(std::size_t limit) : limit_bytes(limit) {}

        const std::size_t limit_bytes;
        std::mutex mutex;
        std::condition_variable changed;
        std::size_t used_bytes = 0;
        std::list<const void*> line;  ///< Waiting callers, in the order of arrival
    };

    std::shared_ptr<State> state_;
};

}  // namespace snapviewer
