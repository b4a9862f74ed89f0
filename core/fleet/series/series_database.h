#pragma once

#include <string>
#include <vector>

#include "core/base/context.h"
#include "core/base/fields.h"
#include "core/base/result.h"
#include "core/fleet/series/series.h"
#include "core/sqlite/sqlite_file.h"

namespace snapviewer {

/// The fields of the tables about dumps and growth, which are objects in series_json(), too.
extern const Fields<SeriesDump> k_dump_fields;
extern const Fields<SeriesGrowth> k_series_growth_fields;
extern const Fields<SeriesGap> k_gap_fields;
extern const Fields<SeriesFailure> k_failure_fields;

/// Descriptions of all tables of a series database.
const std::vector<TableDoc>& series_tables();

/// Writes a series into a new SQLite database. The file appears at `path` only once it is complete.
Status write_series_database(const std::string& path, const SampleSeries& series, const SeriesFindings& findings,
                             Progress& progress);

}  // namespace snapviewer
