#include "core/load/load.h"

#include <chrono>
#include <new>

#include "core/load/failure.h"
#include "core/load/mapped_source.h"
#include "core/load/profilers/load_database.h"
#include "core/load/snapviewer_zip.h"
#include "core/load/stream_snapshot.h"
#include "core/load/zip_archive.h"
#include "core/load/zip_snapshot.h"
#include "core/trace/collect.h"

namespace snapviewer {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

std::unique_ptr<Snapshot> read_zip(std::span<const std::byte> bytes, Progress& progress) {
    ZipArchive archive(bytes);
    return is_snapviewer_zip(archive) ? read_snapviewer_zip(archive, progress) : read_zipped_snapshot(archive, progress);
}

std::unique_ptr<Snapshot> read_by_content(MappedFile& file, Progress& progress) {
    const std::span<const std::byte> bytes = file.bytes();
    const std::string_view front(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (looks_like_zip(front)) return read_zip(bytes, progress);
    MappedSource source(file, progress);
    return read_stream(source, bytes.size(), progress);
}

Result<std::unique_ptr<Snapshot>> read_file(MappedFile& file, Progress& progress) {
    try {
        return read_by_content(file, progress);
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
    Result<MappedFile> file = MappedFile::open(path);
    if (!file) return file.error();
    const double read_ms = milliseconds_since(start);
    if (looks_like_sqlite(file->bytes())) {
        Result<LoadedFile> loaded = load_database(path, progress);
        if (timings != nullptr) *timings = {read_ms, milliseconds_since(start) - read_ms};
        return loaded;
    }

    Result<std::unique_ptr<Snapshot>> snapshot = read_file(*file, progress);
    if (!snapshot) return snapshot.error();
    for (DeviceTrace& trace : (*snapshot)->devices) {
        if (trace.recorded_paths.ends.empty()) collect_allocations(**snapshot, trace);
    }
    if (timings != nullptr) *timings = {read_ms, milliseconds_since(start) - read_ms};
    return LoadedFile{std::move(*snapshot), {}, {}, {}};
}

}  // namespace snapviewer
