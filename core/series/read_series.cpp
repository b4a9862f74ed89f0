#include "core/series/read_series.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/base/context.h"
#include "core/base/remote_address.h"
#include "core/fleet/read_fleet.h"
#include "core/fleet/read_in_order.h"
#include "core/series/read_sample.h"
#include "core/series/series_files.h"

namespace snapviewer {
namespace {

/// Collects the samples of all files into a series.
class SeriesBuilder {
public:
    void add(ReadSeriesFile file) {
        for (ReadSample& each : file.samples) {
            SeriesLine& line = lines_[{each.rank, each.device}];
            line.host = std::move(each.host);
            line.samples.push_back(std::move(each.sample));
        }
        std::ranges::move(file.dumps, std::back_inserter(series_.dumps));
        std::ranges::move(file.failed, std::back_inserter(series_.failed));
    }

    SampleSeries take() {
        for (auto& [place, line] : lines_) {
            std::tie(line.rank, line.device) = place;
            put_in_order(line);
            series_.lines.push_back(std::move(line));
        }
        std::ranges::stable_sort(series_.dumps, {}, &SeriesDump::time_us);
        return std::move(series_);
    }

private:
    /// Sorts the samples by time if a recorder states the times, else by the numbers in their names, because modification
    /// times are lost when files are copied. Without distinct numbers, sorts by modification time.
    static void put_in_order(SeriesLine& line) {
        std::set<std::uint64_t> numbers;
        bool is_told = false;
        for (const SeriesSample& sample : line.samples) {
            if (sample.number) numbers.insert(*sample.number);
            is_told |= sample.time_from == SampleTime::recorder;
        }
        line.order = is_told || numbers.size() < line.samples.size() ? SampleOrder::time : SampleOrder::number;
        if (line.order == SampleOrder::time)
            std::ranges::stable_sort(line.samples, {}, &SeriesSample::time_us);
        else
            std::ranges::stable_sort(line.samples, {}, &SeriesSample::number);
        line.has_times = std::ranges::is_sorted(line.samples, {}, &SeriesSample::time_us) &&
                         line.samples.front().time_us < line.samples.back().time_us;
    }

    std::map<std::pair<std::int64_t, std::int64_t>, SeriesLine> lines_;
    SampleSeries series_;
};

/// Reads the files that are new or have changed since `memory` was filled. Afterwards `memory` contains all of `files`.
void read_unknown(const std::vector<SeriesFile>& files, SeriesMemory& memory) {
    SeriesMemory there;
    std::vector<const SeriesFile*> unknown;
    for (const SeriesFile& file : files) {
        auto known = memory.files.extract(file.path);
        if (!known.empty() && known.mapped().stamp == file.stamp)
            there.files.insert(std::move(known));
        else
            unknown.push_back(&file);
    }
    InOrderReader<ReadSeriesFile> reader(
        {.count = unknown.size(),
         .need_bytes =
             [&](std::size_t file) { return likely_need_bytes(unknown[file]->path, unknown[file]->stamp.file_bytes); },
         .read = [&](std::size_t file, Progress& own) { return read_series_file(*unknown[file], own); },
         .lacked_memory = [](const ReadSeriesFile& read) { return read.lacked_memory; }},
        reading_threads());
    const Status read = caught([&] {
        reader.run([&](std::size_t file, ReadSeriesFile outcome) {
            there.files.insert_or_assign(unknown[file]->path, SeriesMemory::Known{unknown[file]->stamp, std::move(outcome)});
            report_done(file + 1, unknown.size());
        });
    });
    if (!read) there.files.merge(memory.files);
    memory = std::move(there);
    need_ok(read);
}

SampleSeries build_series(const std::vector<SeriesFile>& files, SeriesMemory* memory) {
    if (files.empty()) throw Failure{{ErrorCode::bad_file, k_no_series_files}};
    SeriesMemory own;
    SeriesMemory& known = memory == nullptr ? own : *memory;
    read_unknown(files, known);
    SeriesBuilder builder;
    for (const SeriesFile& file : files) {
        ReadSeriesFile& read = known.files.at(file.path).read;
        builder.add(memory == nullptr ? std::move(read) : ReadSeriesFile(read));
    }
    return builder.take();
}

}  // namespace

Result<SampleSeries> read_series(std::span<const std::string> paths, Progress& progress, SeriesMemory* memory) {
    if (std::ranges::any_of(paths, is_remote))
        return Error{ErrorCode::unsupported, "is on another machine; run this command there, or copy the folder"};
    return caught(&progress, [&] {
        report_stage(Stage::reading);
        return build_series(value_or_throw(find_series_files(paths, progress)), memory);
    });
}

}  // namespace snapviewer
