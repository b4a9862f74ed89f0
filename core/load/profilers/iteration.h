#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/load/profilers/report_rows.h"
#include "core/trace/detail_source.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// When the activations of a memory report live, on the axis of a run-time report. Milliseconds since the iteration began.
struct IterationTimes {
    struct Life {
        double start_ms = 0;
        double end_ms = 0;
        std::optional<double> forward_ms;  ///< what the operation took; none where the other report lacks it
        std::optional<double> backward_ms;
        std::optional<std::size_t> operation;  ///< the row of the other report, likewise
    };
    std::vector<Life> activations;  ///< parallel to MemoryReportRows::activations; lives nest
    double forward_end_ms = 0;
    double end_ms = 0;
};

/// What of a memory report is drawn, apart from its picture.
struct IterationSums {
    std::uint64_t weight_bytes = 0;
    std::uint64_t gradient_bytes = 0;
    std::uint64_t activation_bytes = 0;
    std::uint64_t untracked_bytes = 0;
};

/// One training iteration, reconstructed from a memory report as the only device of a snapshot: weights and gradients from
/// edge to edge at the bottom, on them the activations as a pyramid (one comes with each operation of the forward pass and
/// goes with the same operation of the backward pass), on top what the peak holds beyond these, as a derived allocation.
/// Allocations carry a category: weight, gradient, activation, untracked. A report without any allocation makes no device.
class Iteration {
public:
    /// `times` null: the axis is the order of operations. Throws Failure once the file that the rows are of must stop.
    static Iteration build(const SqliteFile& file, const MemoryReportRows& rows, const IterationTimes* times,
                           Snapshot& snapshot);

    const IterationSums& sums() const { return sums_; }
    /// The allocations with their frames, to be laid out by source.
    const std::vector<IcicleEntry>& entries() const { return entries_; }
    /// Which allocation each activation is, parallel to MemoryReportRows::activations; none() where nothing is drawn.
    const std::vector<AllocationId>& activations() const { return activations_; }
    /// What the details of each allocation say.
    std::shared_ptr<DetailSource> details() const;

private:
    friend class IterationBuilder;
    IterationSums sums_;
    std::vector<IcicleEntry> entries_;
    std::vector<AllocationId> activations_;
    std::vector<DetailSection> sections_;  ///< by allocation
};

}  // namespace snapviewer
