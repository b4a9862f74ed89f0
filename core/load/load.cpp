#include "core/load/load.h"

#include <chrono>

#include "core/load/failure.h"
#include "core/load/formats.h"
#include "core/load/mapped_source.h"
#include "core/load/peeked_source.h"
#include "core/trace/bounds.h"
#include "core/trace/pools.h"

namespace snapviewer {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

LoadedFile read(FileOnDisk& file, Progress& progress) {
    LoadedFile loaded;
    if (file.is_folder()) {
        Input folder;
        folder.file = &file;
        read_input(folder, progress, loaded);
        return loaded;
    }
    MappedSource source(file.bytes(), progress);
    PeekedSource peeked(source);
    read_input({peeked.front(), &peeked, &file, file.bytes().bytes().size(), 0}, progress, loaded);
    return loaded;
}

}  // namespace

Result<LoadedFile> load_file(const std::string& path, Progress& progress, LoadTimings* timings) {
    progress.enter(Stage::reading);
    const auto start = std::chrono::steady_clock::now();
    Result<std::unique_ptr<FileOnDisk>> file = FileOnDisk::open(path, progress);
    if (!file) return file.error();
    progress.budget().add_file((*file)->bytes().bytes().size());
    const double read_ms = milliseconds_since(start);
    Result<LoadedFile> loaded = caught([&] { return read(**file, progress); });
    if (Status whole = (*file)->bytes().check_still_whole(); !whole) return whole.error();
    if (!loaded) return loaded.error();
    if (progress.stop_requested()) return stopped();
    keep_within_bounds(*loaded->snapshot);
    if (progress.stop_requested()) return stopped();
    // The streams of a profiler's database have numbers of their own.
    if (loaded->databases.empty()) number_streams(*loaded->snapshot);
    if (timings != nullptr) *timings = {read_ms, milliseconds_since(start) - read_ms};
    return loaded;
}

}  // namespace snapviewer
