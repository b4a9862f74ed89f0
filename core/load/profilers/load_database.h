#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/load/load.h"
#include "core/sqlite/sqlite_file.h"

namespace snapviewer {

/// Whether a file begins like an SQLite database.
bool looks_like_sqlite(std::span<const std::byte> bytes);

/// Reads any SQLite database: what a profiler that we know wrote gives devices or icicles, any other gives its tables alone
/// and a finding that says so.
Result<LoadedFile> load_database(const std::string& path, Progress& progress);

/// Two databases of kinds that belong together, open: a memory report and a run-time report, or two Ascend profiles.
struct DatabasePair {
    std::shared_ptr<SqliteFile> file;  ///< what is drawn; of two reports always that of the memory
    std::shared_ptr<SqliteFile> other;
    bool are_ranks = false;
};

/// Goes by the kinds of the two files alone, in either order: whether they belong to one run only load_pair() tells.
Result<DatabasePair> open_pair(const std::string& path, const std::string& with, Progress& progress);

/// What two databases tell of the same: the two reports of one model as one picture (the tables of the memory report are the
/// schema `file`, those of the other `run_time`); or the profiles of two ranks of one host as the devices of both (schemas
/// `file` and `other`).
Result<LoadedFile> load_pair(const DatabasePair& pair);

/// Whether the reports of a pair are of one model, which load_pair() demands; no for ranks. Reads both.
bool are_of_one_model(const DatabasePair& pair);

}  // namespace snapviewer
