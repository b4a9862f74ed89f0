#include "core/load/load.h"

#include <chrono>
#include <new>

#include "core/load/failure.h"
#include "core/load/pickle_reader.h"
#include "core/load/profilers/load_database.h"
#include "core/load/snapviewer_zip.h"
#include "core/load/zip_archive.h"
#include "core/trace/collect.h"

namespace snapviewer {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// What the bytes of an unknown file look like, for the error that refuses it.
std::string describe(std::span<const std::byte> bytes) {
    const auto starts_with = [&](std::string_view magic) {
        return bytes.size() >= magic.size() &&
               std::string_view(reinterpret_cast<const char*>(bytes.data()), magic.size()) == magic;
    };
    if (starts_with("\x1f\x8b")) return "is gzipped; unpack it first (gunzip), gzipped files are not read yet";
    if (starts_with("{") || starts_with("[")) return "looks like JSON; JSON outside a SnapViewer zip is not read yet";
    if (starts_with("<")) return "looks like HTML; pages of torch.cuda._memory_viz are not read yet";
    return "is neither a pickled PyTorch memory snapshot nor a SnapViewer zip: it begins like neither";
}

std::unique_ptr<Snapshot> read_zip(std::span<const std::byte> bytes, Progress& progress) {
    ZipArchive archive(bytes);
    if (!is_snapviewer_zip(archive)) {
        fail("is a zip of " + std::to_string(archive.members().size()) +
             " members, but none is called allocations.json; expected SnapViewer's allocations.json and elements.json");
    }
    return read_snapviewer_zip(archive, progress);
}

Result<std::unique_ptr<Snapshot>> read_by_content(MappedFile& file, Progress& progress) {
    const std::span<const std::byte> bytes = file.bytes();
    if (bytes.empty())
        return Error{ErrorCode::bad_file, "is empty; the program that wrote it may have died before it could", 0, {}};
    if (looks_like_pickle(bytes)) {
        Result<std::unique_ptr<Snapshot>> snapshot = read_pickle(file, progress);
        if (snapshot) (*snapshot)->kind = "pytorch_pickle";
        return snapshot;
    }
    if (!looks_like_zip(bytes)) return Error{ErrorCode::bad_file, describe(bytes), 0, {}};
    try {
        std::unique_ptr<Snapshot> snapshot = read_zip(bytes, progress);
        snapshot->kind = "snapviewer_zip";
        return snapshot;
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

    Result<std::unique_ptr<Snapshot>> snapshot = read_by_content(*file, progress);
    if (!snapshot) return snapshot.error();
    for (DeviceTrace& trace : (*snapshot)->devices) {
        if (trace.recorded_paths.ends.empty()) collect_allocations(**snapshot, trace);
    }
    if (timings != nullptr) *timings = {read_ms, milliseconds_since(start) - read_ms};
    return LoadedFile{std::move(*snapshot), {}, {}, {}};
}

}  // namespace snapviewer
