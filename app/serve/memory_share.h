#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace snapviewer {

/// Memory that threads share up to a limit: they wait until enough of it is free, in the order in which they asked.
/// Thread-safe; parts may outlive it.
class MemoryShare {
    struct State;

public:
    explicit MemoryShare(std::size_t limit_bytes);

    /// Gives its bytes back when it is destroyed.
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

    /// A part of `bytes`; one that exceeds the limit is given while there is no other. Null if `is_unwanted`, which is
    /// called some times a second, becomes true or the wait takes longer than five minutes.
    std::shared_ptr<Part> take(std::size_t bytes, const std::function<bool()>& is_unwanted);

private:
    struct State {
        explicit State(std::size_t limit) : limit_bytes(limit) {}

        const std::size_t limit_bytes;
        std::mutex mutex;
        std::condition_variable changed;
        std::size_t used_bytes = 0;
        std::list<const void*> line;  ///< of the callers that wait, the first one first
    };

    std::shared_ptr<State> state_;
};

}  // namespace snapviewer
