#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/kinds/kinds.h"
#include "core/analysis/steps/steps.h"
#include "core/timeline/timeline.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// The property by which allocations of two files are matched.
enum class CompareBy : std::uint8_t {
    source,    ///< The source line of the program that represents the stack
    function,  ///< The functions in the stack, regardless of lines
    stack,     ///< All lines in the stack
    python,    ///< The Python lines in the stack, without C++
    kind,      ///< The kind of the allocation, see Kinds
    /// The innermost module that the allocation belongs to, see Modules.
    module,
};

/// The allocations of each file that are compared, and the moment at which.
enum class CompareBasis : std::uint8_t {
    all,
    recorded,  ///< Allocations that the trace recorded, at the peak of all allocations
    alone,     ///< Allocations that the trace recorded, at the peak of these allocations
};

std::vector<std::string> compare_by_names();     ///< Names in the order of CompareBy
std::vector<std::string> compare_basis_names();  ///< Names in the order of CompareBasis
std::optional<CompareBy> compare_by_named(std::string_view name);
std::optional<CompareBasis> compare_basis_named(std::string_view name);

/// The allocations that are live at one moment, in groups.
struct PeakGroups {
    struct Group {
        std::uint64_t bytes = 0;
        std::uint64_t count = 0;
        std::string source;
        StackId stack = StackId::none();  ///< One of the stacks of the group
    };
    std::uint32_t tick = 0;
    std::map<std::string, Group>
        groups;  ///< Groups by key: "before", "none", a hash in hexadecimal, the source, the kind, or the module
};

/// Key of the group of allocations from before the recording that have no stack.
inline constexpr std::string_view k_compared_before = "before";
inline constexpr std::string_view k_compared_no_stack = "none";

/// Computes the keys of groups from stacks. Not for kinds and modules, because one stack may allocate for several of them.
/// Keeps references to its arguments. Not thread-safe.
class ComparedNames {
public:
    ComparedNames(const Snapshot& snapshot, const StackLines& lines, CompareBy by);
    std::string name(StackId stack);

private:
    const StackLines& lines_;
    CompareBy by_;
    std::optional<StackKeys> keys_;  ///< Set for a grouping whose keys `lines` does not have
};

/// Groups the allocations at the largest total of the device. Throws a Failure only when stopped. O(live + text of its
/// distinct stacks).
PeakGroups group_peak(const Timeline& timeline, const StackLines& lines, CompareBy by, CompareBasis basis);
/// Groups the allocations at the peak by kind. With CompareBasis::all, the totals equal those of the report. O(live).
PeakGroups group_peak_by_kind(const Timeline& timeline, const Kinds& kinds, CompareBasis basis);
/// Groups the allocations at the peak by module. O(live).
PeakGroups group_peak_by_module(const Timeline& timeline, const Modules& modules, CompareBasis basis);
/// Returns the key of an allocation in the groups of group_peak_by_module().
std::string compared_module(const Modules& modules, AllocationId id);

/// The differences of two peaks, group by group.
struct PeakComparison {
    struct Row {
        std::string key;
        std::string source;
        std::uint64_t bytes_a = 0;
        std::uint64_t count_a = 0;
        std::uint64_t bytes_b = 0;
        std::uint64_t count_b = 0;
        std::int64_t delta_bytes() const { return static_cast<std::int64_t>(bytes_b - bytes_a); }
    };
    std::vector<Row> only_a;  ///< Rows are sorted by difference, largest first
    std::vector<Row> both;
    std::vector<Row> only_b;
};
PeakComparison compare_peaks(const PeakGroups& a, const PeakGroups& b);

/// Corresponding moments of two recordings.
struct Alignment {
    enum class Method : std::uint8_t { start, step_order, step_number };
    Method method = Method::start;
    std::vector<std::pair<std::uint64_t, std::uint64_t>>
        points;  ///< Pairs of corresponding steps of A and B, ascending; interpolate linearly
    /// Pairs of corresponding training steps. They point into the arguments of align_steps(), which must outlive this.
    std::vector<std::pair<const TrainingStep*, const TrainingStep*>> steps;
};
const char* alignment_method_name(Alignment::Method method);  ///< Returns "start", "step order" or "step number"
/// Matches training steps that have the same number in the profiler. Otherwise matches complete steps by their order, or, if
/// there are none, only the beginnings of the recordings.
Alignment align_steps(const Steps& a, const Steps& b);

/// A setting that differs between two files. Values are JSON text, or empty if a file does not have the setting.
struct SettingDifference {
    std::string key;
    std::string a;
    std::string b;
};
std::vector<SettingDifference> compare_settings(const Snapshot& a, const Snapshot& b);

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
