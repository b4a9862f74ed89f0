#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/load/profilers/readers.h"

/// The reports of Skyline and DeepView. Any table or column may be missing; irregularities are logged. Control characters
/// are removed from names.
namespace snapviewer::profilers {

/// Represents the stack of an entry whose frames are not in the file.
inline constexpr const char* k_no_source = "(no source)";

/// A parameter of the model.
struct WeightRow {
    std::int64_t id = 0;
    std::string name;  ///< local name, such as "weight" or "bias"
    std::int64_t size_bytes = 0;
    std::int64_t gradient_bytes = 0;
    std::vector<SourceLine> frames;  ///< stack frames, outermost first; never empty
};

/// An operation's result that is kept for the backward pass.
struct ActivationRow {
    std::int64_t id = 0;
    std::string operation;
    std::int64_t size_bytes = 0;
    std::vector<SourceLine> frames;
};

/// The rows of a memory report, in the order in which the entries were created.
struct MemoryReportRows {
    std::vector<WeightRow> weights;          ///< weights in the order of construction
    std::vector<ActivationRow> activations;  ///< activations in forward order
    std::optional<std::int64_t> peak_bytes;
};

/// The measured times of one operation, run on its own.
struct OperationRow {
    std::int64_t id = 0;
    std::string operation;
    double forward_ms = 0;  ///< duration of the forward pass; never negative
    /// Duration of the backward pass; never negative; nullopt if the operation has none.
    std::optional<double> backward_ms;
    std::vector<SourceLine> frames;
};

/// Throws Failure if stopped, or if neither table of entries can be read at all. From a damaged table, returns the rows
/// before the damage.
MemoryReportRows read_memory_report_rows(sqlite::SqliteFile& file, ImportLog& log);
/// Returns the operations in forward order. Throws Failure if stopped, or if the table cannot be read at all. From a damaged
/// table, returns the rows before the damage.
std::vector<OperationRow> read_run_time_report_rows(sqlite::SqliteFile& file, ImportLog& log);

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

/// Finds the operation that created each activation: it has the same name and the same stack. The k-th activation of a call
/// site matches the k-th operation of this site. Considers only operations with a backward pass, because others keep
/// nothing. O(n log n).
std::vector<std::optional<std::size_t>> match_operations(const std::vector<ActivationRow>& activations,
                                                         const std::vector<OperationRow>& operations);

/// Computes when each activation is live: from the end of its operation's forward pass to the end of its backward pass. An
/// activation without an operation gets the lifetime of the activation before it. Sorts `activations` by start.
IterationTimes measure_iteration(std::vector<ActivationRow>& activations,
                                 const std::vector<std::optional<std::size_t>>& matches,
                                 const std::vector<OperationRow>& operations);

/// Draws a memory report like read_memory_report(), from rows that were read before. If `times` is set, the picture uses the
/// time axis of a run-time report, otherwise the order of operations. Returns the allocation of each activation, parallel to
/// MemoryReportRows::activations; none() if it is not drawn. Throws Failure only when stopped.
std::vector<AllocationId> show_memory_report(const MemoryReportRows& rows, const IterationTimes* times, Snapshot& snapshot,
                                             LoadedFile& loaded);

}  // namespace snapviewer::profilers
