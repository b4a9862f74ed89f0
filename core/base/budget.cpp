#include "core/base/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string_view>

#include "core/base/units.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_no_bound = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t k_pieces_between_looks = 16;

/// Returns free + ratio * bytes, or the largest number if that overflows.
constexpr std::uint64_t allowed(std::uint64_t free, std::uint64_t ratio, std::uint64_t bytes) {
    return bytes > (k_no_bound - free) / ratio ? k_no_bound : free + ratio * bytes;
}

/// True under Valgrind and in builds with sanitizers: they make the program so slow that the time limit must not apply.
bool is_slowed_down() {
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
    most_held_bytes_ = held_bytes + std::min(part_bytes, k_no_bound - held_bytes);
}

void Budget::add_file_at(const std::string& path) {
    std::error_code unknown;
    const std::uintmax_t file_bytes = std::filesystem::file_size(path, unknown);
    add_file(unknown ? 0 : file_bytes);
}

Status Budget::unpack(std::uint64_t bytes) {
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

void Budget::limit_memory() {
    const std::uint64_t bytes = std::max<std::uint64_t>(file_bytes_, unpacked_bytes_);
    account_.set_limit(allowed(limits::k_free_memory_bytes, limits::k_memory_bytes_a_byte, bytes + member_bytes_));
    if (group_ == nullptr) return;
    group_->member_bytes_ += bytes - known_to_group_bytes_.exchange(bytes);  // wraps around if it is less than before
    group_->limit_memory();
}

std::uint64_t Budget::most_memory_bytes(std::uint64_t file_bytes) {
    const std::uint64_t most_unpacked = allowed(limits::k_free_unpacked_bytes, limits::k_dense_unpacked_ratio, file_bytes);
    return allowed(limits::k_free_memory_bytes, limits::k_memory_bytes_a_byte, most_unpacked);
}

std::uint64_t Budget::most_written_bytes() const {
    return allowed(limits::k_free_written_bytes, limits::k_written_bytes_a_byte, read_bytes());
}

Status Budget::write(std::uint64_t bytes, std::string_view advice) {
    if ((written_bytes_ += bytes) <= most_written_bytes()) return {};
    return beyond("would expand its {} to more than {}, because the same parts are written out again and again; {}",
                  format_bytes(read_bytes()), format_bytes(most_written_bytes()), advice);
}

bool Budget::is_late() const {
    static const bool has_deadline = !is_slowed_down();
    const std::uint64_t most_ns = allowed(limits::k_free_time_ns, limits::k_time_ns_a_byte, read_bytes() + written_bytes_);
    return time_ns_.load(std::memory_order_relaxed) > most_ns && read_bytes() > 0 && has_deadline;
}

Error Budget::late_error() const {
    return beyond(
        "takes far more time than any real snapshot of its {}, because it makes the reader go through the same parts again "
        "and "
        "again",
        format_bytes(read_bytes()));
}

void limit_memory_by_kernel(std::span<const std::string> paths) {
    constexpr std::uint64_t k_not_counted_bytes = std::uint64_t{2} << 30;
    if (is_slowed_down()) return;
    std::uint64_t bytes = 0;
    for (const std::string& path : paths) {
        std::error_code unknown;
        bytes += std::filesystem::file_size(path, unknown);
        if (unknown) return;
    }
    const std::uint64_t most = Budget::most_memory_bytes(bytes);
    if (most < k_no_bound - k_not_counted_bytes) limit_memory_of_process(most + k_not_counted_bytes);
}

Status Budget::foresee(std::uint64_t bytes) const {
    if (bytes <= available_bytes_) return {};
    return Error{ErrorCode::memory, fmt::format("needs about {} of memory, but only {} is available", format_bytes(bytes),
                                                format_bytes(available_bytes_))};
}

Status Budget::check_memory() {
    if (memory_checks_++ % k_pieces_between_looks != 0 || held_() <= most_held_bytes_) return {};
    return Error{ErrorCode::memory, fmt::format("needs more memory than the {} available", format_bytes(most_held_bytes_))};
}

}  // namespace snapviewer
