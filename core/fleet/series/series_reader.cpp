#include "core/fleet/series/series_reader.h"

#include <algorithm>
#include <bit>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/addresses.h"
#include "core/base/input_files.h"
#include "core/fleet/fleet_reader.h"
#include "core/fleet/read_in_order.h"
#include "core/load/formats.h"

namespace snapviewer::series {
namespace {

/// Latest accepted modification time, in the year 9892. File systems may return any number.
constexpr std::int64_t k_max_time_s = 250'000'000'000;
/// Maximum number of pools per sample; private pools beyond it are merged into k_other_pools.
constexpr std::size_t k_max_pools = 256;

/// Sums up the segments of one device of a snapshot.
class SampleCounter {
public:
    explicit SampleCounter(const Snapshot& snapshot) : snapshot_(snapshot) {}

    void add(const Segment& segment) {
        PoolUse& use = pools_[pool_of(segment)];
        use.total.segments += 1;
        use.total.reserved_bytes += segment.total_bytes;
        sample_.expandable_segments += segment.is_expandable ? 1 : 0;
        sample_.expandable_bytes += segment.is_expandable ? segment.total_bytes : 0;
        requested_bytes_ += segment.requested_bytes;
        for (const Block& block : snapshot_.blocks_of(segment)) add(block, use);
        if (segment.block_count > 0) return;
        use.total.allocated_bytes += segment.allocated_bytes;
        use.total.active_bytes += segment.active_bytes;
    }

    SeriesSample take() {
        merge_small_pools();
        for (auto& [pool, use] : pools_) {
            use.total.pool = pool;
            sample_.segments += use.total.segments;
            sample_.reserved_bytes += use.total.reserved_bytes;
            sample_.allocated_bytes += use.total.allocated_bytes;
            sample_.active_bytes += use.total.active_bytes;
            for (const auto& [exponent, size] : use.sizes)
                sample_.sizes.push_back(
                    {static_cast<std::uint16_t>(sample_.pools.size()), exponent, size.blocks, size.bytes});
            sample_.pools.push_back(use.total);
        }
        sample_.pools.shrink_to_fit();
        sample_.sizes.shrink_to_fit();
        if (requested_bytes_ > 0 || sample_.active_bytes == 0) sample_.requested_bytes = requested_bytes_;
        return std::move(sample_);
    }

private:
    struct PoolUse {
        SamplePool total;
        std::map<std::uint8_t, SizeUse> sizes;  ///< size classes by exponent
    };

    SeriesPool pool_of(const Segment& segment) const {
        SeriesPool pool;
        if (segment.pool != k_no_pool) std::tie(pool.owner, pool.id) = snapshot_.pools[segment.pool];
        pool.is_small = snapshot_.strings.view(segment.type) == "small";
        return pool;
    }

    void add(const Block& block, PoolUse& use) {
        sample_.blocks += 1;
        if (block.state == BlockState::inactive) {
            use.total.largest_inactive_bytes = std::max(use.total.largest_inactive_bytes, block.size_bytes);
            return;
        }
        use.total.active_bytes += block.size_bytes;
        if (block.state != BlockState::active_allocated) return;
        use.total.allocated_bytes += block.size_bytes;
        SizeUse& size =
            use.sizes[static_cast<std::uint8_t>(std::bit_width(std::max<std::uint64_t>(block.size_bytes, 1)) - 1)];
        size.blocks += 1;
        size.bytes += block.size_bytes;
    }

    /// Limits the number of pools, because a file may have tens of thousands.
    void merge_small_pools() {
        if (pools_.size() <= k_max_pools) return;
        std::vector<std::pair<std::uint64_t, SeriesPool>> by_bytes;
        for (const auto& [pool, use] : pools_) by_bytes.emplace_back(use.total.reserved_bytes, pool);
        std::ranges::sort(by_bytes, std::ranges::greater());
        for (std::size_t i = k_max_pools; i < by_bytes.size(); ++i) {
            const SeriesPool pool = by_bytes[i].second;
            if ((pool.owner == 0 && pool.id == 0) || pool == k_other_pools) continue;
            const PoolUse use = pools_.extract(pool).mapped();
            PoolUse& others = pools_[k_other_pools];
            others.total.segments += use.total.segments;
            others.total.reserved_bytes += use.total.reserved_bytes;
            others.total.allocated_bytes += use.total.allocated_bytes;
            others.total.active_bytes += use.total.active_bytes;
            others.total.largest_inactive_bytes =
                std::max(others.total.largest_inactive_bytes, use.total.largest_inactive_bytes);
            for (const auto& [exponent, size] : use.sizes) {
                others.sizes[exponent].blocks += size.blocks;
                others.sizes[exponent].bytes += size.bytes;
            }
        }
    }

    const Snapshot& snapshot_;
    SeriesSample sample_;
    std::uint64_t requested_bytes_ = 0;
    std::map<SeriesPool, PoolUse> pools_;
};

/// The data kept of one file of a series.
struct ReadFile {
    SampleSeries series;         ///< One sample for each device in the file, or the file as a full snapshot.
    bool lacked_memory = false;  ///< The file was not read because memory ran out.
};

/// Reads a snapshot and the recorder's facts beside it, and keeps only the samples. A file that its recorder calls a full
/// snapshot is not loaded; only its facts are read. Takes as long as loading the file, without computing allocations.
class SeriesFileReader {
public:
    SeriesFileReader(const SeriesFile& file, Progress& progress) : file_(file), progress_(progress) {}

    /// Throws only stopped(); other errors are returned in `failed`.
    ReadFile run() {
        const Status read = caught([&] { this->read(); });
        if (!read) {
            const ErrorCode code = read.error().code;
            if (code == ErrorCode::cancelled) throw Failure{read.error()};
            read_.lacked_memory = code == ErrorCode::memory || code == ErrorCode::environment;
            fail(file_.path, read.error().text());
        }
        return std::move(read_);
    }

private:
    void fail(std::string path, std::string why) { read_.series.failed.push_back({std::move(path), std::move(why)}); }

    void read() {
        if (!file_.error.empty()) return fail(file_.path, file_.error);
        if (!file_.is_failure) return read_snapshot();
        read_about(file_.path);
        if (!about_.failed.empty()) fail(file_.path, "a snapshot could not be written: " + about_.failed);
    }

    void read_about(const std::string& path) {
        Result<AboutFile> about = read_about_file(path);
        if (!about) return fail(path, about.error().text());
        about_ = *std::move(about);
        if (!about_.ignored.empty()) fail(path, about_.ignored);
    }

    void read_snapshot() {
        const PlainFile plain = value_or_throw(PlainFile::open(file_.path, PlainFile::Links::follow));
        written_us_ = std::clamp(plain.info().written_s, -k_max_time_s, k_max_time_s) * 1'000'000;
        const std::filesystem::path beside = about_path(file_.path);
        if (std::error_code ignored; std::filesystem::exists(beside, ignored)) read_about(beside.string());
        const std::string& why = about_.why.empty() ? file_.name.why : about_.why;
        if (!why.empty() && why != "series") return add_dump(why);
        const profilers::LoadedFile loaded = value_or_throw(load::load_file(file_.path, progress_));
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
            SeriesLine& line = read_.series.lines.emplace_back();
            line.rank = rank();
            line.device = number;
            line.host = host();
            describe(line.samples.emplace_back(counter.take()), number == device());
        }
    }

    SeriesMoment moment() const {
        return {file_.path, file_.stamp.file_bytes, about_.time_us.value_or(written_us_),
                about_.time_us ? SampleTime::recorder : SampleTime::file, about_.step};
    }

    /// Copies the recorder's facts into the sample. The driver's figures among them apply only to the recorder's own device.
    void describe(SeriesSample& sample, bool is_its_device) const {
        static_cast<SeriesMoment&>(sample) = moment();
        sample.number = file_.name.number;
        sample.pid = about_.pid;
        if (!is_its_device) return;
        sample.device_total_bytes = about_.device_total_bytes;
        sample.device_used_bytes = about_.device_used_bytes;
        sample.other_processes_bytes = about_.other_processes_bytes;
    }

    void add_dump(const std::string& why) {
        read_.series.dumps.push_back({moment(), rank(), device(), host(), why, about_.allocated_bytes, about_.reserved_bytes,
                                      about_.device_total_bytes});
    }

    std::int64_t rank() const { return about_.rank.value_or(file_.name.rank.value_or(0)); }
    std::int64_t device() const { return about_.device.value_or(file_.name.device.value_or(0)); }
    const std::string& host() const { return about_.host.empty() ? file_.name.host : about_.host; }

    const SeriesFile& file_;
    Progress& progress_;
    AboutFile about_;
    std::int64_t written_us_ = 0;
    ReadFile read_;
};

/// Collects the samples of all files into a series.
class SeriesBuilder {
public:
    void add(SampleSeries file) {
        for (SeriesLine& each : file.lines) {
            SeriesLine& line = lines_[{each.rank, each.device}];
            line.host = std::move(each.host);
            std::ranges::move(each.samples, std::back_inserter(line.samples));
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
        bool has_recorded_time = false;
        for (const SeriesSample& sample : line.samples) {
            if (sample.number) numbers.insert(*sample.number);
            has_recorded_time |= sample.time_from == SampleTime::recorder;
        }
        line.order = has_recorded_time || numbers.size() < line.samples.size() ? SampleOrder::time : SampleOrder::number;
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
    fleet::InOrderReader<ReadFile> reader(
        {.count = unknown.size(),
         .estimated_bytes =
             [&](std::size_t file) {
                 return fleet::estimate_memory_bytes(unknown[file]->path, unknown[file]->stamp.file_bytes);
             },
         .read = [&](std::size_t file, Progress& own) { return SeriesFileReader(*unknown[file], own).run(); }},
        fleet::reading_threads());
    reader.retry_alone_if([](const ReadFile& read) { return read.lacked_memory; });
    const Status read = caught([&] {
        reader.run([&](std::size_t file, ReadFile contents) {
            there.files.insert_or_assign(unknown[file]->path,
                                         SeriesMemory::Known{unknown[file]->stamp, std::move(contents.series)});
            report_done(file + 1, unknown.size());
        });
    });
    if (!read) there.files.merge(memory.files);
    memory = std::move(there);
    throw_if_error(read);
}

SampleSeries build_series(const std::vector<SeriesFile>& files, SeriesMemory* memory) {
    if (files.empty()) throw Failure{{ErrorCode::bad_file, k_no_series_files}};
    SeriesMemory own;
    SeriesMemory& known = memory == nullptr ? own : *memory;
    read_unknown(files, known);
    SeriesBuilder builder;
    for (const SeriesFile& file : files) {
        SampleSeries& read = known.files.at(file.path).read;
        builder.add(memory == nullptr ? std::move(read) : SampleSeries(read));
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

}  // namespace snapviewer::series
