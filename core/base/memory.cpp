#include "core/base/memory.h"

#include "core/system/memory.h"

namespace snapviewer {

namespace {

/// Number of bytes that are pre-faulted in one system call. The kernel locks the memory map of the whole process meanwhile,
/// so the calls must be short.
constexpr std::size_t k_bytes_at_once = std::size_t{256} << 10;

}  // namespace

MemoryAhead::~MemoryAhead() {
    {
        const std::lock_guard lock(mutex_);
        is_ending_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
}

void MemoryAhead::prepare(std::span<const std::byte> memory) {
    const std::lock_guard lock(mutex_);
    if (is_disabled_ || memory.empty()) return;
    if (!thread_.joinable()) {
        is_disabled_ = std::thread::hardware_concurrency() < 2;
        if (is_disabled_) return;
        thread_ = std::thread([this] { work(); });
    }
    waiting_.push_back(memory);
    changed_.notify_one();
}

void MemoryAhead::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return is_ending_ || !waiting_.empty(); });
        if (is_ending_) return;
        std::span<const std::byte>& next = waiting_.front();
        const std::span<const std::byte> part = next.first(std::min(next.size(), k_bytes_at_once));
        next = next.subspan(part.size());
        if (next.empty()) waiting_.pop_front();
        lock.unlock();
        const bool is_done = make_resident(part);
        lock.lock();
        if (!is_done) waiting_.clear();
    }
}

}  // namespace snapviewer
