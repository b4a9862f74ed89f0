#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/features/series/series_curves.h"
#include "app/ui/folder_changes.h"
#include "core/base/job.h"
#include "core/base/result.h"
#include "core/series/read_series.h"

namespace snapviewer {

using SeriesOutcome = Result<std::shared_ptr<const ShownSeries>>;

/// Reads all samples below these paths that `memory` does not know. Nobody else looks at it until the job is done.
Job<SeriesOutcome>::Work make_series_job(std::vector<std::string> paths, std::shared_ptr<SeriesMemory> memory);

using SeriesChanges = FolderChanges<SeriesStamp>;
/// Of the files that belong to the series now. One look at each folder and file.
SeriesChanges::Seen look_for_samples(const std::vector<std::string>& paths);

}  // namespace snapviewer
