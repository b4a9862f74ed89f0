#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/steps/steps.h"
#include "core/timeline/modules.h"
#include "core/timeline/timeline.h"
#include "core/trace/stack_lines.h"

namespace snapviewer::growth {

/// The development of a stack's memory from training step to training step.
enum class GrowthState : std::uint8_t {
    leak,         ///< Grows with almost every step until the end
    possible,     ///< Grows like a leak, but over too few steps to be sure
    settled,      ///< Grew, but hardly at the end, like a cache that has been filled
    fluctuating,  ///< The memory rises and falls
};

const char* growth_state_name(GrowthState state);

/// Judges growth from the bytes at the edges of consecutive steps. Returns nullopt if the growth is below 4 KiB. O(edges).
std::optional<GrowthState> judge_growth(std::span<const std::int64_t> held);

/// Returns the slope of the least-squares line through totals at consecutive steps, in bytes per step. 0 for fewer than two
/// totals. O(edges).
double least_squares_slope(std::span<const std::int64_t> held);
/// Returns the Theil-Sen slope, in bytes per step: the median of the slopes between all pairs of totals, which is robust
/// against outliers. Of more than 512 totals, uses at most 512 that are evenly spread. 0 for fewer than two totals. O(edges
/// squared).
double theil_sen_slope(std::span<const std::int64_t> held);

/// The growth of a stack, or of all allocations of one size that have no recorded stack.
struct GrowthRow {
    std::uint64_t stack_key = 0;      ///< Key of the stack; 0 for allocations of one size without a stack
    StackId stack = StackId::none();  ///< The stack of the last allocation
    std::uint64_t size_bytes = 0;     ///< Size of each allocation; only set without a stack
    std::string source;
    GrowthState state = GrowthState::possible;
    double slope = 0;  ///< Least-squares slope in bytes per step
    double robust_slope = 0;
    std::int64_t grown_bytes = 0;
    std::size_t rises = 0;
    std::size_t changes = 0;
    double monotone = 0;                           ///< 1 minus (bytes of all falls / bytes of all rises)
    std::vector<std::int64_t> held;                ///< Live bytes at each edge
    std::vector<std::int64_t> left_by_generation;  ///< Bytes allocated in each step that outlive the last step
    std::uint64_t earlier_count = 0;               ///< Number of live allocations from before the recording
    std::uint64_t earlier_bytes = 0;
    /// The first 20 allocations that were made after the warm-up steps and outlive the last step.
    std::vector<AllocationId> allocations;
};

/// The growth of a device's memory from training step to training step. Immutable.
struct Growth {
    bool training = false;   ///< True if the steps are training steps; copied from Steps::training
    std::size_t steps = 0;   ///< Number of consecutive complete steps
    std::size_t warmup = 0;  ///< Number of steps at the beginning that verdicts ignore
    /// Events before which memory is measured: one more than steps, or none without steps.
    std::vector<std::uint32_t> edges;
    std::vector<GrowthRow> suspects;  ///< Leaks and possible leaks, largest growth first
    std::vector<GrowthRow> settled;   ///< Stacks whose memory grew, but that are neither leaks nor possible leaks
    std::vector<std::int64_t> held;   ///< Live bytes of all allocations at each edge
    double slope = 0;
    std::int64_t grown_bytes = 0;
    std::string reason;  ///< Reason why growth is unknown; empty if it is known
};

/// Returns all allocations of a row's stack, in drawing order. For a row without a stack, returns all allocations of its
/// size that have no stack. O(allocations).
std::vector<AllocationId> allocations_of(const DeviceTrace& trace, const StackLines& lines, const GrowthRow& row);

/// Returns true if the memory of at least one stack is certain to leak, not only possibly.
bool has_leak(const Growth& growth);

/// Measures the growth of every stack over the longest run of complete steps, or over the last 4,096 steps of this run.
/// `warmup` is the number of steps at the beginning that verdicts ignore; by default 0 for fewer than 4 steps, 1 for fewer
/// than 8, otherwise 2. Throws a Failure only when stopped. O(allocations + stacks x steps), plus the square of the steps
/// for each growing stack.
Growth find_growth(const Timeline& timeline, const StackLines& lines, const steps::Steps& steps,
                   std::optional<std::size_t> warmup = {});

/// A module whose memory grows from step to step.
struct GrowingModule {
    std::uint32_t module = 0;  ///< Index into Modules::nodes. Only the module's own memory counts, without its submodules.
    GrowthState state = GrowthState::leak;
    double slope = 0;  ///< Growth in bytes per step
    std::int64_t grown_bytes = 0;
    std::size_t rises = 0;
    std::size_t changes = 0;  ///< Number of pairs of consecutive edges that were compared, after the warm-up
    /// The first 20 allocations made after the warm-up that are still live after the last step
    std::vector<AllocationId> allocations;
};

/// A module whose memory grew over a whole recording that has no usable steps.
struct LastingModule {
    std::uint32_t module = 0;  ///< Index into Modules::nodes. Only the module's own memory counts, without its submodules.
    std::uint64_t from_bytes = 0, to_bytes = 0;  ///< Minimum bytes in the first and in the last eighth of the events
    /// Event before which the module held from_bytes, and event before which it held to_bytes
    std::uint32_t from_edge = 0, to_edge = 0;
    /// The first 20 allocations made between these two events that are still live at the second
    std::vector<AllocationId> allocations;
};

/// Finds modules that are leaks or possible leaks, sorted by growth, descending. Judges the bytes of each module at the
/// edges of `growth` after its warm-up, by the same rules as for stacks. Throws a Failure only when stopped. O(allocations +
/// modules x steps).
std::vector<GrowingModule> find_growing_modules(const Timeline& timeline, const Modules& modules, const Growth& growth);

/// Finds modules whose minimum memory grew lastingly over the eighths of the events, by the rules of lasting_slope(). Sorted
/// by growth, descending. Throws a Failure only when stopped. O(allocations log allocations + modules).
std::vector<LastingModule> find_lasting_modules(const Timeline& timeline, const Modules& modules);

/// Returns a text to append to a number of steps, for example ", of which the first 2 do not count". Empty if all steps
/// count.
std::string warmup_words(std::size_t warmup);

inline constexpr std::size_t k_windows = 8;

/// The minimum of the held bytes in each eighth of a period, with the middle position of each eighth.
struct WindowFloors {
    std::array<std::uint64_t, k_windows> bytes = {};
    std::array<double, k_windows> place = {};
};

/// The median slope over all pairs of windows, in bytes per unit of `place`. nullopt unless the growth is lasting: at least
/// 90 % of the pairs rise, the total growth is at least 8 MiB, and it is at least four times the median distance of a window
/// from the line. Short-lived memory of a step does not affect the minima, so the caller need not know the steps.
std::optional<double> lasting_slope(const WindowFloors& floors);

/// The median slope over all pairs of windows, whether or not the growth is lasting.
double middle_slope(const WindowFloors& floors);

/// The median: the middle value, or the mean of the two middle values. Precondition: `values` is not empty.
double middle_number(std::vector<double> values);

}  // namespace snapviewer::growth
