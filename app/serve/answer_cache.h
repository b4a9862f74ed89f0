#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "app/serve/child_answer.h"
#include "app/serve/memory_share.h"

namespace snapviewer {

/// What commands answered, kept up to a number of bytes, and the line of those that are to run: a few run at once, as
/// processors and memory allow, and who asks the same thing waits for the same one. Long answers that are kept or being sent
/// share memory: a command whose answer turns out to be long runs again once there is enough. Short answers do not wait for
/// it. Any thread.
class AnswerCache {
public:
    using Answer = std::shared_ptr<const ChildAnswer>;
    /// Runs a command, until it is to stop or its output is longer than `max_output_bytes`.
    using Make = std::function<ChildAnswer(const std::function<bool()>& should_stop, std::size_t max_output_bytes)>;

    explicit AnswerCache(std::size_t most_at_once);

    /// The answer by that name, which is made if it is not kept. `file_bytes` is how large the file is that it is about.
    /// `is_reader_gone` is asked some times a second: what nobody waits for is stopped.
    Answer get(const std::string& name, std::uint64_t file_bytes, const Make& make,
               const std::function<bool()>& is_reader_gone);
    /// Stops all that run and wait.
    void end_all();

private:
    struct Running {
        std::atomic<int> readers{0};
        Answer answer;  ///< null until it has been made
    };
    using Kept = std::list<std::pair<std::string, Answer>>;

    bool wait_for_turn(std::unique_lock<std::mutex>& lock, std::uint64_t file_bytes,
                       const std::function<bool()>& is_unwanted);
    Answer wait_for_other(std::unique_lock<std::mutex>& lock, Running& running, const std::function<bool()>& is_reader_gone);
    void keep(const std::string& name, const Answer& answer);

    Answer made_with_memory(std::unique_lock<std::mutex>& lock, std::uint64_t file_bytes, const Make& make,
                            const std::function<bool()>& is_unwanted);
    ChildAnswer made_in_turn(std::unique_lock<std::mutex>& lock, std::uint64_t file_bytes, const Make& make,
                             const std::function<bool()>& is_unwanted, std::size_t max_output_bytes);

    const std::size_t most_at_once_;
    MemoryShare memory_;  ///< bounds the memory of long answers
    std::atomic<bool> has_ended_{false};
    std::mutex mutex_;  ///< of all below
    std::condition_variable changed_;
    std::unordered_map<std::string, std::shared_ptr<Running>> running_;
    std::list<const void*> line_;  ///< who waits for a turn, the first one first
    std::size_t at_work_ = 0;
    Kept kept_;  ///< the latest asked for first
    std::unordered_map<std::string, Kept::iterator> kept_by_name_;
    std::size_t kept_bytes_ = 0;
};

}  // namespace snapviewer
