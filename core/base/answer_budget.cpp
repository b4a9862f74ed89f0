#include "core/base/answer_budget.h"

#include <fmt/format.h>

#include <limits>

#include "core/base/units.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t most_of(std::uint64_t free, std::uint64_t ratio, std::uint64_t bytes) {
    constexpr std::uint64_t k_no_bound = std::numeric_limits<std::uint64_t>::max();
    return bytes > (k_no_bound - free) / ratio ? k_no_bound : free + ratio * bytes;
}

bool charge(std::uint64_t& account, std::uint64_t amount, std::uint64_t most) {
    if (amount > most || account > most - amount) return false;
    account += amount;
    return true;
}

}  // namespace

bool AnswerBudget::hold(std::uint64_t bytes) { return charge(held_bytes_, bytes, most_held_bytes()); }

bool AnswerBudget::write(std::uint64_t bytes) { return charge(written_bytes_, bytes, most_written_bytes()); }

bool AnswerBudget::work(std::uint64_t steps) {
    return charge(work_, steps, most_of(limits::k_free_answer_work, limits::k_answer_work_a_byte, read_bytes_));
}

std::uint64_t AnswerBudget::most_held_bytes() const {
    return most_of(limits::k_free_held_bytes, limits::k_held_bytes_a_byte, read_bytes_);
}

std::uint64_t AnswerBudget::most_written_bytes() const {
    return most_of(limits::k_free_written_bytes, limits::k_written_bytes_a_byte, read_bytes_);
}

Error AnswerBudget::too_long(std::string_view advice) const {
    return {ErrorCode::unsupported,
            fmt::format("would expand its {1} to more than {0}, because the same parts are written out again and again; {2}",
                        format_bytes(most_written_bytes()), format_bytes(read_bytes_), advice)};
}

std::string how_many_more(std::size_t count, std::string_view noun) {
    return fmt::format("\u2026 {} more {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

std::string more_frames(std::size_t count) { return how_many_more(count, "frame"); }

}  // namespace snapviewer
