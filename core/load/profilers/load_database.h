#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/load/load.h"

namespace snapviewer {

/// Whether a file begins like an SQLite database.
bool looks_like_sqlite(std::span<const std::byte> bytes);

/// Reads any SQLite database: what a profiler that we know wrote gives devices or icicles, any other gives its tables alone
/// and a finding that says so.
Result<LoadedFile> load_database(const std::string& path, Progress& progress);

/// Whether one file is a memory report and the other a run-time report; not whether they are of one model.
bool are_report_pair(const std::string& path, const std::string& with, Progress& progress);

/// A memory report and a run-time report of one model, in either order, as one picture. The tables of the memory report are
/// the schema `file`, those of the run-time report `run_time`.
Result<LoadedFile> load_reports(const std::string& path, const std::string& with, Progress& progress);

}  // namespace snapviewer
