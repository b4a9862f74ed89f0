#include "core/load/profilers/load_database.h"

#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "core/load/failure.h"
#include "core/load/profilers/ascend/read_ascend.h"
#include "core/load/profilers/database_kind.h"
#include "core/load/profilers/memory_report.h"
#include "core/load/profilers/report_pair.h"
#include "core/load/profilers/run_time_report.h"
#include "core/trace/bounds.h"

namespace snapviewer {
namespace {

void note_condition(const SqliteFile& file, ImportLog& log) {
    if (file.is_copy()) {
        log.add(
            FindingCode::read_from_copy,
            "changes lie in a journal beside the file, so a temporary copy with all of them was opened; the file and its "
            "folder stay as they are");
    }
    if (!file.journal_left_out().empty()) {
        log.add(FindingCode::journal_left_out,
                "a " + file.journal_left_out() +
                    " lies beside the file that is a link, a pipe or otherwise cannot be read as a file: what changes it "
                    "may hold "
                    "are missing");
    }
    if (file.is_cut_short()) {
        log.add(
            FindingCode::file_cut_short,
            "the file is shorter than it says: what lay behind the cut is missing, and a table that reaches there cannot "
            "be read");
    }
}

/// Adds to `snapshot` and `loaded` what the file holds beyond its tables. A reader that finds nothing says so in the log.
Status read_kind(const std::shared_ptr<SqliteFile>& file, Progress&, Snapshot& snapshot, LoadedFile& loaded) {
    switch (database_kind(*file)) {
        case DatabaseKind::memory_report: return read_memory_report(*file, snapshot, loaded);
        case DatabaseKind::run_time_report: return read_run_time_report(*file, snapshot, loaded);
        case DatabaseKind::ascend_profiler: read_ascend_profiler(file, snapshot, loaded); break;
        case DatabaseKind::msprof: read_msprof(file, snapshot, loaded); break;
        case DatabaseKind::other:
            snapshot.kind = FileKind::sqlite;
            snapshot.log.add(FindingCode::only_tables, describe_other(*file));
            break;
    }
    return {};
}

/// What two databases are to each other.
enum class Relation { none, report_pair, report_pair_turned, ranks };

Relation relation_of(const SqliteFile& first, const SqliteFile& second) {
    const DatabaseKind a = database_kind(first);
    const DatabaseKind b = database_kind(second);
    if (a == DatabaseKind::memory_report && b == DatabaseKind::run_time_report) return Relation::report_pair;
    if (a == DatabaseKind::run_time_report && b == DatabaseKind::memory_report) return Relation::report_pair_turned;
    const bool are_ranks = a == DatabaseKind::ascend_profiler && b == DatabaseKind::ascend_profiler;
    return are_ranks ? Relation::ranks : Relation::none;
}

/// Has `read` fill what is drawn of an open database, and puts both together.
template <typename Read>
Result<LoadedFile> load_with(const std::shared_ptr<SqliteFile>& file, Read read) {
    try {
        LoadedFile loaded;
        auto snapshot = std::make_unique<Snapshot>();
        note_condition(*file, snapshot->log);
        if (Status status = read(*snapshot, loaded); !status) return status.error();
        keep_within_bounds(*snapshot);
        file->watch(nullptr);
        loaded.snapshot = std::move(snapshot);
        loaded.databases.insert(loaded.databases.begin(), {"file", file});
        return loaded;
    } catch (ReadFailure& failure) {
        return std::move(failure.error);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::bad_file, "needs more memory than there is", {}, {}};
    }
}

}  // namespace

bool looks_like_sqlite(std::span<const std::byte> bytes) {
    constexpr std::string_view k_magic("SQLite format 3\0", 16);
    return bytes.size() >= k_magic.size() && std::memcmp(bytes.data(), k_magic.data(), k_magic.size()) == 0;
}

Result<LoadedFile> load_database(const std::string& path, Progress& progress) {
    const Result<std::shared_ptr<SqliteFile>> file = SqliteFile::open(path, &progress);
    if (!file) return file.error();
    return load_with(*file,
                     [&](Snapshot& snapshot, LoadedFile& loaded) { return read_kind(*file, progress, snapshot, loaded); });
}

Result<DatabasePair> open_pair(const std::string& path, const std::string& with, Progress& progress) {
    Result<std::shared_ptr<SqliteFile>> first = SqliteFile::open(path, &progress);
    if (!first) return first.error();
    Result<std::shared_ptr<SqliteFile>> second = SqliteFile::open(with, &progress);
    if (!second) return Error{second.error().code, with + ": " + second.error().message, {}, {}};
    const Relation relation = relation_of(**first, **second);
    if (relation == Relation::none) {
        return Error{
            ErrorCode::bad_file,
            "does not go together with " + with +
                "; a memory report and a run-time report of Skyline or DeepView do, and the Ascend profiles of two ranks",
            {},
            {}};
    }
    if (relation == Relation::report_pair_turned) std::swap(*first, *second);
    return DatabasePair{*std::move(first), *std::move(second), relation == Relation::ranks};
}

Result<LoadedFile> load_pair(const DatabasePair& pair) {
    return load_with(pair.file, [&](Snapshot& snapshot, LoadedFile& loaded) {
        note_condition(*pair.other, snapshot.log);
        Status status = pair.are_ranks ? read_ascend_ranks(pair.file, pair.other, snapshot, loaded)
                                       : read_report_pair(*pair.file, *pair.other, snapshot, loaded);
        pair.other->watch(nullptr);
        loaded.databases.push_back({pair.are_ranks ? "other" : "run_time", pair.other});
        return status;
    });
}

bool are_of_one_model(const DatabasePair& pair) {
    if (pair.are_ranks) return false;
    try {
        const Result<bool> answer = are_of_one_model(*pair.file, *pair.other);
        return answer && *answer;
    } catch (const ReadFailure&) {
        return false;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace snapviewer
