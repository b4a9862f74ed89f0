#include "core/load/profilers/load_database.h"

#include <cstring>
#include <new>
#include <string_view>

#include "core/load/failure.h"
#include "core/load/profilers/database_kind.h"

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
void read_kind(const std::shared_ptr<SqliteFile>& file, Progress&, Snapshot& snapshot, LoadedFile&) {
    switch (database_kind(*file)) {
        case DatabaseKind::memory_report:
        case DatabaseKind::run_time_report:
        case DatabaseKind::ascend_profiler:
        case DatabaseKind::msprof:
        case DatabaseKind::other:
            snapshot.kind = "sqlite";
            snapshot.log.add(Severity::info, "only_tables", describe_other(*file));
            break;
    }
}

}  // namespace

bool looks_like_sqlite(std::span<const std::byte> bytes) {
    constexpr std::string_view k_magic("SQLite format 3\0", 16);
    return bytes.size() >= k_magic.size() && std::memcmp(bytes.data(), k_magic.data(), k_magic.size()) == 0;
}

Result<LoadedFile> load_database(const std::string& path, Progress& progress) {
    Result<std::shared_ptr<SqliteFile>> file = SqliteFile::open(path, &progress);
    if (!file) return file.error();
    try {
        LoadedFile loaded;
        auto snapshot = std::make_unique<Snapshot>();
        note_condition(**file, snapshot->log);
        read_kind(*file, progress, *snapshot, loaded);
        (*file)->watch(nullptr);
        loaded.snapshot = std::move(snapshot);
        loaded.database = std::move(*file);
        return loaded;
    } catch (ReadFailure& failure) {
        return std::move(failure.error);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::bad_file, "needs more memory than there is", {}, {}};
    }
}

}  // namespace snapviewer
