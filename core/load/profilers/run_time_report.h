#pragma once

#include <memory>
#include <vector>

#include "core/load/profilers/loaded_file.h"
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

}  // namespace snapviewer
