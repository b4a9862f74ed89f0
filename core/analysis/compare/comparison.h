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

#include "core/analysis/compare/compare.h"
#include "core/analysis/findings/analyses.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {

/// One side of a comparison: a recording at its peak.
struct ComparedPeak {
    std::uint64_t bytes = 0;           ///< Bytes of the compared allocations
    std::uint32_t tick = 0;            ///< Tick of the recording's timeline
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
Comparison compare_devices(DeviceAnalyses& a, DeviceAnalyses& b, CompareBy by, CompareBasis basis);

/// Index from the rows of a comparison to the allocations of the whole recording that belong to them. Immutable; does not
/// keep the timeline.
class ComparedStacks {
public:
    /// Builds the index of a device. Throws a Failure only when stopped. O(allocations + text of their distinct stacks).
    static ComparedStacks build(DeviceAnalyses& device, CompareBy by);
    /// Returns all allocations of the recording that belong to rows with these keys, at any time, in ascending order.
    /// O(allocations).
    std::vector<AllocationId> allocations_of(const Timeline& timeline, std::span<const std::string> keys,
                                             CompareBasis basis) const;

private:
    std::map<std::string, std::vector<StackId>, std::less<>> stacks_;  ///< Stacks by key of their row
    std::shared_ptr<const Kinds> kinds_;                               ///< Set only in a comparison by kind
    std::shared_ptr<const Modules> modules_;                           ///< Set only in a comparison by module
};

}  // namespace snapviewer
