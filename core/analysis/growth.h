#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/steps.h"
#include "core/timeline/timeline.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// How the bytes of a stack develop from training step to training step.
enum class GrowthState : std::uint8_t {
    leak,         ///< more with almost every step, to the end
    possible,     ///< the same, but over too few steps to be sure
    settled,      ///< grew, and hardly any more at the end: a cache that was filled
    fluctuating,  ///< rises and falls
};

const char* growth_state_name(GrowthState state);

/// A row of totals, judged.
struct GrowthVerdict {
    std::optional<GrowthState> state;  ///< nullopt if less than k_least_growth_bytes was added
    std::size_t first_edge = 0;        ///< of the window that was judged, which reaches to the end
};

inline constexpr std::int64_t k_least_growth_bytes = 4096;

/// Judges what one stack held at the edges of consecutive steps. O(edges).
std::optional<GrowthState> judge_growth(std::span<const std::int64_t> held);

/// Slope of the least-squares line through totals one step apart. 0 for fewer than two. O(edges).
double least_squares_slope(std::span<const std::int64_t> held);
/// The Theil-Sen slope, which a few odd values do not change: the median of the slopes between all pairs, of more
/// than 512 totals between as many that are evenly spread. 0 for fewer than two. O(edges squared).
double theil_sen_slope(std::span<const std::int64_t> held);

/// A stack whose memory grew, or, where no stack was recorded, a size of such allocations.
struct GrowthRow {
    std::uint64_t stack_key = 0;      ///< 0: of one size and no stack
    StackId stack = StackId::none();  ///< one of those with the key: of its last allocation
    std::uint64_t size_bytes = 0;     ///< of each allocation; only without a stack
    std::string source;
    GrowthState state = GrowthState::possible;
    double slope = 0;  ///< bytes a step
    double robust_slope = 0;
    std::int64_t grown_bytes = 0;
    std::size_t rises = 0;
    std::size_t changes = 0;
    double monotone = 0;                           ///< 1 less the share of the rises that fell again
    std::vector<std::int64_t> held;                ///< bytes at each edge
    std::vector<std::int64_t> left_by_generation;  ///< bytes made in each step that outlive the last one
    std::uint64_t earlier_count = 0;               ///< that stand from before the recording
    std::uint64_t earlier_bytes = 0;
    std::vector<AllocationId> allocations;  ///< the first 20 made since the window's begin that outlive the last step
};

/// Growth from step to step. Immutable.
struct Growth {
    bool training = false;             ///< see Steps
    std::size_t steps = 0;             ///< consecutive complete ones
    std::size_t warmup = 0;            ///< of those left out of the verdicts
    std::vector<std::uint32_t> edges;  ///< events before which the state is looked at: one more than steps, or none
    std::vector<GrowthRow> suspects;   ///< leaks and possible ones, most grown first
    std::vector<GrowthRow> settled;    ///< the others that grew
    std::vector<std::int64_t> held;    ///< of all together, at each edge
    double slope = 0;
    std::int64_t grown_bytes = 0;
    std::string reason;  ///< why there is nothing to say; else empty
};

/// All allocations that a growing stack made, in drawing order. Without a stack: all of that size that have none.
/// O(allocations).
std::vector<AllocationId> allocations_of(const DeviceTrace& trace, const StackLines& lines, const GrowthRow& row);

/// Whether something surely grows, not only perhaps.
bool has_leak(const Growth& growth);

/// Follows every stack over the longest run of complete steps, or its last 4,096. `warmup`: how many steps at the beginning
/// do not count; by default 0 of fewer than 4, 1 of fewer than 8, else 2. Throws a Failure only when stopped. O(allocations
/// + stacks x steps), and the steps squared for those stacks that grew.
Growth find_growth(const Timeline& timeline, const StackLines& lines, const Steps& steps,
                   std::optional<std::size_t> warmup = {});

/// ", of which the first 2 do not count", to follow a number of steps; empty where all count.
std::string warmup_words(std::size_t warmup);

}  // namespace snapviewer
