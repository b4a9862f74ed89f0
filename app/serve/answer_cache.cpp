#include "app/serve/answer_cache.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/context.h"
#include "core/system/memory.h"
#include "core/system/processes.h"

namespace snapviewer::serve {
namespace {

constexpr std::chrono::minutes k_max_wait{5};  // maximum wait while other readers receive their answers

}  // namespace

MemoryShare::MemoryShare(std::size_t limit_bytes) : state_(std::make_shared<State>(limit_bytes)) {}

void MemoryShare::Part::shrink_to(std::size_t bytes) {
    {
        const std::lock_guard lock(state_->mutex);
        state_->used_bytes -= bytes_ - std::min(bytes, bytes_);
        bytes_ = std::min(bytes, bytes_);
    }
    state_->changed.notify_all();
}

std::shared_ptr<MemoryShare::Part> MemoryShare::take(std::size_t bytes, const std::function<bool()>& is_unwanted) {
    State& state = *state_;
    std::unique_lock lock(state.mutex);
    const auto ticket = state.line.insert(state.line.end(), &bytes);
    const auto end = std::chrono::steady_clock::now() + k_max_wait;
    const auto is_free = [&] {
        return ticket == state.line.begin() && (state.used_bytes == 0 || state.used_bytes + bytes <= state.limit_bytes);
    };
    while (!is_free() && !is_unwanted() && std::chrono::steady_clock::now() < end)
        state.changed.wait_for(lock, k_stop_poll_interval);
    const bool has_part = is_free();
    if (has_part) state.used_bytes += bytes;
    state.line.erase(ticket);
    lock.unlock();
    state.changed.notify_all();
    return has_part ? std::make_shared<Part>(state_, bytes) : nullptr;
}

namespace {

constexpr std::size_t k_max_message_bytes = 16 << 10;
constexpr std::chrono::minutes k_max_run{5};

/// Appends `more` to `text`. Reserves the maximum size once `text` is long: the kernel only provides the pages that are
/// written, whereas a string that grows step by step leaves its smaller copies in the heap.
void append(std::string& text, std::string_view more) {
    constexpr std::size_t k_long_bytes = 1 << 20;
    if (text.size() < k_long_bytes && text.size() + more.size() >= k_long_bytes)
        text.reserve(k_max_output_bytes + more.size());
    text += more;
}

}  // namespace

ChildAnswer run_child(const std::vector<std::string>& words, const std::function<bool()>& should_stop,
                      std::size_t max_output_bytes) {
    using Outcome = ChildAnswer::Outcome;
    ChildAnswer answer;
    std::error_code failed;
    const auto program = ChildProgram::start(words, "", ChildProgram::Terminal::none, failed);
    if (!program) return {.outcome = Outcome::no_program, .messages = failed.message()};
    const auto end = std::chrono::steady_clock::now() + k_max_run;
    const auto give_up = [&](Outcome why) {
        answer.outcome = why;
        program->end();
    };
    std::vector<char> room(64 << 10);
    for (int open_streams = 2; open_streams > 0;) {
        const auto piece = program->read(room, k_stop_poll_interval);
        if (piece && piece->size_bytes == 0) --open_streams;
        const bool is_message = piece && piece->stream == ChildProgram::Stream::messages;
        std::string& text = is_message ? answer.messages : answer.output;
        if (piece && text.size() < (is_message ? k_max_message_bytes : max_output_bytes))
            append(text, {room.data(), piece->size_bytes});
        if (answer.outcome != Outcome::ended) continue;
        if (answer.output.size() >= max_output_bytes) give_up(Outcome::too_long);
        if (should_stop()) give_up(Outcome::stopped);
        if (std::chrono::steady_clock::now() > end) give_up(Outcome::too_slow);
    }
    answer.status = program->wait();
    if (answer.output.size() < k_max_output_bytes / 4) answer.output.shrink_to_fit();
    return answer;
}

namespace {

using Outcome = ChildAnswer::Outcome;

constexpr std::size_t k_max_short_bytes = 1 << 20;  // answers up to this size do not count towards the memory limit
constexpr std::size_t k_max_kept_bytes = std::size_t{64} << 20;
constexpr std::size_t k_max_long_bytes =
    k_max_kept_bytes + 3 * k_max_output_bytes;  // upper bound for all long answers together
constexpr std::chrono::minutes k_max_queue_wait{1};
/// Memory that a command needs in addition to twice the size of its file.
constexpr std::uint64_t k_memory_beside_bytes = std::uint64_t{256} << 20;

ChildAnswer unmade(Outcome why) { return {.outcome = why}; }

ChildAnswer made(const AnswerCache::Make& make, const std::function<bool()>& should_stop, std::size_t max_output_bytes) {
    try {
        return make(should_stop, max_output_bytes);
    } catch (const std::exception& error) {  // out of memory or threads; still returned, because others wait for it
        return {.outcome = Outcome::no_program, .messages = error.what()};
    }
}

std::size_t held_bytes(const std::string& name, const ChildAnswer& answer) {
    constexpr std::size_t k_of_lists = 256;
    return answer.output.size() + answer.messages.size() + 2 * name.size() + k_of_lists;
}

}  // namespace

AnswerCache::AnswerCache(std::size_t most_at_once) : most_at_once_(most_at_once), memory_(k_max_long_bytes) {}

AnswerCache::Answer AnswerCache::get(const std::string& name, std::uint64_t file_bytes, const Make& make,
                                     const std::function<bool()>& is_reader_gone) {
    std::unique_lock lock(mutex_);
    if (const auto kept = kept_by_name_.find(name); kept != kept_by_name_.end()) {
        kept_.splice(kept_.begin(), kept_, kept->second);
        return kept->second->second;
    }
    std::shared_ptr<Running>& entry = running_[name];
    const bool is_first = entry == nullptr;
    if (is_first) entry = std::make_shared<Running>();
    const std::shared_ptr<Running> running = entry;
    ++running->readers;
    if (!is_first) return wait_for_other(lock, *running, is_reader_gone);

    const auto is_unwanted = [&] { return has_ended_ || (is_reader_gone() && running->readers == 1); };
    const Answer answer = made_with_memory(lock, file_bytes, make, is_unwanted);
    running->answer = answer;
    running_.erase(name);
    if (answer->is_done()) keep(name, answer);
    changed_.notify_all();
    return answer;
}

AnswerCache::Answer AnswerCache::made_with_memory(std::unique_lock<std::mutex>& lock, std::uint64_t file_bytes,
                                                  const Make& make, const std::function<bool()>& is_unwanted) {
    /// An answer with its share of the memory, which is released with the last copy of the answer.
    struct Held {
        std::shared_ptr<MemoryShare::Part> part;
        ChildAnswer answer;
    };
    const auto held = std::make_shared<Held>();
    held->part = memory_.take(k_max_output_bytes, [] { return true; });
    const std::size_t room_bytes = held->part != nullptr ? k_max_output_bytes : k_max_short_bytes;
    held->answer = made_in_turn(lock, file_bytes, make, is_unwanted, room_bytes);
    if (held->part == nullptr && held->answer.outcome == Outcome::too_long) {
        lock.unlock();
        held->part = memory_.take(k_max_output_bytes, is_unwanted);
        lock.lock();
        held->answer = held->part != nullptr ? made_in_turn(lock, file_bytes, make, is_unwanted, k_max_output_bytes)
                                             : unmade(is_unwanted() ? Outcome::stopped : Outcome::too_slow);
    }
    const std::size_t size_bytes = held->answer.output.size();
    if (held->part != nullptr) held->part->shrink_to(size_bytes > k_max_short_bytes ? size_bytes : 0);
    return {held, &held->answer};
}

ChildAnswer AnswerCache::made_in_turn(std::unique_lock<std::mutex>& lock, std::uint64_t file_bytes, const Make& make,
                                      const std::function<bool()>& is_unwanted, std::size_t max_output_bytes) {
    if (!wait_for_turn(lock, file_bytes, is_unwanted)) return unmade(is_unwanted() ? Outcome::stopped : Outcome::too_slow);
    ++at_work_;
    lock.unlock();
    ChildAnswer answer = made(make, is_unwanted, max_output_bytes);
    lock.lock();
    --at_work_;
    return answer;
}

void AnswerCache::end_all() {
    has_ended_ = true;
    changed_.notify_all();
}

bool AnswerCache::wait_for_turn(std::unique_lock<std::mutex>& lock, std::uint64_t file_bytes,
                                const std::function<bool()>& is_unwanted) {
    const void* const ticket = &lock;
    line_.push_back(ticket);
    const auto end = std::chrono::steady_clock::now() + k_max_queue_wait;
    const auto is_our_turn = [&] {
        if (line_.front() != ticket || at_work_ >= most_at_once_) return false;
        return at_work_ == 0 || available_memory_bytes() > 2 * file_bytes + k_memory_beside_bytes;
    };
    bool has_turn = is_our_turn();
    while (!has_turn && !is_unwanted() && std::chrono::steady_clock::now() < end) {
        changed_.wait_for(lock, k_stop_poll_interval);
        has_turn = is_our_turn();
    }
    line_.remove(ticket);
    changed_.notify_all();
    return has_turn;
}

AnswerCache::Answer AnswerCache::wait_for_other(std::unique_lock<std::mutex>& lock, Running& running,
                                                const std::function<bool()>& is_reader_gone) {
    while (running.answer == nullptr && !has_ended_ && !is_reader_gone()) changed_.wait_for(lock, k_stop_poll_interval);
    --running.readers;
    return running.answer != nullptr ? running.answer : std::make_shared<const ChildAnswer>(unmade(Outcome::stopped));
}

void AnswerCache::keep(const std::string& name, const Answer& answer) {
    const std::size_t bytes = held_bytes(name, *answer);
    if (bytes > k_max_kept_bytes / 4) return;
    kept_.emplace_front(name, answer);
    kept_by_name_[name] = kept_.begin();
    kept_bytes_ += bytes;
    while (kept_bytes_ > k_max_kept_bytes) {
        kept_bytes_ -= held_bytes(kept_.back().first, *kept_.back().second);
        kept_by_name_.erase(kept_.back().first);
        kept_.pop_back();
    }
}

}  // namespace snapviewer::serve
