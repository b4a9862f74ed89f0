#include "core/base/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <utility>

#include "core/base/text.h"
#include "core/system/threads.h"

namespace snapviewer {
std::string more_items(std::size_t count, std::string_view noun) {
    return "\u2026 " + counted(count, "more " + std::string(noun));
}

std::string more_frames(std::size_t count) { return more_items(count, "frame"); }

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

bool report_charge(ThreadCharge& charge) { return charge.account->charge(std::exchange(charge.unreported_bytes, 0)); }

void count_freed(ThreadCharge& charge, std::size_t bytes) {
    charge.unreported_bytes -= static_cast<std::int64_t>(bytes);
    if (charge.unreported_bytes <= -MemoryAccount::k_unreported_bytes) report_charge(charge);
}

/// Adds `bytes` to the count. Returns false without counting them if the account refuses them.
bool count_taken(ThreadCharge& charge, std::size_t bytes) {
    const std::int64_t before_bytes = charge.unreported_bytes;
    charge.unreported_bytes += static_cast<std::int64_t>(bytes);
    if (charge.unreported_bytes < MemoryAccount::k_unreported_bytes || report_charge(charge)) return true;
    charge.unreported_bytes = before_bytes;
    return false;
}

constexpr std::uint64_t k_no_bound = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t k_calls_per_check = 16;

/// Returns free + ratio * bytes, or the largest number if that overflows.
constexpr std::uint64_t allowed(std::uint64_t free, std::uint64_t ratio, std::uint64_t bytes) {
    return bytes > (k_no_bound - free) / ratio ? k_no_bound : free + ratio * bytes;
}

/// True under Valgrind and in builds with sanitizers: they make the program so slow that the time limit must not apply.
bool is_instrumented_build() {
#ifdef SNAPVIEWER_UNCHARGED_NEW
    return true;
#endif
    const char* preloaded = std::getenv("LD_PRELOAD");
    return preloaded != nullptr && std::string_view(preloaded).find("vgpreload") != std::string_view::npos;
}

template <typename... Values>
Error beyond(fmt::format_string<Values...> text, Values&&... values) {
    return {ErrorCode::unsupported, fmt::format(text, std::forward<Values>(values)...)};
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
    if (charge.account != nullptr) report_charge(charge);
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

Budget::~Budget() {
    if (group_ == nullptr) return;
    group_->member_bytes_ -= known_to_group_bytes_;
    group_->limit_memory();
}

void Budget::join(Budget& group) {
    group_ = &group;
    account_.join(group.account_);
    limit_memory();
}

void Budget::add_file(std::uint64_t file_bytes) {
    const bool is_first = file_bytes_.fetch_add(file_bytes) == 0;
    limit_memory();
    if (!is_first) return;
    const std::uint64_t held_bytes = held_();
    available_bytes_ = available_();
    const std::uint64_t part_bytes = available_bytes_ / 100 * limits::k_memory_percent;
    max_held_bytes_ = held_bytes + std::min(part_bytes, k_no_bound - held_bytes);
}

void Budget::add_file_at(const std::string& path) {
    std::error_code unknown;
    const std::uintmax_t file_bytes = std::filesystem::file_size(path, unknown);
    add_file(unknown ? 0 : file_bytes);
}

Status Budget::unpack(std::uint64_t bytes) {
    const std::uint64_t unpacked_bytes = unpacked_bytes_ += bytes;
    if (unpacked_bytes <= allowed(limits::k_base_unpacked_bytes, unpacked_ratio_, file_bytes_)) {
        limit_memory();
        return {};
    }
    return beyond(
        "unpacks to at least {}, over {} times its size, which no real snapshot does; if that is intended, unpack it first "
        "and open the result",
        format_bytes(unpacked_bytes), unpacked_bytes / std::max<std::uint64_t>(file_bytes_, 1));
}

void Budget::limit_memory() {
    const std::uint64_t bytes = std::max<std::uint64_t>(file_bytes_, unpacked_bytes_);
    account_.set_limit(allowed(limits::k_base_memory_bytes, limits::k_memory_per_input_byte, bytes + member_bytes_));
    if (group_ == nullptr) return;
    // The difference is below 0 if `bytes` has become smaller. Then it wraps around, and so does the sum.
    group_->member_bytes_ += bytes - known_to_group_bytes_.exchange(bytes);
    group_->limit_memory();
}

std::uint64_t Budget::max_memory_bytes(std::uint64_t file_bytes) {
    const std::uint64_t max_unpacked = allowed(limits::k_base_unpacked_bytes, limits::k_dense_unpacked_ratio, file_bytes);
    return allowed(limits::k_base_memory_bytes, limits::k_memory_per_input_byte, max_unpacked);
}

std::uint64_t Budget::max_written_bytes() const {
    return allowed(limits::k_base_written_bytes, limits::k_written_per_input_byte, read_bytes());
}

Status Budget::write(std::uint64_t bytes, std::string_view advice) {
    if ((written_bytes_ += bytes) <= max_written_bytes()) return {};
    return beyond("would expand its {} to more than {}, because the same parts are written out again and again; {}",
                  format_bytes(read_bytes()), format_bytes(max_written_bytes()), advice);
}

bool Budget::is_late() const {
    static const bool has_deadline = !is_instrumented_build();
    const std::uint64_t max_ns =
        allowed(limits::k_base_time_ns, limits::k_time_ns_per_input_byte, read_bytes() + written_bytes_);
    return time_ns_.load(std::memory_order_relaxed) > max_ns && read_bytes() > 0 && has_deadline;
}

Error Budget::late_error() const {
    return beyond(
        "takes far more time than any real snapshot of its {}, because it makes the reader go through the same parts "
        "again and again",
        format_bytes(read_bytes()));
}

void limit_memory_by_kernel(std::span<const std::string> paths) {
    constexpr std::uint64_t k_not_counted_bytes = std::uint64_t{2} << 30;
    if (is_instrumented_build()) return;
    std::uint64_t bytes = 0;
    for (const std::string& path : paths) {
        std::error_code unknown;
        bytes += std::filesystem::file_size(path, unknown);
        if (unknown) return;
    }
    const std::uint64_t most = Budget::max_memory_bytes(bytes);
    if (most < k_no_bound - k_not_counted_bytes) limit_memory_of_process(most + k_not_counted_bytes);
}

Status Budget::check_estimate(std::uint64_t bytes) const {
    if (bytes <= available_bytes_) return {};
    return Error{ErrorCode::memory, fmt::format("needs about {} of memory, but only {} is available", format_bytes(bytes),
                                                format_bytes(available_bytes_))};
}

Status Budget::check_memory() {
    if (memory_checks_++ % k_calls_per_check != 0 || held_() <= max_held_bytes_) return {};
    return Error{ErrorCode::memory, fmt::format("needs more memory than the {} available", format_bytes(max_held_bytes_))};
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
