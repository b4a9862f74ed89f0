#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/features/series/series_curves.h"
#include "core/base/job.h"
#include "core/base/result.h"

namespace snapviewer {

using SeriesOutcome = Result<std::shared_ptr<const ShownSeries>>;

/// Reads all samples below these paths.
Job<SeriesOutcome>::Work make_series_job(std::vector<std::string> paths);

}  // namespace snapviewer
