#include "core/fleet/series/series_reader.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <map>
#include <new>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/addresses.h"
#include "core/base/context.h"
#include "core/base/input_files.h"
#include "core/base/result.h"
#include "core/fleet/fleet_reader.h"
#include "core/fleet/read_in_order.h"
#include "core/fleet/series/series_files.h"
#include "core/load/load.h"

namespace snapviewer {
namespace {

/// Year 9892. File systems may return any number as a modification time.
constexpr std::int64_t k_latest_time_s = 250'000'000'000;
/// Maximum number of pools per sample; private pools beyond it are merged into k_other_pools.
constexpr std::size_t k_most_pools = 256;

/// Sums up the segments of one device of a snapshot.
class SampleCounter {
public:
    explicit SampleCounter(const Snapshot& snapshot) : snapshot_(snapshot) {}

    void add(const Segment& segment) {
        SamplePool& pool = pools_[pool_of(segment)];
        pool.segments += 1;
        pool.reserved_bytes += segment.total_bytes;
        sample_.expandable_segments += segment.is_expandable ? 1 : 0;
        sample_.expandable_bytes += segment.is_expandable ? segment.total_bytes : 0;
        requested_bytes_ += segment.requested_bytes;
        for (std::uint32_t i = 0; i < segment.block_count; ++i)
            add(snapshot_.blocks[segment.first_block + i], pool, sizes_[pool_of(segment)]);
        if (segment.block_count > 0) return;
        pool.allocated_bytes += segment.allocated_bytes;
        pool.active_bytes += segment.active_bytes;
    }

    SeriesSample take() {
        merge_small_pools();
        for (auto& [key, use] : pools_) {
            use.pool = key;
            sample_.segments += use.segments;
            sample_.reserved_bytes += use.reserved_bytes;
            sample_.allocated_bytes += use.allocated_bytes;
            sample_.active_bytes += use.active_bytes;
            for (const auto& [exponent, size] : sizes_[key]) {
                sample_.sizes.push_back(size);
                sample_.sizes.back().pool = static_cast<std::uint16_t>(sample_.pools.size());
                sample_.sizes.back().exponent = exponent;
            }
            sample_.pools.push_back(use);
        }
        sample_.pools.shrink_to_fit();
        sample_.sizes.shrink_to_fit();
        if (requested_bytes_ > 0 || sample_.active_bytes == 0) sample_.requested_bytes = requested_bytes_;
        return std::move(sample_);
    }

private:
    using Sizes = std::map<std::uint8_t, SizeUse>;  ///< size classes by exponent

    SeriesPool pool_of(const Segment& segment) const {
        SeriesPool pool;
        if (segment.pool != k_no_pool) std::tie(pool.owner, pool.id) = snapshot_.pools[segment.pool];
        pool.is_small = snapshot_.strings.view(segment.type) == "small";
        return pool;
    }

    void add(const Block& block, SamplePool& pool, Sizes& sizes) {
        sample_.blocks += 1;
        if (block.state == BlockState::inactive) {
            pool.largest_inactive_bytes = std::max(pool.largest_inactive_bytes, block.size_bytes);
            return;
        }
        pool.active_bytes += block.size_bytes;
        if (block.state != BlockState::active_allocated) return;
        pool.allocated_bytes += block.size_bytes;
        SizeUse& size =
            sizes[static_cast<std::uint8_t>(std::max<int>(static_cast<int>(std::bit_width(block.size_bytes)), 1) - 1)];
        size.blocks += 1;
        size.bytes += block.size_bytes;
    }

    /// Limits the number of pools, because a file may have tens of thousands.
    void merge_small_pools() {
        if (pools_.size() <= k_most_pools) return;
        std::vector<std::pair<std::uint64_t, SeriesPool>> by_bytes;
        for (const auto& [key, use] : pools_) by_bytes.emplace_back(use.reserved_bytes, key);
        std::ranges::sort(by_bytes, std::ranges::greater());
        for (std::size_t i = k_most_pools; i < by_bytes.size(); ++i) {
            const SeriesPool key = by_bytes[i].second;
            if ((key.owner == 0 && key.id == 0) || key == k_other_pools) continue;
            const SamplePool use = pools_.extract(key).mapped();
            SamplePool& others = pools_[k_other_pools];
            others.segments += use.segments;
            others.reserved_bytes += use.reserved_bytes;
            others.allocated_bytes += use.allocated_bytes;
            others.active_bytes += use.active_bytes;
            others.largest_inactive_bytes = std::max(others.largest_inactive_bytes, use.largest_inactive_bytes);
            for (const auto& [exponent, size] : sizes_[key]) {
                sizes_[k_other_pools][exponent].blocks += size.blocks;
                sizes_[k_other_pools][exponent].bytes += size.bytes;
            }
        }
    }

    const Snapshot& snapshot_;
    SeriesSample sample_;
    std::uint64_t requested_bytes_ = 0;
    std::map<SeriesPool, SamplePool> pools_;
    std::map<SeriesPool, Sizes> sizes_;
};

/// Reads one file and the recorder's facts beside it.
class SeriesFileReader {
public:
    SeriesFileReader(const SeriesFile& file, Progress& progress) : file_(file), progress_(progress) {}

    ReadSeriesFile run() {
        if (!file_.error.empty()) {
            fail(file_.path, file_.error);
        } else if (file_.is_failure) {
            read_about(file_.path);
            if (!about_.failed.empty()) fail(file_.path, "a snapshot could not be written: " + about_.failed);
        } else if (const Status read = caught([&] { read_snapshot(); }); !read) {
            if (read.error().code == ErrorCode::cancelled) throw Failure{read.error()};
            fail(file_.path, read.error().text());
        }
        return std::move(read_);
    }

private:
    void fail(std::string path, std::string why) { read_.failed.push_back({std::move(path), std::move(why)}); }

    void read_about(const std::string& path) {
        Result<AboutFile> about = read_about_file(path);
        if (!about) return fail(path, about.error().text());
        about_ = *std::move(about);
        if (!about_.ignored.empty()) fail(path, about_.ignored);
    }

    void read_snapshot() {
        const PlainFile plain = value_or_throw(PlainFile::open(file_.path, PlainFile::Links::follow));
        written_us_ = std::clamp(plain.info().written_s, -k_latest_time_s, k_latest_time_s) * 1'000'000;
        const std::filesystem::path beside = about_path_of(file_.path);
        if (std::error_code ignored; std::filesystem::exists(beside, ignored)) read_about(beside.string());
        const std::string& why = about_.why.empty() ? file_.name.why : about_.why;
        if (!why.empty() && why != "series") {
            add_dump(why);
            return;
        }
        const LoadedFile loaded = value_or_throw(load_file(file_.path, progress_));
        const Snapshot& snapshot = *loaded.snapshot;
        if (!is_pytorch_recording(snapshot.kind))
            throw Failure{{ErrorCode::unsupported, "is no snapshot by PyTorch, so it says nothing of segments"}};
        if (std::ranges::any_of(snapshot.devices, [](const DeviceTrace& trace) { return trace.events.size() > 0; }))
            add_dump("events");
        add_samples(snapshot);
    }

    void add_samples(const Snapshot& snapshot) {
        std::map<std::int32_t, SampleCounter> counters;
        for (const DeviceTrace& trace : snapshot.devices) {
            if (trace.device >= 0 && trace.part.empty()) counters.try_emplace(trace.device, snapshot);
        }
        if (counters.empty()) counters.try_emplace(static_cast<std::int32_t>(device()), snapshot);
        for (const Segment& segment : snapshot.segments) {
            if (const auto counter = counters.find(segment.device); counter != counters.end()) counter->second.add(segment);
        }
        for (auto& [number, counter] : counters) {
            ReadSample& added = read_.samples.emplace_back();
            added.rank = rank();
            added.device = number;
            added.host = host();
            added.sample = counter.take();
            describe(added.sample, number == device());
        }
    }

    /// Copies the recorder's facts into the sample. The driver's figures among them apply only to the recorder's own device.
    void describe(SeriesSample& sample, bool is_its_device) const {
        sample.file = file_.path;
        sample.file_bytes = file_.stamp.file_bytes;
        sample.number = file_.name.number;
        sample.time_us = about_.time_us.value_or(written_us_);
        sample.time_from = about_.time_us ? SampleTime::recorder : SampleTime::file;
        sample.step = about_.step;
        sample.pid = about_.pid;
        if (!is_its_device) return;
        sample.device_total_bytes = about_.device_total_bytes;
        sample.device_used_bytes = about_.device_used_bytes;
        sample.other_processes_bytes = about_.other_processes_bytes;
    }

    void add_dump(const std::string& why) {
        SeriesDump& dump = read_.dumps.emplace_back();
        dump.rank = rank();
        dump.device = device();
        dump.host = host();
        dump.why = why;
        dump.time_us = about_.time_us.value_or(written_us_);
        dump.time_from = about_.time_us ? SampleTime::recorder : SampleTime::file;
        dump.step = about_.step;
        dump.file = file_.path;
        dump.file_bytes = file_.stamp.file_bytes;
        dump.allocated_bytes = about_.allocated_bytes;
        dump.reserved_bytes = about_.reserved_bytes;
        dump.device_total_bytes = about_.device_total_bytes;
    }

    std::int64_t rank() const { return about_.rank.value_or(file_.name.rank.value_or(0)); }
    std::int64_t device() const { return about_.device.value_or(file_.name.device.value_or(0)); }
    const std::string& host() const { return about_.host.empty() ? file_.name.host : about_.host; }

    const SeriesFile& file_;
    Progress& progress_;
    AboutFile about_;
    std::int64_t written_us_ = 0;
    ReadSeriesFile read_;
};

}  // namespace

ReadSeriesFile read_series_file(const SeriesFile& file, Progress& progress) {
    auto read = caught([&] { return SeriesFileReader(file, progress).run(); });
    if (read || read.error().code == ErrorCode::cancelled) return value_or_throw(std::move(read));
    const ErrorCode code = read.error().code;
    return ReadSeriesFile{.samples = {},
                          .dumps = {},
                          .failed = {{file.path, read.error().message}},
                          .lacked_memory = code == ErrorCode::memory || code == ErrorCode::environment};
}

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
         .read = [&](std::size_t file, Progress& own) { return read_series_file(*unknown[file], own); }},
        reading_threads());
    reader.retry_alone_if([](const ReadSeriesFile& read) { return read.lacked_memory; });
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
