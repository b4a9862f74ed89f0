#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/analysis/compare.h"

namespace snapviewer {

/// How much of the memory that only one of two recordings holds comes from the same code at other line numbers, and which
/// differences remain in a comparison by function.
struct MovedLines {
    struct Left {
        std::size_t rows = 0;
        std::uint64_t bytes = 0;
    };
    std::uint64_t bytes = 0;  ///< Sum over all functions of the smaller of both sides' bytes
    Left only_a;              ///< Rows that exist only in A in a comparison by function
    Left only_b;
};

/// The peak of one of two recordings, grouped as requested and also by function.
struct GroupedPeak {
    const Snapshot& snapshot;
    const PeakGroups& groups;
    const PeakGroups& by_function;
};

/// Finds moved lines. In groups by stack or python, code is the same if all functions of the stack are the same. In groups
/// by source, it is the same function of the same file. Returns nullopt unless the moved bytes are at least half of the
/// smaller one-sided total and 1 % of the higher peak. O(groups + text of the one-sided stacks).
std::optional<MovedLines> find_moved_lines(const GroupedPeak& a, const GroupedPeak& b, CompareBy by);

/// A sentence for users with the moved bytes and the advice to group by function.
std::string moved_lines_sentence(const MovedLines& moved);

}  // namespace snapviewer
