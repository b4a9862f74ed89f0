#include "core/load/profilers/load_database.h"

#include <cstring>
#include <new>
#include <optional>
#include <string_view>

#include "core/load/failure.h"
#include "core/load/profilers/ascend/read_ascend.h"
#include "core/load/profilers/database_kind.h"
#include "core/load/profilers/memory_report.h"
#include "core/load/profilers/report_pair.h"
#include "core/load/profilers/run_time_report.h"

namespace snapviewer {
namespace {

void note_condition(const SqliteFile& file, ImportLog& log) {
    if (file.is_copy()) {
        log.add(
            Severity::info, "read_from_copy",
            "changes lie in a journal beside the file, so a temporary copy with all of them was opened; the file and its "
            "folder stay as they are");
    }
    if (file.is_cut_short()) {
        log.add(
            Severity::data_loss, "file_cut_short",
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
            snapshot.kind = "sqlite";
            snapshot.log.add(Severity::info, "only_tables", describe_other(*file));
            break;
    }
    return {};
}

/// Whether the first of two is the memory report and the second the run-time report, or the other way round; nothing if
/// they are not one of each.
std::optional<bool> memory_report_first(const SqliteFile& first, const SqliteFile& second) {
    const DatabaseKind a = database_kind(first);
    const DatabaseKind b = database_kind(second);
    if (a == DatabaseKind::memory_report && b == DatabaseKind::run_time_report) return true;
    if (a == DatabaseKind::run_time_report && b == DatabaseKind::memory_report) return false;
    return std::nullopt;
}

/// Opens the database that `path` is, has `read` fill what is drawn of it, and puts both together.
template <typename Read>
Result<LoadedFile> load_with(const std::string& path, Progress& progress, Read read) {
    Result<std::shared_ptr<SqliteFile>> file = SqliteFile::open(path, &progress);
    if (!file) return file.error();
    try {
        LoadedFile loaded;
        auto snapshot = std::make_unique<Snapshot>();
        note_condition(**file, snapshot->log);
        if (Status status = read(*file, *snapshot, loaded); !status) return status.error();
        (*file)->watch(nullptr);
        loaded.snapshot = std::move(snapshot);
        loaded.databases.insert(loaded.databases.begin(), {"file", std::move(*file)});
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
    return load_with(path, progress, [&](const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded) {
        return read_kind(file, progress, snapshot, loaded);
    });
}

bool are_report_pair(const std::string& path, const std::string& with, Progress& progress) {
    const auto first = SqliteFile::open(path, &progress);
    const auto second = SqliteFile::open(with, &progress);
    return first && second && memory_report_first(**first, **second).has_value();
}

Result<LoadedFile> load_reports(const std::string& path, const std::string& with, Progress& progress) {
    Result<std::shared_ptr<SqliteFile>> first = SqliteFile::open(path, &progress);
    if (!first) return first.error();
    Result<std::shared_ptr<SqliteFile>> second = SqliteFile::open(with, &progress);
    if (!second) return Error{second.error().code, with + ": " + second.error().message, {}, {}};
    const std::optional<bool> is_in_order = memory_report_first(**first, **second);
    if (!is_in_order) {
        return Error{
            ErrorCode::bad_file,
            "and " + with +
                " are not a memory report and a run-time report of Skyline or DeepView; only these are drawn together",
            {},
            {}};
    }
    const std::shared_ptr<SqliteFile>& run_time_report = *is_in_order ? *second : *first;
    return load_with(*is_in_order ? path : with, progress,
                     [&](const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded) {
                         note_condition(*run_time_report, snapshot.log);
                         const Status read = read_report_pair(*file, *run_time_report, snapshot, loaded);
                         run_time_report->watch(nullptr);
                         loaded.databases.push_back({"run_time", run_time_report});
                         return read;
                     });
}

}  // namespace snapviewer
