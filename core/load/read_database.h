#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/context.h"
#include "core/base/result.h"
#include "core/load/formats.h"
#include "core/load/profilers/readers.h"
#include "core/sqlite/sqlite_file.h"

namespace snapviewer::load {

/// True if the bytes begin with the signature of SQLite.
bool looks_like_sqlite(std::string_view front);

/// True if the input is an SQLite database on disk.
bool is_database(const Input& input);

/// The two functions of each kind of database. The first recognises it by the names of its tables, never by the name of the
/// file. The second fills `loaded` and `snapshot`, which is the snapshot of `loaded`, and throws Failure.
using RecogniseDatabase = bool (*)(const sqlite::SqliteFile& file);
using ReadDatabase = void (*)(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot,
                              profilers::LoadedFile& loaded);

/// Reads a database on disk with `read`. Logs peculiarities of the file, such as a journal, and adds its tables for queries.
/// Throws Failure.
void read_database(const Input& input, ReadDatabase read, profilers::LoadedFile& loaded);

/// Adapters for the table of formats. The first throws Failure if the database cannot be opened.
template <RecogniseDatabase is_of_kind>
bool is_database_of(const Input& input) {
    return is_database(input) && is_of_kind(*input.file->database());
}
template <ReadDatabase read>
void read_database_with(const Input& input, profilers::LoadedFile& loaded) {
    read_database(input, read, loaded);
}

/// Two open databases that belong together: a memory report and a run-time report, or two Ascend profiles.
struct DatabasePair {
    /// The database that is drawn; the memory report if the pair consists of reports.
    std::shared_ptr<sqlite::SqliteFile> file;
    std::shared_ptr<sqlite::SqliteFile> other;
    bool are_ranks = false;
};

/// Opens a pair in either order. Checks only the kinds of the two files; load_pair() checks whether they belong to the same
/// run.
Result<DatabasePair> open_pair(const std::string& path, const std::string& with, Progress& progress);

/// Combines two databases. Two reports of one model become one picture; the tables of the memory report are in the schema
/// `file`, those of the run-time report in `run_time`. The profiles of two ranks of one host become the devices of one
/// snapshot, with the schemas `file` and `other`.
Result<profilers::LoadedFile> load_pair(const DatabasePair& pair);

/// True if two reports are of the same model, as load_pair() requires. False for ranks. Reads both databases.
bool are_of_one_model(const DatabasePair& pair);

/// Describes a database that no reader supports, as a sentence for users: the program that wrote it and why it cannot be
/// drawn.
std::string describe_other(const sqlite::SqliteFile& file);

/// Logs the sentence of describe_other(). The tables can still be queried. Snapshot::kind is sqlite.
void read_other_database(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot, profilers::LoadedFile& loaded);

}  // namespace snapviewer::load
