#include "core/fleet/series/series_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/analysis/findings/findings.h"
#include "core/base/number_text.h"
#include "core/base/text.h"

namespace snapviewer {
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
                series_.lines, [](const SeriesLine& line) { return line.samples.size() < 2 * k_windows; });
            return add_line(
                0, is_short ? fmt::format("Too few samples to tell what grows: that takes {} of a rank.", 2 * k_windows)
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

std::vector<SeriesLineText> series_lines(const SampleSeries& series, const SeriesFindings& findings, SeriesReader reader) {
    return ReportOfSeries(series, findings, reader).run();
}

std::string series_text(const SampleSeries& series, const SeriesFindings& findings) {
    std::string text;
    for (const SeriesLineText& line : series_lines(series, findings, SeriesReader::terminal))
        text += std::string(2 * line.depth, ' ') + line.text + "\n";
    return text;
}

}  // namespace snapviewer
