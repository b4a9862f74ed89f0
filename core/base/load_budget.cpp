#include "core/base/load_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/units.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_no_bound = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t k_pieces_between_looks = 16;

/// What no file reaches stays at the largest number.
constexpr std::uint64_t allowed(std::uint64_t free, std::uint64_t ratio, std::uint64_t bytes) {
    return bytes > (k_no_bound - free) / ratio ? k_no_bound : free + ratio * bytes;
}

template <typename... Values>
Error beyond(fmt::format_string<Values...> text, Values&&... values) {
    return {ErrorCode::unsupported, fmt::format(text, std::forward<Values>(values)...)};
}

}  // namespace

void LoadBudget::add_file(std::uint64_t file_bytes) {
    const bool is_first = file_bytes_.fetch_add(file_bytes) == 0;
    limit_memory();
    if (!is_first) return;
    const std::uint64_t held_bytes = held_();
    available_bytes_ = available_();
    const std::uint64_t part_bytes = available_bytes_ / 100 * limits::k_memory_percent;
    most_held_bytes_ = held_bytes + std::min(part_bytes, k_no_bound - held_bytes);
}

Status LoadBudget::unpack(std::uint64_t bytes) {
    const std::uint64_t unpacked_bytes = unpacked_bytes_ += bytes;
    if (unpacked_bytes <= allowed(limits::k_free_unpacked_bytes, unpacked_ratio_, file_bytes_)) {
        limit_memory();
        return {};
    }
    return beyond(
        "unpacks to at least {}, over {} times its size, which no real snapshot does; if that is intended, unpack it first "
        "and open the result",
        format_bytes(unpacked_bytes), unpacked_bytes / std::max<std::uint64_t>(file_bytes_, 1));
}

void LoadBudget::limit_memory() {
    const std::uint64_t bytes = std::max<std::uint64_t>(file_bytes_, unpacked_bytes_);
    account_.set_limit(allowed(limits::k_free_memory_bytes, limits::k_memory_bytes_a_byte, bytes));
}

Status LoadBudget::work(std::uint64_t steps) {
    if ((work_ += steps) <= allowed(limits::k_free_work, limits::k_work_a_byte, read_bytes())) return {};
    return beyond(
        "would take far longer to read than any real snapshot of its {}, because it makes the reader go through the same "
        "parts again and again",
        format_bytes(read_bytes()));
}

Status LoadBudget::foresee(std::uint64_t bytes) const {
    if (bytes <= available_bytes_) return {};
    return Error{ErrorCode::memory, fmt::format("needs about {} of memory, but only {} is available", format_bytes(bytes),
                                                format_bytes(available_bytes_))};
}

Status LoadBudget::check_memory() {
    if (memory_checks_++ % k_pieces_between_looks != 0 || held_() <= most_held_bytes_) return {};
    return Error{ErrorCode::memory, fmt::format("needs more memory than the {} available", format_bytes(most_held_bytes_))};
}

}  // namespace snapviewer
