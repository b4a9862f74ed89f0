#pragma once

#include <optional>
#include <vector>

#include "core/load/profilers/iteration.h"
#include "core/load/profilers/loaded_file.h"

namespace snapviewer {

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
