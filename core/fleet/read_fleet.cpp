#include "core/fleet/read_fleet.h"

#include <string_view>
#include <utility>
#include <vector>

#include "core/fleet/read_in_order.h"

namespace snapviewer {
namespace {

/// Memory that a file is likely to need, in bytes a byte: real ones take about one, packed ones hold up to 35 times their
/// size.
constexpr std::uint64_t k_need_ratio = 3;
constexpr std::uint64_t k_packed_need_ratio = 60;

Status read_with(std::size_t workers, std::span<const FleetFile> files, const SummaryOptions& options,
                 const Progress& progress, const TakeSummary& take) {
    InOrderReader<FileSummary> reader(
        {.count = files.size(),
         .need_bytes = [&](std::size_t file) { return likely_need_bytes(files[file]); },
         .read = [&](std::size_t file, Progress& own) { return summarise_file(files[file], options, own); }},
        workers);
    return reader.run(progress, take);
}

}  // namespace

std::uint64_t likely_need_bytes(std::string_view path, std::uint64_t file_bytes) {
    const auto ends = [&](std::string_view ending) { return path.ends_with(ending); };
    const bool is_packed = ends(".gz") || ends(".xz") || ends(".bz2") || ends(".lzma") || ends(".zst") || ends(".zip");
    return file_bytes * (is_packed ? k_packed_need_ratio : k_need_ratio);
}

std::uint64_t likely_need_bytes(const FleetFile& file) { return likely_need_bytes(file.path, file.file_bytes); }

Status read_fleet(std::span<const FleetFile> files, const SummaryOptions& options, Progress& progress,
                  const TakeSummary& take) {
    progress.enter(Stage::reading);
    std::size_t taken = 0;
    const auto take_counted = [&](std::size_t file, FileSummary summary) {
        const Status status = take(file, std::move(summary));
        progress.update(++taken, files.size());
        return status;
    };
    std::vector<std::size_t> refused;  // places among the files
    std::vector<FleetFile> once_more;
    const auto take_or_keep = [&](std::size_t file, FileSummary summary) {
        if (!summary.lacked_memory) return take_counted(file, std::move(summary));
        refused.push_back(file);
        once_more.push_back(files[file]);
        return Status();
    };
    const Status read = read_with(reading_threads(), files, options, progress, take_or_keep);
    if (!read) return read;
    return read_with(1, once_more, options, progress,
                     [&](std::size_t file, FileSummary summary) { return take_counted(refused[file], std::move(summary)); });
}

}  // namespace snapviewer
