#include "core/load/load.h"

#include <chrono>
#include <filesystem>

#include "core/base/remote_address.h"
#include "core/base/standard_input.h"
#include "core/load/failure.h"
#include "core/load/formats.h"
#include "core/load/mapped_source.h"
#include "core/load/peeked_source.h"
#include "core/load/profilers/read_database.h"
#include "core/load/remote_source.h"
#include "core/load/standard_input_source.h"
#include "core/load/zip_archive.h"
#include "core/trace/bounds.h"
#include "core/trace/clock.h"
#include "core/trace/pools.h"

namespace snapviewer {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

LoadedFile read(FileOnDisk& file, std::uint32_t part, Progress& progress) {
    LoadedFile loaded;
    if (file.is_folder()) {
        Input folder;
        folder.file = &file;
        folder.part = part;
        read_input(folder, progress, loaded);
        return loaded;
    }
    MappedSource source(file.bytes(), progress);
    PeekedSource peeked(source);
    read_input({peeked.front(), &peeked, &file, file.bytes().size_bytes(), 0, part}, progress, loaded);
    return loaded;
}

/// Calls `opened` when the file is open, before reading it.
template <typename Opened>
Result<LoadedFile> load_from_disk(const std::string& path, std::uint32_t part, Progress& progress, Opened opened) {
    Result<std::unique_ptr<FileOnDisk>> file = FileOnDisk::open(path, progress);
    if (!file) return file.error();
    progress.budget().add_file((*file)->bytes().size_bytes());
    opened();
    Result<LoadedFile> loaded = caught([&] { return read(**file, part, progress); });
    if (Status whole = (*file)->bytes().check_still_whole(); !whole) return whole.error();
    return loaded;
}

/// Reads formats that are read from front to back while they arrive; stores zips and databases completely first.
template <typename Source>
LoadedFile read_streamed(const std::string& path, Source source, std::uint32_t part, Progress& progress) {
    PeekedSource peeked(source);
    if (looks_like_zip(peeked.front()) || looks_like_sqlite(peeked.front()))
        return read(*FileOnDisk::keep(path, peeked, source.expected_bytes(), progress), part, progress);
    LoadedFile loaded;
    read_input({peeked.front(), &peeked, nullptr, source.expected_bytes(), 0, part}, progress, loaded);
    return loaded;
}

Result<LoadedFile> load_standard_input(std::uint32_t part, Progress& progress) {
    if (Status taken = StandardInputSource::take(); !taken) return taken.error();
    return caught([&] { return read_streamed(k_standard_input, StandardInputSource(progress), part, progress); });
}

Result<LoadedFile> load_remote(const std::string& path, std::uint32_t part, Progress& progress) {
    Result<RemoteFetch> fetch = take_fetch(path);
    if (!fetch) return fetch.error();
    return caught([&] { return read_streamed(path, RemoteSource(*std::move(fetch), progress), part, progress); });
}

}  // namespace

Result<LoadedFile> load_file(const std::string& path, Progress& progress, LoadTimings* timings, std::uint32_t part) {
    progress.enter(Stage::reading);
    const auto start = std::chrono::steady_clock::now();
    double read_ms = 0;
    Result<LoadedFile> loaded = is_standard_input(path) ? load_standard_input(part, progress)
                                : is_remote(path)
                                    ? load_remote(path, part, progress)
                                    : load_from_disk(path, part, progress, [&] { read_ms = milliseconds_since(start); });
    if (!loaded) return loaded.error();
    if (progress.stop_requested()) return stopped();
    keep_within_bounds(*loaded->snapshot);
    if (is_pytorch_recording(loaded->snapshot->kind)) mend_clocks(*loaded->snapshot);
    if (progress.stop_requested()) return stopped();
    // The streams of a profiler's database have numbers of their own.
    if (loaded->databases.empty()) number_streams(*loaded->snapshot);
    if (timings != nullptr) *timings = {read_ms, milliseconds_since(start) - read_ms};
    return loaded;
}

Result<std::shared_ptr<SqliteFile>> load_database(const std::string& path, Progress& progress) {
    if (!is_remote(path)) {
        std::error_code unknown;
        const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
        progress.budget().add_file(unknown ? 0 : bytes);
        return SqliteFile::open(path, &progress);
    }
    Result<RemoteFetch> fetch = take_fetch(path);
    if (!fetch) return fetch.error();
    return caught([&] {
        RemoteSource source(*std::move(fetch), progress);
        return FileOnDisk::keep(path, source, source.expected_bytes(), progress)->database();
    });
}

}  // namespace snapviewer
