#include "core/load/load.h"

#include <chrono>
#include <filesystem>
#include <new>

#include "core/load/failure.h"
#include "core/load/mapped_source.h"
#include "core/load/peeked_source.h"
#include "core/load/profilers/load_database.h"
#include "core/load/snapviewer_parts.h"
#include "core/load/snapviewer_polygons.h"
#include "core/load/snapviewer_reader.h"
#include "core/load/stream_snapshot.h"
#include "core/load/zip_archive.h"
#include "core/load/zip_snapshot.h"
#include "core/trace/bounds.h"
#include "core/trace/pools.h"

namespace snapviewer {
namespace {

std::string folder_of(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

std::unique_ptr<Snapshot> read_zip(std::span<const std::byte> bytes, Progress& progress) {
    ZipArchive archive(bytes);
    ZippedParts parts(archive);
    if (!is_snapviewer(parts)) return read_zipped_snapshot(archive, progress);
    std::unique_ptr<Snapshot> snapshot = read_snapviewer(parts, progress);
    snapshot->kind = FileKind::snapviewer_zip;
    return snapshot;
}

std::unique_ptr<Snapshot> read_folder(const std::string& folder, Progress& progress) {
    FolderParts parts(folder);
    if (!is_snapviewer(parts))
        fail("is a directory; expected a snapshot, or a directory with SnapViewer's allocations.json");
    std::unique_ptr<Snapshot> snapshot = read_snapviewer(parts, progress);
    snapshot->kind = FileKind::snapviewer_folder;
    return snapshot;
}

std::unique_ptr<Snapshot> read_by_content(const std::string& path, MappedFile& file, Progress& progress) {
    const std::span<const std::byte> bytes = file.bytes();
    const std::string_view front(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (looks_like_zip(front)) return read_zip(bytes, progress);
    if (looks_like_polygons(front.substr(0, PeekedSource::k_enough))) return read_folder(folder_of(path), progress);
    MappedSource source(file, progress);
    return read_stream(source, bytes.size(), progress);
}

/// Whether an SQLite file is the elements.db of a SnapViewer trace, whose allocations.json lies beside it.
bool is_snapviewer_database(const std::string& path, Progress& progress) {
    if (!is_snapviewer(FolderParts(folder_of(path)))) return false;
    const Result<std::shared_ptr<SqliteFile>> file = SqliteFile::open(path, &progress);
    return file && (*file)->find_column("allocs", {"callstack"}).has_value();
}

/// Calls `read`, whose failures become errors.
template <typename Read>
Result<std::unique_ptr<Snapshot>> caught(Read read) {
    try {
        return read();
    } catch (ReadFailure& failure) {
        return std::move(failure.error);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::bad_file, "needs more memory than there is", {}, {}};
    }
}

}  // namespace

Result<LoadedFile> load_file(const std::string& path, Progress& progress, LoadTimings* timings) {
    progress.enter(Stage::reading);
    const auto start = std::chrono::steady_clock::now();
    std::error_code ignored;
    const bool is_folder = std::filesystem::is_directory(path, ignored);
    Result<MappedFile> file = is_folder ? MappedFile() : MappedFile::open(path);
    if (!file) return file.error();
    const double read_ms = milliseconds_since(start);
    const bool is_database = looks_like_sqlite(file->bytes());
    if (is_database && !is_snapviewer_database(path, progress)) {
        Result<LoadedFile> loaded = load_database(path, progress);
        if (timings != nullptr) *timings = {read_ms, milliseconds_since(start) - read_ms};
        return loaded;
    }

    Result<std::unique_ptr<Snapshot>> snapshot = caught([&] {
        if (is_folder || is_database) return read_folder(is_folder ? path : folder_of(path), progress);
        return read_by_content(path, *file, progress);
    });
    if (Status whole = file->check_still_whole(); !whole) return whole.error();
    if (!snapshot) return snapshot.error();
    keep_within_bounds(**snapshot);
    number_streams(**snapshot);
    if (timings != nullptr) *timings = {read_ms, milliseconds_since(start) - read_ms};
    LoadedFile loaded;
    loaded.snapshot = std::move(*snapshot);
    return loaded;
}

}  // namespace snapviewer
