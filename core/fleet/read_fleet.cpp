#include "core/fleet/read_fleet.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fleet/read_in_order.h"
#include "core/fleet/remote_ranks.h"

namespace snapviewer {
namespace {

/// Memory that a file is likely to need, in bytes a byte: real ones take about one, packed ones hold up to 35 times their
/// size.
constexpr std::uint64_t k_need_ratio = 3;
constexpr std::uint64_t k_packed_need_ratio = 60;

using Places = std::vector<std::size_t>;  ///< among the files

Status read_with(std::size_t workers, std::span<const FleetFile> files, const Places& places, const SummaryOptions& options,
                 const Progress& progress, const TakeSummary& take) {
    InOrderReader<FileSummary> reader(
        {.count = places.size(),
         .need_bytes = [&](std::size_t i) { return likely_need_bytes(files[places[i]]); },
         .read = [&](std::size_t i, Progress& own) { return summarise_file(files[places[i]], options, own); }},
        workers);
    return reader.run(progress, [&](std::size_t i, FileSummary summary) { return take(places[i], std::move(summary)); });
}

/// One after the other, because a connection brings one at a time: no more than one of them takes room here.
Status read_remote(std::span<const FleetFile> files, const SummaryOptions& options, const Progress& progress,
                   const TakeSummary& take) {
    std::vector<Places> batches;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (!files[i].remote) continue;
        const FleetFile* before = batches.empty() ? nullptr : &files[batches.back().back()];
        const bool go_together = before != nullptr && before->error.empty() && files[i].error.empty() &&
                                 before->remote->folder == files[i].remote->folder &&
                                 batches.back().size() < files_at_once(files[i].remote->folder);
        if (!go_together) batches.emplace_back();
        batches.back().push_back(i);
    }
    using Summaries = std::vector<FileSummary>;
    InOrderReader<Summaries> reader({.count = batches.size(),
                                     .need_bytes = [](std::size_t) { return 0; },
                                     .read =
                                         [&](std::size_t batch, Progress& own) {
                                             std::vector<FleetFile> together;
                                             for (const std::size_t place : batches[batch]) together.push_back(files[place]);
                                             return summarise_remote(together, options, own);
                                         }},
                                    1);
    return reader.run(progress, [&](std::size_t batch, Summaries summaries) {
        if (progress.stop_requested()) return Status(stopped());  // whoever stops ends the connection, too
        for (std::size_t i = 0; i < summaries.size(); ++i) {
            if (Status taken = take(batches[batch][i], std::move(summaries[i])); !taken) return taken;
        }
        return Status();
    });
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
    Places here;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (!files[i].remote) here.push_back(i);
    }
    Places once_more;
    const auto take_or_keep = [&](std::size_t file, FileSummary summary) {
        if (!summary.lacked_memory) return take_counted(file, std::move(summary));
        once_more.push_back(file);
        return Status();
    };
    if (Status read = read_with(reading_threads(), files, here, options, progress, take_or_keep); !read) return read;
    if (Status read = read_with(1, files, once_more, options, progress, take_counted); !read) return read;
    return read_remote(files, options, progress, take_counted);
}

}  // namespace snapviewer
