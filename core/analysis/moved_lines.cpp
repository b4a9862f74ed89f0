#include "core/analysis/moved_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/units.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {
namespace {

/// What only one side holds: in all, and by the functions of its stacks.
struct OneSided {
    OneSided(const Snapshot& snapshot, const PeakGroups& own, const PeakGroups& other) {
        StackKeys functions(snapshot, StackIdentity::functions);
        for (const auto& [key, group] : own.groups) {
            if (other.groups.contains(key)) continue;
            bytes += group.bytes;
            if (group.stack.is_some()) by_functions[functions.key(group.stack)] += group.bytes;
        }
    }
    std::uint64_t bytes = 0;
    std::map<std::uint64_t, std::uint64_t> by_functions;
};

std::uint64_t bytes_in_common(const OneSided& a, const OneSided& b) {
    std::uint64_t bytes = 0;
    for (const auto& [functions, of_a] : a.by_functions) {
        if (const auto of_b = b.by_functions.find(functions); of_b != b.by_functions.end())
            bytes += std::min(of_a, of_b->second);
    }
    return bytes;
}

std::uint64_t peak_of(const PeakGroups& groups) {
    std::uint64_t bytes = 0;
    for (const auto& [key, group] : groups.groups) bytes += group.bytes;
    return bytes;
}

MovedLines::Left left_of(const PeakGroups& own, const PeakGroups& other) {
    MovedLines::Left left;
    for (const auto& [key, group] : own.groups) {
        if (other.groups.contains(key)) continue;
        ++left.rows;
        left.bytes += group.bytes;
    }
    return left;
}

std::string left_words(const MovedLines::Left& left, const char* name) {
    if (left.rows == 0) return fmt::format("nothing only in {}", name);
    return fmt::format("{} only in {}", format_bytes(left.bytes), name);
}

}  // namespace

std::optional<MovedLines> find_moved_lines(const Snapshot& snapshot_a, const PeakGroups& a, const PeakGroups& a_by_function,
                                           const Snapshot& snapshot_b, const PeakGroups& b,
                                           const PeakGroups& b_by_function) {
    const OneSided only_a(snapshot_a, a, b);
    const OneSided only_b(snapshot_b, b, a);
    MovedLines moved;
    moved.bytes = bytes_in_common(only_a, only_b);
    const std::uint64_t lesser = std::min(only_a.bytes, only_b.bytes);
    const std::uint64_t higher_peak = std::max(peak_of(a), peak_of(b));
    const bool is_worth_saying = static_cast<double>(moved.bytes) >= 0.5 * static_cast<double>(lesser) &&
                                 static_cast<double>(moved.bytes) >= 0.01 * static_cast<double>(higher_peak);
    if (moved.bytes == 0 || !is_worth_saying) return std::nullopt;
    moved.only_a = left_of(a_by_function, b_by_function);
    moved.only_b = left_of(b_by_function, a_by_function);
    return moved;
}

std::string moved_lines_sentence(const MovedLines& moved) {
    const std::string common = fmt::format(
        "{} of what only one file holds is the same code at other line numbers; grouped by function (--by function)",
        format_bytes(moved.bytes));
    if (moved.only_a.rows == 0 && moved.only_b.rows == 0)
        return common + ", neither file holds anything that the other does not.";
    return fmt::format("{}, {} and {} remain.", common, left_words(moved.only_a, "A"), left_words(moved.only_b, "B"));
}

}  // namespace snapviewer
