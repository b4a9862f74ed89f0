#include "core/fleet/series/series.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include "core/analysis/findings/findings.h"
#include "core/base/text.h"

namespace snapviewer::series {
namespace {

constexpr std::size_t k_max_lines = 20;  ///< maximum number of lines of one kind in text
constexpr std::size_t k_max_table_rows = 64;
constexpr std::size_t k_max_ranks_named = 8;

std::string amount(double bytes) { return format_bytes(static_cast<std::uint64_t>(std::max(std::round(bytes), 0.0))); }

/// Date and time without fractions, because modification times are accurate to a second at best.
std::string clock_text(std::int64_t time_us) { return format_wall_clock_us(time_us).substr(0, 19); }

std::string ranks_text(const std::set<std::int64_t>& ranks, std::size_t of_all) {
    if (ranks.size() == of_all && of_all > 1) return fmt::format("all {} ranks", of_all);
    if (ranks.size() > k_max_ranks_named) return counted(ranks.size(), "rank");
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (const std::int64_t rank : ranks) text += (rank == *ranks.begin() ? "" : ", ") + std::to_string(rank);
    return text;
}

/// Returns for example "blocks of 2 MiB to 4 MiB in the pool large", "the pool small" or "allocated memory".
std::string part_text(const GrowingPart& part) {
    switch (part.kind) {
        case GrowingKind::allocated: return "allocated memory";
        case GrowingKind::pool: return "the pool " + pool_name(part.pool);
        case GrowingKind::idle: return "memory that is reserved and not allocated";
        case GrowingKind::size_class: break;
    }
    return fmt::format("blocks of {} to {} in the pool {}", format_bytes(std::uint64_t{1} << part.exponent, 0),
                       part.exponent < 63 ? format_bytes(std::uint64_t{2} << part.exponent, 0) : "more",
                       pool_name(part.pool));
}

/// Builds the text report, section by section.
class ReportOfSeries {
public:
    ReportOfSeries(const SampleSeries& series, const SeriesFindings& findings, SeriesReader reader)
        : series_(series), findings_(findings), reader_(reader) {
        std::set<std::int64_t> ranks;
        for (const SeriesLine& line : series.lines) ranks.insert(line.rank);
        ranks_ = ranks.size();
    }

    std::vector<SeriesLineText> run() {
        add_summary();
        if (series_.sample_count() > 0) {
            add_growing();
            add_outside();
            add_gaps();
            add_ends();
            add_restarts();
        }
        add_dumps();
        if (reader_ == SeriesReader::terminal && !series_.lines.empty()) add_table();
        add_failed();
        return std::move(lines_);
    }

private:
    void add_line(std::size_t depth, std::string text, std::string file = "") {
        lines_.push_back({depth, std::move(text), std::move(file)});
    }
    /// Calls `add_item` for the first items and adds a line with the number of the others.
    template <typename Items, typename AddItem>
    void add_each(const Items& items, AddItem add_item, std::size_t max_items = k_max_lines) {
        for (std::size_t i = 0; i < std::min(items.size(), max_items); ++i) add_item(items[i]);
        if (items.size() > max_items) add_line(1, fmt::format("and {} more", format_count(items.size() - max_items)));
    }

    void add_summary() {
        std::string text = fmt::format("{} of {}", counted(series_.sample_count(), "sample"), counted(ranks_, "rank"));
        std::int64_t first_us = INT64_MAX, last_us = INT64_MIN;
        bool have_times = true;
        std::size_t by_number = 0;
        for (const SeriesLine& line : series_.lines) {
            by_number += line.order == SampleOrder::number ? 1 : 0;
            if (!line.has_times) continue;
            first_us = std::min(first_us, line.samples.front().time_us);
            last_us = std::max(last_us, line.samples.back().time_us);
            have_times &= std::ranges::all_of(
                line.samples, [](const SeriesSample& sample) { return sample.time_from == SampleTime::recorder; });
        }
        if (first_us < last_us)
            text += fmt::format(" over {}, from {} to {} UTC", format_duration_us(last_us - first_us), clock_text(first_us),
                                clock_text(last_us));
        add_line(0, std::move(text));
        if (by_number > 0)
            add_line(0,
                     "No recorder's files say when the samples were taken, so they are in the order of the numbers in their "
                     "names.");
        if (first_us < last_us && !have_times)
            add_line(0, "Not all times are told by a recorder: those that are not are when the files were written.");
        const auto has_several = [](const SeriesLine& line) { return line.samples.size() > 1; };
        if (first_us >= last_us && std::ranges::any_of(series_.lines, has_several))
            add_line(0, "The times of the samples are not known, so growth is told by sample.");
    }

    /// Writes one line for memory that grows on several ranks.
    void add_growing() {
        std::map<GrowingPart, std::vector<const SeriesGrowth*>> by_part;
        std::vector<GrowingPart> parts;
        for (const SeriesGrowth& growth : findings_.growing) {
            auto& of_part = by_part[growth.part];
            if (of_part.empty()) parts.push_back(growth.part);
            of_part.push_back(&growth);
        }
        if (parts.empty()) {
            const bool is_short = std::ranges::all_of(
                series_.lines, [](const SeriesLine& line) { return line.samples.size() < 2 * growth::k_windows; });
            return add_line(0, is_short ? fmt::format("Too few samples to tell what grows: that takes {} of a rank.",
                                                      2 * growth::k_windows)
                                        : "Nothing grows over the whole series.");
        }
        add_line(0, "Grows over the whole series:");
        add_each(parts, [&](const GrowingPart& part) { add_growth(by_part[part]); });
    }

    void add_growth(const std::vector<const SeriesGrowth*>& growing) {
        std::set<std::int64_t> ranks;
        for (const SeriesGrowth* growth : growing) ranks.insert(growth->rank);
        // The list is sorted by growth rate, so the middle element is the median.
        const SeriesGrowth& usual = *growing[growing.size() / 2];
        std::string text = fmt::format("{} an hour", amount(usual.bytes_per_hour.value_or(0)));
        if (!usual.bytes_per_hour) text = fmt::format("{} a sample", amount(usual.bytes_per_sample));
        if (usual.bytes_per_step) text += fmt::format(" ({} a step)", amount(*usual.bytes_per_step));
        text += fmt::format(": {}, on {}", part_text(usual.part), ranks_text(ranks, ranks_));
        add_line(1, text);
        const auto full_us = [](const SeriesGrowth* growth) { return growth->full_time_us.value_or(INT64_MAX); };
        const SeriesGrowth& first = **std::ranges::min_element(growing, {}, full_us);
        if (first.full_time_us)
            add_line(2, fmt::format("At this rate the device of rank {} is the first to be full, on {} UTC.", first.rank,
                                    clock_text(*first.full_time_us)));
    }

    void add_outside() {
        add_each(findings_.outside, [&](const OutsideGrowth& each) {
            const char* const who =
                each.is_of_other_processes ? "other processes" : "what PyTorch's allocator did not reserve";
            const std::string since =
                each.since_us ? fmt::format(", most of it since {} UTC", clock_text(*each.since_us)) : "";
            add_line(0, fmt::format("On the device of rank {}, {} grew from {} to {}{}.", each.rank, who,
                                    format_bytes(each.from_bytes), format_bytes(each.to_bytes), since));
        });
    }

    /// Merges overlapping gaps of several ranks, because a job usually stalls as a whole.
    void add_gaps() {
        struct Shared {
            std::int64_t from_us, to_us;
            std::set<std::int64_t> ranks;
        };
        std::vector<Shared> shared;
        for (const SeriesGap& gap : findings_.gaps) {
            if (shared.empty() || gap.from_us >= shared.back().to_us) shared.push_back({gap.from_us, gap.to_us, {}});
            shared.back().to_us = std::max(shared.back().to_us, gap.to_us);
            shared.back().ranks.insert(gap.rank);
        }
        add_each(shared, [&](const Shared& gap) {
            add_line(0, fmt::format("No samples of {} for {}, from {} UTC.", ranks_text(gap.ranks, ranks_),
                                    format_duration_us(gap.to_us - gap.from_us), clock_text(gap.from_us)));
        });
    }

    void add_ends() {
        add_each(findings_.ended, [&](const EarlyEnd& end) {
            add_line(0, fmt::format("Rank {}{} wrote its last sample on {} UTC, {} before the last of all ranks.", end.rank,
                                    end.host.empty() ? "" : " on " + terminal_text(end.host), clock_text(end.last_us),
                                    format_duration_us(end.before_us)));
        });
    }

    void add_restarts() {
        add_each(findings_.restarts, [&](const SeriesRestart& restart) {
            add_line(0, fmt::format("Rank {} was started anew before {} UTC; what grows is told of the new process alone.",
                                    restart.rank, clock_text(restart.time_us)));
        });
    }

    void add_dumps() {
        if (series_.dumps.empty()) return;
        add_line(0, "Full snapshots, to be opened one by one:");
        add_each(series_.dumps, [&](const SeriesDump& dump) {
            const std::string file =
                reader_ == SeriesReader::terminal ? dump.file : std::filesystem::path(dump.file).filename().string();
            add_line(1,
                     fmt::format("{} UTC  rank {:<4} {:<7} {}", clock_text(dump.time_us), dump.rank, terminal_text(dump.why),
                                 terminal_text(file)),
                     dump.file);
        });
    }

    void add_table() {
        add_line(0, "By rank, from the first sample to the last:");
        add_line(1, fmt::format("{:>5} {:>6} {:>8}  {:<19}  {:>24}  {:>24}  {:>10}", "rank", "device", "samples",
                                "last, UTC", "allocated", "reserved", "idle"));
        const auto say_row = [&](const SeriesLine& line) {
            const SeriesSample &first = line.samples.front(), &last = line.samples.back();
            const auto change = [&](std::uint64_t SeriesSample::*bytes) {
                return fmt::format("{:>10} -> {:>10}", format_bytes(first.*bytes), format_bytes(last.*bytes));
            };
            add_line(1, fmt::format("{:>5} {:>6} {:>8}  {:<19}  {:>24}  {:>24}  {:>10}", line.rank, line.device,
                                    format_count(line.samples.size()), line.has_times ? clock_text(last.time_us) : "",
                                    change(&SeriesSample::allocated_bytes), change(&SeriesSample::reserved_bytes),
                                    format_bytes(last.idle_bytes())));
        };
        add_each(series_.lines, say_row, k_max_table_rows);
    }

    void add_failed() {
        if (series_.failed.empty()) return;
        add_line(0, counted(series_.failed.size(), "file") + " could not be read, or not all of it:");
        add_each(series_.failed, [&](const SeriesFailure& failure) {
            add_line(1, fmt::format("{}: {}", terminal_text(failure.file), terminal_text(failure.error)));
        });
    }

    const SampleSeries& series_;
    const SeriesFindings& findings_;
    SeriesReader reader_;
    std::size_t ranks_ = 0;
    std::vector<SeriesLineText> lines_;
};

}  // namespace

const char* sample_time_name(SampleTime source) { return source == SampleTime::recorder ? "recorder" : "file"; }

std::string pool_name(const SeriesPool& pool) {
    if (pool == k_other_pools) return "other private pools";
    const char* const kind = pool.is_small ? "small" : "large";
    if (pool.owner == 0 && pool.id == 0) return kind;
    return fmt::format("private ({}, {}) {}", pool.owner, pool.id, kind);
}

std::optional<std::uint64_t> SeriesSample::outside_bytes() const {
    if (!device_used_bytes) return std::nullopt;
    return *device_used_bytes - std::min(*device_used_bytes, reserved_bytes);
}

std::size_t SampleSeries::sample_count() const {
    std::size_t count = 0;
    for (const SeriesLine& line : lines) count += line.samples.size();
    return count;
}

std::optional<std::uint64_t> SampleSeries::device_total_bytes(const SeriesLine& line) const {
    for (const SeriesSample& sample : std::views::reverse(line.samples)) {
        if (sample.device_total_bytes) return sample.device_total_bytes;
    }
    for (const SeriesDump& dump : std::views::reverse(dumps)) {
        if (dump.rank == line.rank && dump.device == line.device && dump.device_total_bytes) return dump.device_total_bytes;
    }
    return std::nullopt;
}

namespace {

constexpr double k_us_per_hour = 3600e6;
constexpr std::uint64_t k_min_outside_bytes = 64 << 20;
constexpr std::int64_t k_gap_intervals = 3;
/// 100 years; a device that fills later than that counts as never full.
constexpr std::int64_t k_latest_full_us = std::int64_t{100} * 365 * 24 * 3'600'000'000;

/// Samples of one process and device, divided into windows with equal numbers of samples.
class WindowedLine {
public:
    explicit WindowedLine(std::span<const SeriesSample> samples) : samples_(samples) {}

    bool is_long_enough() const { return samples_.size() >= 2 * growth::k_windows; }
    std::size_t begin_of(std::size_t window) const { return window * samples_.size() / growth::k_windows; }
    const SeriesSample& middle_of_window(std::size_t window) const {
        return samples_[(begin_of(window) + begin_of(window + 1)) / 2];
    }

    /// Computes the minimum of each part in each window. A sample without a part counts as 0 bytes of it.
    void count() {
        for (std::size_t window = 0; window < growth::k_windows; ++window) {
            for (std::size_t i = begin_of(window); i < begin_of(window + 1); ++i) add(samples_[i], window);
            const std::size_t in_window = begin_of(window + 1) - begin_of(window);
            for (auto& [part, found] : found_) {
                if (found.counts[window] < in_window) found.floors.bytes[window] = 0;
            }
        }
    }

    /// The value of `place_of` in the middle of each window, such as its time. nullopt unless the values are all known and
    /// increase from window to window.
    template <typename Place>
    std::optional<std::array<double, growth::k_windows>> places(Place place_of) const {
        std::array<double, growth::k_windows> places{};
        for (std::size_t window = 0; window < growth::k_windows; ++window) {
            const auto place = place_of(middle_of_window(window));
            if (!place) return std::nullopt;
            places[window] = static_cast<double>(*place);
            if (window > 0 && places[window] <= places[window - 1]) return std::nullopt;
        }
        return places;
    }

    struct Found {
        growth::WindowFloors floors;
        std::array<std::size_t, growth::k_windows> counts = {};  ///< number of samples per window that have the part
    };
    const std::map<GrowingPart, Found>& found() const { return found_; }

private:
    void add(const SeriesSample& sample, std::size_t window) {
        add_total({GrowingKind::allocated, {}, 0}, sample.allocated_bytes, window);
        add_total({GrowingKind::idle, {}, 0}, sample.idle_bytes(), window);
        for (const SamplePool& use : sample.pools) add_total({GrowingKind::pool, use.pool, 0}, use.allocated_bytes, window);
        for (const SizeUse& size : sample.sizes)
            add_total({GrowingKind::size_class, sample.pools[size.pool].pool, size.exponent}, size.bytes, window);
    }

    void add_total(const GrowingPart& part, std::uint64_t bytes, std::size_t window) {
        Found& found = found_[part];
        std::uint64_t& floor = found.floors.bytes[window];
        floor = found.counts[window]++ == 0 ? bytes : std::min(floor, bytes);
    }

    std::span<const SeriesSample> samples_;
    std::map<GrowingPart, Found> found_;
};

/// Indices of the samples at which a new process begins. A sample without a process id belongs to the preceding process.
std::vector<std::size_t> restarts_in(const SeriesLine& line) {
    std::vector<std::size_t> restarts;
    std::optional<std::int64_t> pid;
    for (std::size_t i = 0; i < line.samples.size(); ++i) {
        const std::optional<std::int64_t> recorded_pid = line.samples[i].pid;
        if (recorded_pid && pid && *recorded_pid != *pid) restarts.push_back(i);
        if (recorded_pid) pid = recorded_pid;
    }
    return restarts;
}

/// The samples of the newest process. Memory of older processes was freed when they ended.
std::span<const SeriesSample> of_newest_process(const SeriesLine& line) {
    const std::vector<std::size_t> restarts = restarts_in(line);
    return std::span(line.samples).subspan(restarts.empty() ? 0 : restarts.back());
}

/// Bytes in use outside this process's allocator, from the newest sample that states them; 0 if none does.
std::uint64_t outside_bytes_at_end(std::span<const SeriesSample> samples) {
    for (const SeriesSample& sample : std::views::reverse(samples)) {
        if (const auto outside = sample.outside_bytes()) return *outside;
    }
    return 0;
}

class FindingsOfSeries {
public:
    explicit FindingsOfSeries(const SampleSeries& series) : series_(series) {}

    SeriesFindings run() {
        for (const SeriesLine& line : series_.lines) {
            find_growth(line);
            find_outside_growth(line);
        }
        find_in_ranks();
        std::ranges::stable_sort(findings_.growing, [](const SeriesGrowth& a, const SeriesGrowth& b) {
            return std::pair(a.part.kind, -a.bytes_per_sample) < std::pair(b.part.kind, -b.bytes_per_sample);
        });
        std::ranges::stable_sort(findings_.gaps, {}, &SeriesGap::from_us);
        std::ranges::stable_sort(findings_.ended, {}, &EarlyEnd::last_us);
        return std::move(findings_);
    }

private:
    void find_growth(const SeriesLine& line) {
        const std::span<const SeriesSample> samples = of_newest_process(line);
        WindowedLine windows(samples);
        if (!windows.is_long_enough()) return;
        windows.count();
        const auto hours = line.has_times ? windows.places([&](const SeriesSample& sample) {
            return std::optional(static_cast<double>(sample.time_us - samples.front().time_us) / k_us_per_hour);
        })
                                          : std::nullopt;
        const auto steps = windows.places([](const SeriesSample& sample) { return sample.step; });
        std::array<double, growth::k_windows> numbers{};
        for (std::size_t window = 0; window < growth::k_windows; ++window)
            numbers[window] = static_cast<double>((windows.begin_of(window) + windows.begin_of(window + 1)) / 2);
        for (const auto& [part, found] : windows.found()) {
            growth::WindowFloors floors = found.floors;
            // The slope is per hour if all times are known, otherwise per sample.
            floors.place = hours.value_or(numbers);
            const auto slope = growth::lasting_slope(floors);
            if (!slope) continue;
            SeriesGrowth& growth = findings_.growing.emplace_back();
            growth.rank = line.rank;
            growth.device = line.device;
            growth.part = part;
            if (hours) growth.bytes_per_hour = *slope;
            growth.bytes_per_sample = slope_over(floors, numbers);
            if (steps) growth.bytes_per_step = slope_over(floors, *steps);
            growth.from_bytes = floors.bytes.front();
            growth.to_bytes = floors.bytes.back();
            if (part.kind == GrowingKind::allocated && hours)
                growth.full_time_us = full_time_us(line, samples, windows, *slope, floors.bytes.back());
        }
    }

    static double slope_over(growth::WindowFloors floors, const std::array<double, growth::k_windows>& places) {
        floors.place = places;
        return growth::middle_slope(floors);
    }

    /// The time at which the device is full, extrapolated from the middle of the last window. Assumes that all idle reserved
    /// memory can be used.
    std::optional<std::int64_t> full_time_us(const SeriesLine& line, std::span<const SeriesSample> samples,
                                             const WindowedLine& windows, double bytes_per_hour, std::uint64_t floor) const {
        const auto total_bytes = series_.device_total_bytes(line);
        if (!total_bytes) return std::nullopt;
        const std::uint64_t taken_bytes = outside_bytes_at_end(samples) + floor;
        const auto room = static_cast<double>(*total_bytes - std::min(taken_bytes, *total_bytes));
        const double wait_us = room / bytes_per_hour * k_us_per_hour;
        if (!(wait_us < static_cast<double>(k_latest_full_us))) return std::nullopt;
        return windows.middle_of_window(growth::k_windows - 1).time_us + static_cast<std::int64_t>(wait_us);
    }

    void find_outside_growth(const SeriesLine& line) {
        const bool is_of_other_processes = std::ranges::any_of(
            line.samples, [](const SeriesSample& sample) { return sample.other_processes_bytes.has_value(); });
        struct Known {
            std::uint64_t bytes;
            std::int64_t time_us;
        };
        std::vector<Known> known;
        for (const SeriesSample& sample : line.samples) {
            const auto bytes = is_of_other_processes ? sample.other_processes_bytes : sample.outside_bytes();
            if (bytes) known.push_back({*bytes, sample.time_us});
        }
        if (known.size() < 2 * growth::k_windows) return;
        const auto min_bytes = [&](std::size_t begin, std::size_t end) {
            return std::ranges::min(std::span(known).subspan(begin, end - begin), {}, &Known::bytes).bytes;
        };
        OutsideGrowth growth{line.rank,
                             line.device,
                             is_of_other_processes,
                             min_bytes(0, known.size() / growth::k_windows),
                             min_bytes((growth::k_windows - 1) * known.size() / growth::k_windows, known.size()),
                             {}};
        if (growth.to_bytes < growth.from_bytes + k_min_outside_bytes) return;
        const std::uint64_t middle = growth.from_bytes + (growth.to_bytes - growth.from_bytes) / 2;
        std::size_t since = known.size();
        while (since > 0 && known[since - 1].bytes > middle) --since;
        if (line.has_times && since < known.size()) growth.since_us = known[since].time_us;
        findings_.outside.push_back(growth);
    }

    /// Finds gaps, early ends and restarts for each rank. Uses one device per rank, because all devices of a rank are
    /// recorded in the same files.
    void find_in_ranks() {
        std::vector<const SeriesLine*> lines;
        std::int64_t last_us = k_no_time;
        std::set<std::int64_t> seen;
        for (const SeriesLine& line : series_.lines) {
            if (!line.has_times || !seen.insert(line.rank).second) continue;
            lines.push_back(&line);
            last_us = std::max(last_us, line.samples.back().time_us);
        }
        for (const SeriesLine* line : lines) {
            find_restarts(*line);
            const auto usual_us = usual_interval_us(*line);
            if (!usual_us || line->samples.size() < 4) continue;
            find_gaps(*line, *usual_us);
            const std::int64_t before_us = last_us - line->samples.back().time_us;
            if (before_us > k_gap_intervals * *usual_us)
                findings_.ended.push_back({line->rank, line->host, line->samples.back().time_us, before_us});
        }
    }

    void find_gaps(const SeriesLine& line, std::int64_t usual_us) {
        for (std::size_t i = 1; i < line.samples.size(); ++i) {
            const std::int64_t from_us = line.samples[i - 1].time_us, to_us = line.samples[i].time_us;
            if (to_us - from_us > k_gap_intervals * usual_us)
                findings_.gaps.push_back({line.rank, from_us, to_us, usual_us});
        }
    }

    void find_restarts(const SeriesLine& line) {
        for (const std::size_t first : restarts_in(line))
            findings_.restarts.push_back({line.rank, line.samples[first].time_us});
    }

    const SampleSeries& series_;
    SeriesFindings findings_;
};

}  // namespace

const char* growing_kind_name(GrowingKind kind) {
    constexpr std::array<const char*, 4> k_names = {"allocated", "pool", "size_class", "idle"};
    return k_names[static_cast<std::size_t>(kind)];
}

std::optional<std::int64_t> usual_interval_us(const SeriesLine& line) {
    std::vector<double> intervals;
    for (std::size_t i = 1; i < line.samples.size(); ++i)
        intervals.push_back(static_cast<double>(line.samples[i].time_us - line.samples[i - 1].time_us));
    if (intervals.empty()) return std::nullopt;
    return static_cast<std::int64_t>(growth::middle_number(std::move(intervals)));
}

SeriesFindings find_in_series(const SampleSeries& series) { return FindingsOfSeries(series).run(); }

std::vector<SeriesLineText> series_lines(const SampleSeries& series, const SeriesFindings& findings, SeriesReader reader) {
    return ReportOfSeries(series, findings, reader).run();
}

std::string series_text(const SampleSeries& series, const SeriesFindings& findings) {
    std::string text;
    for (const SeriesLineText& line : series_lines(series, findings, SeriesReader::terminal))
        text += std::string(2 * line.depth, ' ') + line.text + "\n";
    return text;
}

}  // namespace snapviewer::series
