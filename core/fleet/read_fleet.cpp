#include "core/fleet/read_fleet.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/context.h"
#include "core/fleet/read_in_order.h"
#include "core/fleet/remote_ranks.h"

namespace snapviewer {
namespace {

/// Estimated memory per byte of a file. Real uncompressed files take about one byte; compressed files hold up to 35 times
/// their size.
constexpr std::uint64_t k_need_ratio = 3;
constexpr std::uint64_t k_packed_need_ratio = 60;

using Places = std::vector<std::size_t>;  ///< indices into the list of files

/// Receives the summary of a file; throws to end the reading.
using TakeOrThrow = std::function<void(std::size_t file, FileSummary summary)>;

void read_local(std::span<const FleetFile> files, const Places& places, const SummaryOptions& options,
                const TakeOrThrow& take) {
    InOrderReader<FileSummary> reader(
        {.count = places.size(),
         .need_bytes = [&](std::size_t i) { return likely_need_bytes(files[places[i]]); },
         .read = [&](std::size_t i, Progress& own) { return summarise_file(files[places[i]], options, own); },
         .lacked_memory = [](const FileSummary& summary) { return summary.lacked_memory; }},
        reading_threads());
    reader.run([&](std::size_t i, FileSummary summary) { take(places[i], std::move(summary)); });
}

/// Reads the files of other machines one request after another, because a connection transfers one at a time. At most one
/// file occupies local storage.
void read_remote(std::span<const FleetFile> files, const SummaryOptions& options, const TakeOrThrow& take) {
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
    reader.run([&](std::size_t batch, Summaries summaries) {
        check_stop();  // A stop also breaks the connection, so the summaries may contain only that error.
        for (std::size_t i = 0; i < summaries.size(); ++i) take(batches[batch][i], std::move(summaries[i]));
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
    Places here;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (!files[i].remote) here.push_back(i);
    }
    std::size_t taken = 0;
    const auto take_counted = [&](std::size_t file, FileSummary summary) {
        need_ok(take(file, std::move(summary)));
        report_done(++taken, files.size());
    };
    return caught(&progress, [&] {
        report_stage(Stage::reading);
        read_local(files, here, options, take_counted);
        read_remote(files, options, take_counted);
    });
}

}  // namespace snapviewer
