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
#include <vector>

namespace snapviewer::serve {

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

/// The answer of a command of this program, which ran in its own process and sandbox.
struct ChildAnswer {
    enum class Outcome : std::uint8_t {
        ended,      ///< The command ended by itself, with `status`
        stopped,    ///< The command was stopped because no reader waited for it
        too_slow,   ///< The command ran too long, or waited too long for its turn
        too_long,   ///< The output exceeded the limit
        no_program  ///< The command could not be started
    };

    Outcome outcome = Outcome::ended;
    int status = 0;
    std::string output = {};
    std::string messages = {};

    bool is_done() const { return outcome == Outcome::ended && status == 0; }
};

/// Maximum size of a command's output and of a picture.
inline constexpr std::size_t k_max_output_bytes = std::size_t{64} << 20;

/// Runs a command until it ends, its output reaches `max_output_bytes`, or `should_stop` returns true. Calls `should_stop` a
/// few times per second.
ChildAnswer run_child(const std::vector<std::string>& words, const std::function<bool()>& should_stop,
                      std::size_t max_output_bytes);

/// A cache of command answers, limited in bytes, and a queue of commands to run. A few commands run at once, as processors
/// and memory allow. Threads that ask for the same answer wait for a single run. Long answers that are cached or being sent
/// share a memory limit: a command whose answer turns out to be long runs again once enough memory is free. Short answers do
/// not wait for that memory. Thread-safe.
class AnswerCache {
public:
    using Answer = std::shared_ptr<const ChildAnswer>;
    /// Runs a command until it ends, `should_stop` returns true, or its output is longer than `max_output_bytes`.
    using Make = std::function<ChildAnswer(const std::function<bool()>& should_stop, std::size_t max_output_bytes)>;

    explicit AnswerCache(std::size_t most_at_once);

    /// Returns the answer with this name; runs `make` if it is not cached. `file_bytes` is the size of the file that the
    /// command reads. `is_reader_gone` is called a few times per second: the command stops when no reader waits for it.
    Answer get(const std::string& name, std::uint64_t file_bytes, const Make& make,
               const std::function<bool()>& is_reader_gone);
    /// Stops all running and waiting commands.
    void end_all();

private:
    struct Running {
        std::atomic<int> readers{0};
        Answer answer;  ///< Null until the command has ended
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
    MemoryShare memory_;  ///< Limits the memory of long answers
    std::atomic<bool> has_ended_{false};
    std::mutex mutex_;  ///< Guards all members below
    std::condition_variable changed_;
    std::unordered_map<std::string, std::shared_ptr<Running>> running_;
    std::list<const void*> line_;  ///< Threads that wait to run a command, in the order of arrival
    std::size_t at_work_ = 0;
    Kept kept_;  ///< Cached answers, most recently used first
    std::unordered_map<std::string, Kept::iterator> kept_by_name_;
    std::size_t kept_bytes_ = 0;
};

}  // namespace snapviewer::serve
