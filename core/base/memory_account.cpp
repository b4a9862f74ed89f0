#include "core/base/memory_account.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <utility>

#include "core/system/memory.h"
#include "core/system/threads.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_reserve_bytes = 1 << 20;

struct ThreadCharge {
    MemoryAccount* account = nullptr;
    std::int64_t unreported_bytes = 0;
};

/// Returns the state of the calling thread. A WebAssembly program that is linked without threads does not support
/// thread_local, so it uses a static variable.
ThreadCharge& charge_of_this_thread() {
    static constinit ThreadCharge alone;
    static constinit thread_local ThreadCharge of_thread;
    return has_threads() ? of_thread : alone;
}

bool report(ThreadCharge& charge) { return charge.account->charge(std::exchange(charge.unreported_bytes, 0)); }

void count_freed(ThreadCharge& charge, std::size_t bytes) {
    charge.unreported_bytes -= static_cast<std::int64_t>(bytes);
    if (charge.unreported_bytes <= -MemoryAccount::k_unreported_bytes) report(charge);
}

/// Adds `bytes` to the count. Returns false without counting them if the account refuses them.
bool count_taken(ThreadCharge& charge, std::size_t bytes) {
    const std::int64_t before_bytes = charge.unreported_bytes;
    charge.unreported_bytes += static_cast<std::int64_t>(bytes);
    if (charge.unreported_bytes < MemoryAccount::k_unreported_bytes || report(charge)) return true;
    charge.unreported_bytes = before_bytes;
    return false;
}

}  // namespace

bool MemoryAccount::charge(std::int64_t bytes) noexcept {
    std::int64_t held = held_bytes_.load(std::memory_order_relaxed);
    std::int64_t sum = 0;
    do {
        sum = std::max<std::int64_t>(held + bytes, 0);
        const std::uint64_t most = limit_bytes() + (is_exceeded() ? k_reserve_bytes : 0);
        if (bytes > 0 && static_cast<std::uint64_t>(sum) > most) {
            is_exceeded_.store(true, std::memory_order_relaxed);
            // During stack unwinding the limit does not apply: destructors of JSON values allocate, and an exception that
            // leaves a destructor would terminate the program.
            if (std::uncaught_exceptions() == 0) return false;
        }
    } while (!held_bytes_.compare_exchange_weak(held, sum, std::memory_order_relaxed));
    if (group_ == nullptr || group_->charge(sum - held)) return true;
    held_bytes_.fetch_sub(sum - held, std::memory_order_relaxed);
    return false;
}

MemoryAccount* exchange_memory_account(MemoryAccount* account) noexcept {
    ThreadCharge& charge = charge_of_this_thread();
    if (charge.account != nullptr) report(charge);
    charge.unreported_bytes = 0;
    return std::exchange(charge.account, account);
}

void* charged_malloc(std::size_t bytes) noexcept {
    void* const block = std::malloc(std::max<std::size_t>(bytes, 1));
    ThreadCharge& charge = charge_of_this_thread();
    if (block == nullptr || charge.account == nullptr || count_taken(charge, allocated_bytes(block))) return block;
    std::free(block);
    return nullptr;
}

void* charged_realloc(void* block, std::size_t bytes) noexcept {
    if (block == nullptr) return charged_malloc(bytes);
    ThreadCharge& charge = charge_of_this_thread();
    if (charge.account == nullptr) return std::realloc(block, bytes);
    const std::size_t before_bytes = allocated_bytes(block);
    if (bytes > before_bytes && !count_taken(charge, bytes - before_bytes)) return nullptr;
    void* const moved = std::realloc(block, bytes);
    const auto counted_bytes = static_cast<std::int64_t>(std::max(before_bytes, bytes));
    charge.unreported_bytes += static_cast<std::int64_t>(allocated_bytes(moved != nullptr ? moved : block)) - counted_bytes;
    return moved;
}

void charged_free(void* block) noexcept {
    ThreadCharge& charge = charge_of_this_thread();
    if (block != nullptr && charge.account != nullptr) count_freed(charge, allocated_bytes(block));
    std::free(block);
}

void* malloc_from(MemoryAccount* account, std::size_t bytes) noexcept {
    void* const block = std::malloc(std::max<std::size_t>(bytes, 1));
    if (block == nullptr || account == nullptr || account->charge(static_cast<std::int64_t>(allocated_bytes(block))))
        return block;
    std::free(block);
    return nullptr;
}

void free_to(MemoryAccount* account, void* block) noexcept {
    if (block != nullptr && account != nullptr) account->charge(-static_cast<std::int64_t>(allocated_bytes(block)));
    std::free(block);
}

}  // namespace snapviewer

#ifndef SNAPVIEWER_UNCHARGED_NEW  // sanitizers replace operator new themselves

void* operator new(std::size_t bytes) {
    void* const block = snapviewer::charged_malloc(bytes);
    if (block == nullptr) throw std::bad_alloc();
    return block;
}

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return snapviewer::charged_malloc(bytes); }
void operator delete(void* block) noexcept { snapviewer::charged_free(block); }
void operator delete(void* block, std::size_t) noexcept { snapviewer::charged_free(block); }

#endif
