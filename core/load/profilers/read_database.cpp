#include "core/load/profilers/read_database.h"

#include <filesystem>
#include <string_view>
#include <utility>

#include "core/load/failure.h"
#include "core/load/profilers/ascend/read_ascend.h"
#include "core/load/profilers/memory_report.h"
#include "core/load/profilers/report_pair.h"
#include "core/load/profilers/run_time_report.h"
#include "core/trace/bounds.h"

namespace snapviewer {
namespace {

void note_condition(const SqliteFile& file, ImportLog& log) {
    if (file.is_copy()) {
        log.add(ImportCode::read_from_copy,
                "the database has changes in a journal next to it, so a temporary copy that includes them was opened; the "
                "file and its folder are not changed");
    }
    if (!file.journal_left_out().empty()) {
        log.add(ImportCode::journal_left_out,
                "a " + file.journal_left_out() +
                    " next to the file is a link, a pipe or otherwise not a regular file; any changes in it are missing");
    }
    if (file.views_left_out() > 0) {
        log.add(ImportCode::views_left_out,
                "views that refer to one another so often that even their columns cannot be worked out; they are not listed",
                {}, file.views_left_out());
    }
    if (file.is_cut_short()) {
        log.add(ImportCode::file_cut_short,
                "the file is shorter than its header says; everything after the cut is missing, and tables that extend "
                "beyond it cannot be read");
    }
}

/// How two databases belong together.
enum class Relation { none, report_pair, report_pair_turned, ranks };

Relation relation_of(const SqliteFile& first, const SqliteFile& second) {
    if (is_memory_report(first) && is_run_time_report(second)) return Relation::report_pair;
    if (is_run_time_report(first) && is_memory_report(second)) return Relation::report_pair_turned;
    return is_ascend_profiler(first) && is_ascend_profiler(second) ? Relation::ranks : Relation::none;
}

/// Fills `loaded` from an open database: calls `read` for the snapshot and adds the database for queries.
template <typename Read>
void read_with(const std::shared_ptr<SqliteFile>& file, LoadedFile& loaded, Read read) {
    loaded.snapshot = std::make_shared<Snapshot>();
    note_condition(*file, loaded.snapshot->log);
    read(*loaded.snapshot);
    loaded.databases.insert(loaded.databases.begin(), {"file", file});
}

}  // namespace

bool looks_like_sqlite(std::string_view front) {
    constexpr std::string_view k_magic("SQLite format 3\0", 16);
    return front.starts_with(k_magic);
}

bool is_database(const Input& input) { return input.file != nullptr && looks_like_sqlite(input.front); }

void read_database(const Input& input, ReadDatabase read, LoadedFile& loaded) {
    const std::shared_ptr<SqliteFile>& file = input.file->database();
    read_with(file, loaded, [&](Snapshot& snapshot) { read(file, snapshot, loaded); });
}

Result<DatabasePair> open_pair(const std::string& path, const std::string& with, Progress& progress) {
    return caught(&progress, [&] {
        for (const std::string& each : {path, with}) budget_of_thread().add_file_at(each);
        std::shared_ptr<SqliteFile> first = value_or_throw(SqliteFile::open(path));
        Result<std::shared_ptr<SqliteFile>> opened = SqliteFile::open(with);
        if (!opened) throw Failure{{opened.error().code, with + ": " + opened.error().message}};
        std::shared_ptr<SqliteFile> second = *std::move(opened);
        const Relation relation = relation_of(*first, *second);
        if (relation == Relation::none) {
            fail("cannot be opened together with " + with +
                 "; the pairs that can be are a memory report and a run-time report of Skyline or DeepView, or the Ascend "
                 "profiles of two ranks");
        }
        if (relation == Relation::report_pair_turned) std::swap(first, second);
        return DatabasePair{std::move(first), std::move(second), relation == Relation::ranks};
    });
}

Result<LoadedFile> load_pair(const DatabasePair& pair) {
    Result<LoadedFile> both = caught([&] {
        LoadedFile loaded;
        read_with(pair.file, loaded, [&](Snapshot& snapshot) {
            note_condition(*pair.other, snapshot.log);
            if (pair.are_ranks)
                read_ascend_ranks(pair.file, pair.other, snapshot, loaded);
            else
                read_report_pair(*pair.file, *pair.other, snapshot, loaded);
        });
        loaded.databases.push_back({pair.are_ranks ? "other" : "run_time", pair.other});
        return loaded;
    });
    if (both) keep_within_bounds(*both->snapshot);
    return both;
}

bool are_of_one_model(const DatabasePair& pair) {
    if (pair.are_ranks) return false;
    const Result<bool> answer = caught([&] { return are_of_one_model(*pair.file, *pair.other); });
    return answer && *answer;
}

}  // namespace snapviewer
