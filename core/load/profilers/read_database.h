#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/load/input.h"
#include "core/load/load.h"
#include "core/sqlite/sqlite_file.h"

namespace snapviewer {

/// Whether bytes begin like an SQLite database.
bool looks_like_sqlite(std::string_view front);

/// Whether an input is a database on the disk.
bool is_database(const Input& input);

/// What each kind of database has: a function that recognises it, by the names of its tables and never by that of the file,
/// and one that fills `snapshot`, which is that of `loaded`, and the rest of `loaded`. The latter throws Failure.
using RecogniseDatabase = bool (*)(const SqliteFile& file);
using ReadDatabase = void (*)(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

/// Reads a database on the disk, with what is odd about it and its own tables. Throws Failure.
void read_database(const Input& input, ReadDatabase read, LoadedFile& loaded);

/// The two as the table of formats wants them. The first throws Failure where the database cannot be opened.
template <RecogniseDatabase is_of_kind>
bool is_database_of(const Input& input) {
    return is_database(input) && is_of_kind(*input.file->database());
}
template <ReadDatabase read>
void read_database_with(const Input& input, LoadedFile& loaded) {
    read_database(input, read, loaded);
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
