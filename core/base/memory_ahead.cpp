#include "core/base/memory_ahead.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace snapviewer {
namespace {

constexpr int k_populate_write = 23;  // MADV_POPULATE_WRITE of Linux 5.14, which older headers do not name
/// The system holds a lock on all of the process's memory for so many bytes at once.
constexpr std::size_t k_bytes_at_once = std::size_t{256} << 10;

/// All pages that have a part in it. False if the system cannot.
bool populate(std::span<const std::byte> memory) {
    static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data()) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(memory.data()) + memory.size();
    return ::madvise(reinterpret_cast<void*>(begin), end - begin, k_populate_write) == 0;
}

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
    if (is_of_no_use_ || memory.empty()) return;
    if (!thread_.joinable()) {
        is_of_no_use_ = std::thread::hardware_concurrency() < 2;
        if (is_of_no_use_) return;
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
        const bool is_done = populate(part);
        lock.lock();
        if (!is_done) waiting_.clear();
    }
}

}  // namespace snapviewer
