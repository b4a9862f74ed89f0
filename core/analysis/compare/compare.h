#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/findings/analyses.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer::compare {

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

/// Selects the allocations of each file that are compared, and the moment at which they are compared.
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

/// Groups the allocations at the largest total of the device. By kind, the totals with CompareBasis::all equal those of the
/// report. Throws a Failure only when stopped. O(live + text of its distinct stacks).
PeakGroups group_peak(findings::DeviceAnalyses& device, CompareBy by, CompareBasis basis);

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
    std::vector<std::pair<const steps::TrainingStep*, const steps::TrainingStep*>> steps;
};
const char* alignment_method_name(Alignment::Method method);  ///< Returns "start", "step order" or "step number"
/// Matches training steps that have the same number in the profiler. Otherwise matches complete steps by their order, or, if
/// there are none, only the beginnings of the recordings.
Alignment align_steps(const steps::Steps& a, const steps::Steps& b);

/// A setting that differs between two files. Values are JSON text, or empty if a file does not have the setting.
struct SettingDifference {
    std::string key;
    std::string a;
    std::string b;
};

/// Result of the search for moved lines: how much of the memory that only one of two recordings holds comes from the same
/// code at other line numbers, and which differences remain in a comparison by function.
struct MovedLines {
    struct Left {
        std::size_t rows = 0;
        std::uint64_t bytes = 0;
    };
    std::uint64_t bytes = 0;  ///< Sum over all functions of the smaller of both sides' bytes
    Left only_a;              ///< Rows that exist only in A in a comparison by function
    Left only_b;
};

/// One side of a comparison: a recording at its peak.
struct ComparedPeak {
    std::uint64_t bytes = 0;           ///< Bytes of the compared allocations
    std::uint32_t moment = 0;          ///< A moment as in AddressSpace
    std::uint64_t reserved_bytes = 0;  ///< Bytes in the file's segments at its end
    KnownPeak known = {};              ///< Peak of everything in the recording

    /// Returns "peak", "peak at least" or "at the end", a prefix for `bytes`.
    const char* label() const { return known.is_at_end ? "at the end" : known.is_lower_bound ? "peak at least" : "peak"; }
};

/// Sums over some rows of a comparison.
struct ComparedSums {
    explicit ComparedSums(const std::vector<PeakComparison::Row>& rows);
    std::int64_t delta_bytes() const { return static_cast<std::int64_t>(bytes_b - bytes_a); }
    std::uint64_t bytes_a = 0;
    std::uint64_t bytes_b = 0;
    std::uint64_t count_a = 0;
    std::uint64_t count_b = 0;
};

/// The differences between the peaks of two devices.
struct Comparison {
    CompareBy by = CompareBy::stack;
    CompareBasis basis = CompareBasis::all;
    ComparedPeak a = {};
    ComparedPeak b = {};
    PeakComparison peaks = {};
    std::vector<SettingDifference> settings = {};
    /// Lines that moved between the two versions of the program. nullopt for comparisons by function, kind or module.
    std::optional<MovedLines> moved = {};
    /// Bytes of changes that a comparison by function shows, but these rows do not, because increases and decreases under
    /// one line, kind or module cancel out. 0 if rows are stacks or functions.
    std::uint64_t hidden_bytes = 0;
    std::int64_t delta_bytes() const { return static_cast<std::int64_t>(b.bytes - a.bytes); }
};

/// Compares the peaks of two devices. Throws a Failure only when stopped. O(ticks + text of the distinct stacks at the
/// peaks).
Comparison compare_devices(findings::DeviceAnalyses& a, findings::DeviceAnalyses& b, CompareBy by, CompareBasis basis);

/// Numbers the allocations of a device: by kind, by module or by making_stack(). Allocations with the same number are in the
/// same row of a comparison.
struct RowNumbers {
    RowNumbers(findings::DeviceAnalyses& device, CompareBy by);
    std::uint32_t of(const AllocationColumns& allocations, AllocationId id) const;

    std::shared_ptr<const kinds::Kinds> kinds;  ///< Kinds of the allocations; set only in a comparison by kind
    std::shared_ptr<const Modules> modules;     ///< Modules of the allocations; set only in a comparison by module
};

/// Index from the rows of a comparison to the allocations of the whole recording that belong to them. Immutable; does not
/// keep the timeline.
class ComparedStacks {
public:
    /// Builds the index of a device. Throws a Failure only when stopped. O(allocations + text of their distinct stacks).
    static ComparedStacks build(findings::DeviceAnalyses& device, CompareBy by);
    /// Returns all allocations of the recording that belong to rows with these keys, at any time, in ascending order.
    /// O(allocations).
    std::vector<AllocationId> allocations_of(const Timeline& timeline, std::span<const std::string> keys,
                                             CompareBasis basis) const;

private:
    explicit ComparedStacks(RowNumbers numbers) : numbers_(std::move(numbers)) {}

    RowNumbers numbers_;
    /// The numbers of each row (see RowNumbers), by its key.
    std::map<std::string, std::vector<std::uint32_t>, std::less<>> numbers_of_rows_;
};

}  // namespace snapviewer::compare
