#pragma once

#include <memory>
#include <vector>

#include "core/load/load.h"
#include "core/load/profilers/report_rows.h"

namespace snapviewer {

bool is_run_time_report(const SqliteFile& file);

/// A run-time report of Skyline or DeepView: icicles in order of execution (forward, then backward in reverse) and by
/// source. There is no memory in it, so the snapshot has no device. Snapshot::kind is "run_time_report".
void read_run_time_report(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

/// What operations took together.
struct RunTimeSums {
    double forward_ms = 0;
    double backward_ms = 0;
};
RunTimeSums sum_of(const std::vector<OperationRow>& operations);

/// In order of execution, the same with repeated calls apart, and by source. Entries are indices into `operations`.
std::vector<IcicleRows> run_time_icicles(const std::vector<OperationRow>& operations);

}  // namespace snapviewer
