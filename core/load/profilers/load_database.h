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

/// Whether the kinds of two files are such that load_together() takes them; not whether they belong to one run.
bool belong_together(const std::string& path, const std::string& with, Progress& progress);

/// Two databases that tell of the same: a memory report and a run-time report of one model, in either order, as one picture
/// (the tables of the first are the schema `file`, those of the other `run_time`); or the profiles of two Ascend ranks of
/// one host, as the devices of both (schemas `file` and `other`).
Result<LoadedFile> load_together(const std::string& path, const std::string& with, Progress& progress);

}  // namespace snapviewer
