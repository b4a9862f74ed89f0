#include "core/load/load.h"

#include <chrono>
#include <filesystem>

#include "core/base/addresses.h"
#include "core/load/bytes/byte_source.h"
#include "core/load/bytes/sources.h"
#include "core/load/bytes/zip_archive.h"
#include "core/load/formats.h"
#include "core/load/read_database.h"
#include "core/load/remote/source.h"
#include "core/trace/normalisation.h"
#include "core/trace/segments.h"

namespace snapviewer {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

LoadedFile read(FileOnDisk& file, std::uint32_t part) {
    LoadedFile loaded;
    if (file.is_folder()) {
        Input folder;
        folder.file = &file;
        folder.part = part;
        read_input(folder, loaded);
        return loaded;
    }
    MappedSource source(file.bytes());
    PeekedSource peeked(source);
    read_input({peeked.front(), &peeked, &file, file.bytes().size_bytes(), 0, part}, loaded);
    return loaded;
}

/// Loads a file from the disk. Calls `opened` after opening the file and before reading it.
template <typename Opened>
LoadedFile load_from_disk(const std::string& path, std::uint32_t part, Opened opened) {
    const std::unique_ptr<FileOnDisk> file = FileOnDisk::open(path);
    budget_of_thread().add_file(file->bytes().size_bytes());
    opened();
    Result<LoadedFile> loaded = caught([&] { return read(*file, part); });
    throw_if_error(file->bytes().check_still_whole());
    return value_or_throw(std::move(loaded));
}

/// Loads a file from a stream. Stores zips and databases in a temporary file first, because they need random access; reads
/// other formats while they arrive.
template <typename Source>
LoadedFile read_streamed(const std::string& path, Source source, std::uint32_t part) {
    PeekedSource peeked(source);
    if (looks_like_zip(peeked.front()) || looks_like_sqlite(peeked.front()))
        return read(*FileOnDisk::keep(path, peeked, source.expected_bytes()), part);
    LoadedFile loaded;
    read_input({peeked.front(), &peeked, nullptr, source.expected_bytes(), 0, part}, loaded);
    return loaded;
}

LoadedFile load_standard_input(std::uint32_t part) {
    throw_if_error(StandardInputSource::take());
    return read_streamed(k_standard_input, StandardInputSource(), part);
}

LoadedFile load_remote(const std::string& path, std::uint32_t part) {
    return read_streamed(path, RemoteSource(value_or_throw(take_fetch(path))), part);
}

}  // namespace

Result<LoadedFile> load_file(const std::string& path, Progress& progress, LoadTimings* timings, std::uint32_t part) {
    return caught(&progress, [&] {
        report_stage(Stage::reading);
        const auto start = std::chrono::steady_clock::now();
        double read_ms = 0;
        LoadedFile loaded = is_standard_input(path) ? load_standard_input(part)
                            : is_remote(path)       ? load_remote(path, part)
                                              : load_from_disk(path, part, [&] { read_ms = milliseconds_since(start); });
        check_stop();
        limit_values(*loaded.snapshot);
        if (is_pytorch_recording(loaded.snapshot->kind)) repair_clocks(*loaded.snapshot);
        check_stop();
        // A profiler's database has stream numbers of its own, which are kept.
        if (loaded.databases.empty()) number_streams(*loaded.snapshot);
        if (timings != nullptr) *timings = {read_ms, milliseconds_since(start) - read_ms};
        return loaded;
    });
}

Result<std::shared_ptr<SqliteFile>> load_database(const std::string& path, Progress& progress) {
    return caught(&progress, [&] {
        if (!is_remote(path)) {
            budget_of_thread().add_file_at(path);
            return value_or_throw(SqliteFile::open(path));
        }
        RemoteSource source(value_or_throw(take_fetch(path)));
        return FileOnDisk::keep(path, source, source.expected_bytes())->database();
    });
}

}  // namespace snapviewer
