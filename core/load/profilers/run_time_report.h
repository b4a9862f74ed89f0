#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/load/profilers/loaded_file.h"
#include "core/load/profilers/memory_report.h"
#include "core/load/profilers/report_rows.h"

namespace snapviewer {

bool is_run_time_report(const SqliteFile& file);

/// Reads a run-time report of Skyline or DeepView: icicles in the order of execution (forward pass, then backward pass in
/// reverse) and by source. It contains no memory, so the snapshot has no device. Snapshot::kind is "run_time_report".
void read_run_time_report(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

/// The total times of operations.
struct RunTimeSums {
    double forward_ms = 0;
    double backward_ms = 0;
};
RunTimeSums sum_of(const std::vector<OperationRow>& operations);

/// Icicles in the order of execution, in the order of execution with repeated calls kept apart, and by source. Entries are
/// indices into `operations`.
std::vector<IcicleRows> run_time_icicles(const std::vector<OperationRow>& operations);

/// Minimum share of activations that must be found in a run-time report for both reports to count as reports of one model.
inline constexpr double k_least_matched_share = 0.9;

/// Finds the operation that created each activation: it has the same name and the same stack. The k-th activation of a call
/// site matches the k-th operation of this site. Considers only operations with a backward pass, because others keep
/// nothing. O(n log n).
std::vector<std::optional<std::size_t>> match_operations(const std::vector<ActivationRow>& activations,
                                                         const std::vector<OperationRow>& operations);

/// True if enough activations of a memory report are found in a run-time report. Reads the rows of both. Throws Failure.
bool are_of_one_model(SqliteFile& memory_report, SqliteFile& run_time_report);

/// Computes when each activation is live: from the end of its operation's forward pass to the end of its backward pass. An
/// activation without an operation gets the lifetime of the activation before it. Sorts `activations` by start.
IterationTimes measure_iteration(std::vector<ActivationRow>& activations,
                                 const std::vector<std::optional<std::size_t>>& matches,
                                 const std::vector<OperationRow>& operations);

/// Draws a memory report over the times of a run-time report of the same model, with the icicles of both. Throws Failure if
/// the reports are not of the same model.
void read_report_pair(SqliteFile& memory_report, SqliteFile& run_time_report, Snapshot& snapshot, LoadedFile& loaded);

}  // namespace snapviewer
