#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/load/input.h"
#include "core/load/load.h"
#include "core/load/profilers/database_kind.h"
#include "core/sqlite/sqlite_file.h"

namespace snapviewer {

/// Whether bytes begin like an SQLite database.
bool looks_like_sqlite(std::string_view front);

/// The kind of a database on the disk; nothing of anything else. Throws ReadFailure where it cannot be opened.
std::optional<DatabaseKind> database_kind(const Input& input);

/// Reads a database of a kind: what a profiler that we know wrote gives devices or icicles, any other its tables alone and a
/// entry that says so. Throws ReadFailure.
void read_database(const Input& input, DatabaseKind kind, LoadedFile& loaded);

/// The two as the table of formats wants them.
template <DatabaseKind kind>
bool is_database_of(const Input& input) {
    return database_kind(input) == kind;
}
template <DatabaseKind kind>
void read_database_of(const Input& input, Progress&, LoadedFile& loaded) {
    read_database(input, kind, loaded);
}

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
