#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/analyses.h"
#include "core/analysis/compare.h"
#include "core/analysis/moved_lines.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {

/// One recording of a comparison, at its peak.
struct ComparedPeak {
    std::uint64_t bytes = 0;           ///< compared bytes
    std::uint32_t tick = 0;            ///< of its timeline
    std::uint32_t moment = 0;          ///< as in AddressSpace
    std::uint64_t reserved_bytes = 0;  ///< by the file's segments, at its end
    KnownPeak known = {};              ///< of everything in the recording

    /// "peak", "peak at least" or "at the end", to be followed by `bytes`.
    const char* label() const { return known.is_at_end ? "at the end" : known.is_lower_bound ? "peak at least" : "peak"; }
};

/// Sums over rows of a comparison.
struct ComparedSums {
    explicit ComparedSums(const std::vector<PeakComparison::Row>& rows);
    std::int64_t delta_bytes() const { return static_cast<std::int64_t>(bytes_b - bytes_a); }
    std::uint64_t bytes_a = 0;
    std::uint64_t bytes_b = 0;
    std::uint64_t count_a = 0;
    std::uint64_t count_b = 0;
};

/// Why the peak of one device is higher than that of another.
struct Comparison {
    CompareBy by = CompareBy::stack;
    CompareBasis basis = CompareBasis::all;
    ComparedPeak a = {};
    ComparedPeak b = {};
    PeakComparison peaks = {};
    std::vector<SettingDifference> settings = {};
    std::optional<MovedLines> moved = {};  ///< not of comparisons by function or kind
    /// Bytes that changed by call path (by function) but not in these rows, because increases and decreases under one line
    /// or kind cancel out. 0 if rows are call paths.
    std::uint64_t hidden_bytes = 0;
    std::int64_t delta_bytes() const { return static_cast<std::int64_t>(b.bytes - a.bytes); }
};

/// Throws a Failure only when stopped. O(ticks + text of the distinct stacks at the peaks).
Comparison compare_devices(DeviceAnalyses& a, DeviceAnalyses& b, CompareBy by, CompareBasis basis);

/// The allocations of a whole recording that belong to the rows of a comparison. Immutable; does not keep the timeline.
class ComparedStacks {
public:
    /// Throws a Failure only when stopped. O(allocations + text of their distinct stacks).
    static ComparedStacks build(DeviceAnalyses& device, CompareBy by);
    /// All that was allocated under the keys of some rows, whenever; in ascending order. O(allocations).
    std::vector<AllocationId> allocations_of(const Timeline& timeline, std::span<const std::string> keys,
                                             CompareBasis basis) const;

private:
    std::map<std::string, std::vector<StackId>, std::less<>> stacks_;  ///< by key
    std::shared_ptr<const Kinds> kinds_;                               ///< of a comparison by kind; null of the others
    std::shared_ptr<const Modules> modules_;                           ///< the same by module
};

}  // namespace snapviewer
