#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace snapviewer {

/// A set of small integers with fast search for the next or previous member. It is a bitmap with summary bitmaps above it,
/// so every operation takes a few nanoseconds. Allocates memory only in the constructor.
class RankSet {
public:
    static constexpr std::uint32_t k_none = 0xFFFFFFFF;

    /// Creates an empty set for numbers below `limit`.
    explicit RankSet(std::size_t limit) {
        do {
            limit = (limit + 63) / 64;
            levels_.emplace_back(limit == 0 ? 1 : limit);
        } while (limit > 1);
    }

    bool contains(std::uint32_t number) const { return (levels_[0][number / 64] >> (number % 64) & 1) != 0; }

    void insert(std::uint32_t number) {
        for (auto& level : levels_) {
            std::uint64_t& word = level[number / 64];
            const bool was_empty = word == 0;
            word |= std::uint64_t{1} << (number % 64);
            if (!was_empty) return;
            number /= 64;
        }
    }

    void erase(std::uint32_t number) {
        for (auto& level : levels_) {
            std::uint64_t& word = level[number / 64];
            word &= ~(std::uint64_t{1} << (number % 64));
            if (word != 0) return;
            number /= 64;
        }
    }

    /// The smallest member that is at least `number`, or k_none.
    std::uint32_t next_from(std::uint32_t number) const {
        for (std::size_t depth = 0; depth < levels_.size(); ++depth) {
            const std::size_t word = number / 64;
            if (word >= levels_[depth].size()) return k_none;
            const std::uint64_t above = levels_[depth][word] >> (number % 64);
            if (above != 0) return descend(depth, number + static_cast<std::uint32_t>(std::countr_zero(above)), false);
            number = static_cast<std::uint32_t>(word) + 1;
        }
        return k_none;
    }

    /// The largest member that is at most `number`, or k_none.
    std::uint32_t last_up_to(std::uint32_t number) const {
        for (std::size_t depth = 0; depth < levels_.size(); ++depth) {
            const std::uint64_t below = levels_[depth][number / 64] << (63 - number % 64);
            if (below != 0) return descend(depth, number - static_cast<std::uint32_t>(std::countl_zero(below)), true);
            if (number < 64) return k_none;
            number = number / 64 - 1;
        }
        return k_none;
    }
    /// The largest member below `number`, or k_none.
    std::uint32_t last_below(std::uint32_t number) const { return number == 0 ? k_none : last_up_to(number - 1); }

private:
    /// Returns the smallest or the largest member below a set bit of a summary bitmap.
    std::uint32_t descend(std::size_t depth, std::uint32_t number, bool to_largest) const {
        while (depth-- > 0) {
            const std::uint64_t word = levels_[depth][number];
            number =
                number * 64 + static_cast<std::uint32_t>(to_largest ? 63 - std::countl_zero(word) : std::countr_zero(word));
        }
        return number;
    }

    /// Bitmap of the members, then summary bitmaps: each bit tells whether a word of the previous level is not 0
    std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace snapviewer
