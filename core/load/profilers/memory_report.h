#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/load/profilers/loaded_file.h"
#include "core/load/profilers/report_rows.h"
#include "core/trace/profile_data.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// The lifetimes of a memory report's activations on the time axis of a run-time report, in milliseconds since the iteration
/// began.
struct IterationTimes {
    struct Life {
        double start_ms = 0;
        double end_ms = 0;
        /// Measured duration of the operation; nullopt if the run-time report does not contain it.
        std::optional<double> forward_ms;
        std::optional<double> backward_ms;
        /// Row of the operation in the run-time report; nullopt if it does not contain it.
        std::optional<std::size_t> operation;
    };
    std::vector<Life> activations;  ///< Parallel to MemoryReportRows::activations. Lifetimes are nested.
    double forward_end_ms = 0;
    double end_ms = 0;
};

/// The total sizes of a memory report's allocations by category.
struct IterationSums {
    std::uint64_t weight_bytes = 0;
    std::uint64_t gradient_bytes = 0;
    std::uint64_t activation_bytes = 0;
    std::uint64_t untracked_bytes = 0;
};

/// One training iteration, reconstructed from a memory report as the only device of a snapshot. Weights and gradients lie at
/// the bottom and last for the whole iteration. Activations form a pyramid above them: each begins with its operation in the
/// forward pass and ends with the same operation in the backward pass. A derived allocation on top stands for the rest of
/// the peak. The categories of the allocations are weight, gradient, activation and untracked. A report without allocations
/// creates no device.
class Iteration {
public:
    /// Builds the device. If `times` is nullptr, the axis is the order of operations. `file` is the file that the rows came
    /// from. Throws Failure if reading that file must stop.
    static Iteration build(const SqliteFile& file, const MemoryReportRows& rows, const IterationTimes* times,
                           Snapshot& snapshot);

    const IterationSums& sums() const { return sums_; }
    /// The allocations with their frames, for an icicle by source.
    const std::vector<IcicleEntry>& entries() const { return entries_; }
    /// The allocation of each activation, parallel to MemoryReportRows::activations; none() if it is not drawn.
    const std::vector<AllocationId>& activations() const { return activations_; }
    /// The source of the details of each allocation.
    std::shared_ptr<DetailSource> details() const;

private:
    friend class IterationBuilder;
    IterationSums sums_;
    std::vector<IcicleEntry> entries_;
    std::vector<AllocationId> activations_;
    std::vector<DetailSection> sections_;  ///< details of each allocation, indexed by AllocationId
};

bool is_memory_report(const SqliteFile& file);

/// Reads a memory report of Skyline or DeepView: a picture of one iteration, and an icicle by source whose entries are the
/// allocations of the picture. Snapshot::kind is "memory_report".
void read_memory_report(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

/// Like read_memory_report(), but from rows that were read before. If `times` is set, the picture uses the time axis of a
/// run-time report.
Iteration show_memory_report(const SqliteFile& file, const MemoryReportRows& rows, const IterationTimes* times,
                             Snapshot& snapshot, LoadedFile& loaded);

}  // namespace snapviewer
