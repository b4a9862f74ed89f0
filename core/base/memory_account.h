#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace snapviewer {

/// Counts the memory that the threads of one job have taken, and limits it. Memory is charged where it is allocated: by
/// `operator new` and by the allocators that libraries are given, so that no code can forget it. What is freed is credited
/// to the account of the thread that frees it. Thread-safe.
class MemoryAccount {
public:
    /// Bytes that a thread may take or free before its account is informed.
    static constexpr std::int64_t k_unreported_bytes = 64 << 10;

    void set_limit(std::uint64_t bytes) { limit_bytes_.store(bytes, std::memory_order_relaxed); }
    std::uint64_t limit_bytes() const { return limit_bytes_.load(std::memory_order_relaxed); }
    std::uint64_t held_bytes() const { return static_cast<std::uint64_t>(held_bytes_.load(std::memory_order_relaxed)); }
    /// True once an allocation was refused. From then on 1 MiB more may be taken, for an error and its way to the user.
    bool is_exceeded() const { return is_exceeded_.load(std::memory_order_relaxed); }

    /// Adds `bytes`, which are negative if memory was freed; the sum never falls below zero. False, without adding them, if
    /// that would exceed the limit.
    bool charge(std::int64_t bytes) noexcept;

private:
    std::atomic<std::int64_t> held_bytes_{0};
    std::atomic<std::uint64_t> limit_bytes_{std::numeric_limits<std::int64_t>::max()};
    std::atomic<bool> is_exceeded_{false};
};

/// Makes `account`, which may be null, that of the calling thread, and returns the previous one. ContextScope calls it.
MemoryAccount* exchange_memory_account(MemoryAccount* account) noexcept;

/// malloc(), realloc() and free() that charge the account of the calling thread, for libraries that can be given an
/// allocator. Null if the system or the account refuses.
void* charged_malloc(std::size_t bytes) noexcept;
void* charged_realloc(void* block, std::size_t bytes) noexcept;
void charged_free(void* block) noexcept;

/// malloc() and free() that charge `account`, which may be null, instead of that of the thread.
void* malloc_from(MemoryAccount* account, std::size_t bytes) noexcept;
void free_to(MemoryAccount* account, void* block) noexcept;

}  // namespace snapviewer
