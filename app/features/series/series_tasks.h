#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/features/series/series_curves.h"
#include "app/ui/folder_changes.h"
#include "core/base/job.h"
#include "core/base/result.h"
#include "core/fleet/series/series_reader.h"

namespace snapviewer {

using SeriesOutcome = Result<std::shared_ptr<const ShownSeries>>;

/// Creates a job that reads the samples below `paths` that are not in `memory` yet. Only the job may access `memory` until
/// it ends.
Job<SeriesOutcome>::Work make_series_job(std::vector<std::string> paths, std::shared_ptr<SeriesMemory> memory);

using SeriesChanges = FolderChanges<SeriesStamp>;
/// Returns the files that belong to the series at present, with their stamps. One directory scan per call.
SeriesChanges::Seen look_for_samples(const std::vector<std::string>& paths);

}  // namespace snapviewer
