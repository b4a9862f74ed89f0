#include "app/features/series/series_tasks.h"

#include <utility>

#include "app/ui/sandboxed.h"
#include "core/fleet/series/series_reader.h"

namespace snapviewer {

Job<SeriesOutcome>::Work make_series_job(std::vector<std::string> paths, std::shared_ptr<SeriesMemory> memory) {
    return [paths = std::move(paths), memory = std::move(memory)](Progress& progress) -> SeriesOutcome {
        enter_sandbox_here({});
        Result<SampleSeries> series = read_series(paths, progress, memory.get());
        if (!series) return series.error();
        if (series->lines.empty() && series->dumps.empty()) {
            const SeriesFailure& first = series->failed.front();
            return Error{ErrorCode::bad_file,
                         "no sample can be read; the first is " + first.file + ", which " + first.error};
        }
        return std::make_shared<const ShownSeries>(show_series(*std::move(series)));
    };
}

SeriesChanges::Seen look_for_samples(const std::vector<std::string>& paths) {
    Progress progress;
    SeriesChanges::Seen seen;
    const auto files = find_series_files(paths, progress);
    if (!files) return seen;
    for (const SeriesFile& file : *files) seen.emplace(file.path, file.stamp);
    return seen;
}

}  // namespace snapviewer
