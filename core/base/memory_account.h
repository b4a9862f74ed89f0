#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace snapviewer {

/// Counts and limits the memory that the threads of one job allocate. `operator new` and the allocators that libraries
/// accept charge the account, so that no code can bypass it. Freed memory is credited to the account of the thread that
/// frees it. Thread-safe.
class MemoryAccount {
public:
    /// Number of bytes that a thread may allocate or free before it updates its account.
    static constexpr std::int64_t k_unreported_bytes = 64 << 10;

    /// Charges `group`, too, from now on: the account of several jobs that run at the same time. Call it before the first
    /// charge; `group` must outlive this account, which gives back there what it still holds when it ends.
    void join(MemoryAccount& group) { group_ = &group; }
    ~MemoryAccount() {
        if (group_ != nullptr) group_->charge(-held_bytes_.load(std::memory_order_relaxed));
    }
    MemoryAccount() = default;
    MemoryAccount(const MemoryAccount&) = delete;
    MemoryAccount& operator=(const MemoryAccount&) = delete;

    void set_limit(std::uint64_t bytes) { limit_bytes_.store(bytes, std::memory_order_relaxed); }
    std::uint64_t limit_bytes() const { return limit_bytes_.load(std::memory_order_relaxed); }
    std::uint64_t held_bytes() const { return static_cast<std::uint64_t>(held_bytes_.load(std::memory_order_relaxed)); }
    /// True once an allocation exceeded the limit of this account itself. From then on the limit is 1 MiB higher, so that
    /// the error can be created and reported to the user.
    bool is_exceeded() const { return is_exceeded_.load(std::memory_order_relaxed); }

    /// Adds `bytes`, which are negative for freed memory; the total never falls below zero. Returns false without adding
    /// them if the total would exceed the limit of this account or of its group.
    bool charge(std::int64_t bytes) noexcept;

private:
    std::atomic<std::int64_t> held_bytes_{0};
    std::atomic<std::uint64_t> limit_bytes_{std::numeric_limits<std::int64_t>::max()};
    std::atomic<bool> is_exceeded_{false};
    MemoryAccount* group_ = nullptr;
};

/// Sets the account of the calling thread (null for none) and returns the previous one. Called by ContextScope.
MemoryAccount* exchange_memory_account(MemoryAccount* account) noexcept;

/// malloc(), realloc() and free() that charge the account of the calling thread. For libraries that accept an allocator.
/// Return null if the system or the account refuses the memory.
void* charged_malloc(std::size_t bytes) noexcept;
void* charged_realloc(void* block, std::size_t bytes) noexcept;
void charged_free(void* block) noexcept;

/// malloc() and free() that charge `account` (null for none) instead of the account of the thread.
void* malloc_from(MemoryAccount* account, std::size_t bytes) noexcept;
void free_to(MemoryAccount* account, void* block) noexcept;

}  // namespace snapviewer
