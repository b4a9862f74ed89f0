#include "core/analysis/moved_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/units.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {
namespace {

/// The bytes that only one side holds: in total, and by code without its line numbers.
struct OneSided {
    OneSided(const GroupedPeak& own, const PeakGroups& other, CompareBy by) {
        StackKeys functions(own.snapshot, StackIdentity::functions);
        for (const auto& [key, group] : own.groups.groups) {
            if (other.groups.contains(key)) continue;
            bytes += group.bytes;
            if (!group.stack.is_some()) continue;
            by_code[by == CompareBy::source ? key.substr(0, key.rfind(':'))  // removes the line from "forward@model.py:102"
                                            : std::to_string(functions.key(group.stack))] += group.bytes;
        }
    }
    std::uint64_t bytes = 0;
    std::map<std::string, std::uint64_t> by_code;
};

std::uint64_t bytes_in_common(const OneSided& a, const OneSided& b) {
    std::uint64_t bytes = 0;
    for (const auto& [code, of_a] : a.by_code) {
        if (const auto of_b = b.by_code.find(code); of_b != b.by_code.end()) bytes += std::min(of_a, of_b->second);
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

std::optional<MovedLines> find_moved_lines(const GroupedPeak& a, const GroupedPeak& b, CompareBy by) {
    const OneSided only_a(a, b.groups, by);
    const OneSided only_b(b, a.groups, by);
    MovedLines moved;
    moved.bytes = bytes_in_common(only_a, only_b);
    const std::uint64_t lesser = std::min(only_a.bytes, only_b.bytes);
    const std::uint64_t higher_peak = std::max(peak_of(a.groups), peak_of(b.groups));
    const bool is_worth_saying = static_cast<double>(moved.bytes) >= 0.5 * static_cast<double>(lesser) &&
                                 static_cast<double>(moved.bytes) >= 0.01 * static_cast<double>(higher_peak);
    if (moved.bytes == 0 || !is_worth_saying) return std::nullopt;
    moved.only_a = left_of(a.by_function, b.by_function);
    moved.only_b = left_of(b.by_function, a.by_function);
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
