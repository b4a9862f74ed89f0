#include "app/serve/memory_share.h"

#include <algorithm>
#include <chrono>

#include "core/base/context.h"

namespace snapviewer {
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
        state.changed.wait_for(lock, k_look_for_stop);
    const bool has_part = is_free();
    if (has_part) state.used_bytes += bytes;
    state.line.erase(ticket);
    lock.unlock();
    state.changed.notify_all();
    return has_part ? std::make_shared<Part>(state_, bytes) : nullptr;
}

}  // namespace snapviewer
