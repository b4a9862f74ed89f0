#pragma once

#include <optional>
#include <vector>

#include "core/load/load.h"
#include "core/load/profilers/iteration.h"

namespace snapviewer {

/// The share of activations that must be found in a run-time report before both count as reports of one model.
inline constexpr double k_least_matched_share = 0.9;

/// For each activation the operation that made it: the same name at the end of the same stack; where that comes several
/// times, the k-th the k-th. Only operations with a backward pass keep anything. O(n log n).
std::vector<std::optional<std::size_t>> match_operations(const std::vector<ActivationRow>& activations,
                                                         const std::vector<OperationRow>& operations);

/// Whether enough activations of a memory report are found in a run-time report. Reads the rows of both. Throws Failure.
bool are_of_one_model(SqliteFile& memory_report, SqliteFile& run_time_report);

/// Activations over measured times: each lives from the end of its operation's forward pass to the end of its backward
/// pass. One without an operation lives as long as the one before it. Sorts `activations` by start.
IterationTimes measure_iteration(std::vector<ActivationRow>& activations,
                                 const std::vector<std::optional<std::size_t>>& matches,
                                 const std::vector<OperationRow>& operations);

/// A memory report drawn over the times of a run-time report of the same model, with the icicles of both. Fails if they do
/// not belong together.
void read_report_pair(SqliteFile& memory_report, SqliteFile& run_time_report, Snapshot& snapshot, LoadedFile& loaded);

}  // namespace snapviewer
