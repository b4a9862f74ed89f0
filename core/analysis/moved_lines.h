#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/analysis/compare.h"

namespace snapviewer {

/// How much of what only one of two recordings holds is the same code at other lines, and what a comparison by function
/// leaves.
struct MovedLines {
    struct Left {
        std::size_t rows = 0;
        std::uint64_t bytes = 0;
    };
    std::uint64_t bytes = 0;  ///< with the same functions on both sides, the lesser of both, summed
    Left only_a;              ///< of a comparison by function
    Left only_b;
};

/// One of two recordings: its peak by the asked grouping and by function.
struct GroupedPeak {
    const Snapshot& snapshot;
    const PeakGroups& groups;
    const PeakGroups& by_function;
};

/// Of groups by stack or python, the same code has the same functions in all of its stack; by source, the same function of
/// the same file. Given where what moved is at least half of the lesser box and 1 % of the higher peak. O(groups + text of
/// the stacks in the two boxes).
std::optional<MovedLines> find_moved_lines(const GroupedPeak& a, const GroupedPeak& b, CompareBy by);

/// What a reader should do about it, as a sentence.
std::string moved_lines_sentence(const MovedLines& moved);

}  // namespace snapviewer
