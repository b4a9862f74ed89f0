#include "core/load/pytorch/memory_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/import_log.h"
#include "core/base/limits.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/load/bytes/byte_source.h"
#include "core/load/pytorch/json_scanner.h"
#include "core/trace/snapshot.h"

namespace snapviewer {
namespace {

/// Categories into which torch.profiler sorts memory, in the order in which its plots stack them. The last one is for memory
/// that it cannot classify.
constexpr std::array<std::string_view, 8> k_categories = {"Parameter",  "Optimizer state", "Input",           "Temporary",
                                                          "Activation", "Gradient",        "Autograd detail", "Unknown"};

/// Bytes of each category at one moment, indexed like k_categories.
using CategoryTotals = std::array<std::int64_t, k_categories.size()>;

/// Earliest time that can be a time of day (2001). Smaller values count from an arbitrary start.
constexpr std::int64_t k_first_wall_clock_us = 1'000'000'000'000'000;

/// Returns the id of the series of a category, such as "timeline_optimizer_state".
std::string id_of(std::string_view category) {
    std::string id = "timeline_" + lower_case(category);
    std::ranges::replace(id, ' ', '_');
    return id;
}

/// Appends a point, unless its value equals that of the last point.
void append(Series& series, std::int64_t time_us, double value) {
    if (!series.values.empty() && series.values.back() == value) return;
    series.time_us.push_back(time_us);
    series.values.push_back(value);
}

/// Collects the totals of every category over time and turns them into curves. Times may be added in any order.
class CategoryCurves {
public:
    /// Adds the totals that apply from `time_us` until the next time.
    void add(std::int64_t time_us, const CategoryTotals& totals) { points_.push_back({time_us, totals}); }
    std::size_t size() const { return points_.size(); }

    /// Fills `trace` with a stacked series for each category that is ever above 0, a series of their total, and the start
    /// and end time. Reports unsorted times and impossible totals in `log`.
    void finish(DeviceTrace& trace, ImportLog& log) {
        put_in_order(log);
        drop_impossible(log);
        std::array<Series, k_categories.size()> categories;
        Series total{"Total", Unit::bytes, {}, {}, SeriesShape::line, CurveRole::allocated, "timeline_total"};
        for (std::size_t i = 0; i < points_.size(); ++i) {
            const auto& [time_us, totals] = points_[i];
            // The last of several totals with the same time applies.
            if (i + 1 < points_.size() && points_[i + 1].time_us == time_us) continue;
            std::int64_t sum = 0;
            for (std::size_t category = 0; category < totals.size(); ++category) {
                append(categories[category], time_us, static_cast<double>(totals[category]));
                sum += totals[category];
            }
            append(total, time_us, static_cast<double>(sum));
        }
        for (std::size_t category = 0; category < categories.size(); ++category) {
            Series& series = categories[category];
            if (std::ranges::all_of(series.values, [](double value) { return value == 0; })) continue;
            series.name = k_categories[category];
            series.id = id_of(k_categories[category]);
            series.shape = SeriesShape::stacked;
            trace.memory_series.push_back(std::move(series));
        }
        trace.memory_series.push_back(std::move(total));
        trace.allocations_are_given = true;
        trace.presentation.prefers_time = true;
        if (points_.empty()) return;
        trace.start_us = points_.front().time_us;
        trace.end_us = std::max(points_.back().time_us, trace.start_us + 1);
        trace.presentation.has_wall_clock = trace.start_us >= k_first_wall_clock_us;
    }

private:
    struct Point {
        std::int64_t time_us;
        CategoryTotals totals;
    };

    void put_in_order(ImportLog& log) {
        if (std::ranges::is_sorted(points_, {}, &Point::time_us)) return;
        std::ranges::stable_sort(points_, {}, &Point::time_us);
        log.add("timeline_unordered", {}, {"points"});
    }

    void drop_impossible(ImportLog& log) {
        std::uint64_t below = 0;
        std::uint64_t above = 0;
        for (Point& point : points_) {
            for (std::int64_t& bytes : point.totals) {
                below += bytes < 0 ? 1 : 0;
                above += bytes > limits::k_profiled_block_bytes ? 1 : 0;
                if (bytes < 0 || bytes > limits::k_profiled_block_bytes) bytes = 0;
            }
        }
        if (below > 0) log.add("timeline_below_zero", {.count = below});
        if (above > 0)
            log.add("impossible_size", {.count = above}, {"totals of more than 1 PiB, which no device has; read as 0"});
    }

    std::vector<Point> points_;
};

// PyTorch calls its page "GPU Memory Timeline HTML", Ascend "Memory Timeline HTML".
constexpr std::string_view k_page_title = "Memory Timeline HTML</title>";
constexpr std::string_view k_spaces = " \t\r\n";

constexpr std::size_t k_event_fields = 4;
/// PyTorch numbers its four actions from 1, Ascend from 0.
constexpr std::int64_t k_max_action = 4;
/// Minimum time that is in nanoseconds: in microseconds it would lie after the year 5000.
constexpr std::int64_t k_min_nanoseconds = 100'000'000'000'000'000;

/// Removes `c`, and white space before it, from the front of `text`. Returns false if the text begins otherwise.
bool skip(std::string_view& text, char c) {
    const std::size_t first = text.find_first_not_of(k_spaces);
    if (first == text.npos || text[first] != c) return false;
    text.remove_prefix(first + 1);
    return true;
}

bool begins_with_number(std::string_view text) {
    skip(text, '"');
    skip(text, '-');
    const std::size_t first = text.find_first_not_of(k_spaces);
    return first != text.npos && text[first] >= '0' && text[first] <= '9';
}

/// Adds without overflow for any input. CategoryCurves drops totals that no device can have.
void add_bounded(std::int64_t& total, std::int64_t bytes) {
    constexpr std::int64_t k_max = limits::k_profiled_bytes;
    total = std::clamp(total + std::clamp(bytes, -k_max, k_max), -k_max, k_max);
}

/// An event of the raw layout, which changes the total of a category by `bytes`.
struct ListedChange {
    std::int64_t time_ns;
    std::int64_t bytes;
    std::size_t category;
};

/// JSON handler that distinguishes the two layouts by their second element, and makes curves from either.
class TimelineHandler {
public:
    explicit TimelineHandler(ImportLog& log) : log_(log) {}

    void null() { fail("holds null where a number was expected"); }
    void boolean(bool /*value*/) { fail("holds true or false where a number was expected"); }
    void whole(std::uint64_t value) {
        take(static_cast<std::int64_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::int64_t>::max())));
    }
    void negative(std::int64_t value) { take(value); }
    void real(double value) {
        constexpr double k_max = 9e18;
        take(std::isnan(value) ? 0 : static_cast<std::int64_t>(std::clamp(std::round(value), -k_max, k_max)));
    }
    void string(std::string_view text) {
        const auto value = parse_number<std::int64_t>(text);
        if (!value) fail("holds text where a number was expected");
        take(*value);
    }
    void key(std::string_view /*text*/) {}
    void begin_object() { fail("holds an object where a list of numbers was expected"); }
    void end_object() {}

    void begin_array() {
        ++depth_;
        if (depth_ == 3 && list_ == 2 && changes_.empty()) {
            has_rows_ = true;
        } else if (depth_ > 2) {
            fail("holds a list where a number was expected");
        }
        if (depth_ == 2 && ++list_ == 2) first_ = std::move(row_);
        if (depth_ == 2 && list_ > 2 && has_rows_) fail("holds more than the two expected lists, times and totals");
        row_.clear();
    }

    void end_array() {
        if (depth_ == 3) {
            add_totals();
        } else if (depth_ == 2 && list_ == 2 && !has_rows_ && !row_.empty()) {
            add_change(first_);
            add_change(row_);
        } else if (depth_ == 2 && list_ > 2) {
            add_change(row_);
        }
        --depth_;
    }

    /// Number of points or events read so far.
    std::size_t size() const { return rows_ + changes_.size(); }

    void finish(DeviceTrace& trace, bool is_cut) {
        if (list_ == 1 && !is_cut) add_change(row_);  // the text is a list of one event
        if (!changes_.empty()) add_up_changes();
        if (rows_ != first_.size() && has_rows_ && !is_cut) log_.add("timeline_uneven", {}, {first_.size(), rows_});
        if (other_categories_ > 0) log_.add("timeline_category", {.count = other_categories_});
        if (other_actions_ > 0) log_.add("timeline_action", {.count = other_actions_});
        if (curves_.size() == 0) fail("is a memory timeline of torch.profiler that holds no totals");
        curves_.finish(trace, log_);
    }

private:
    void take(std::int64_t value) {
        if (depth_ < 2 || (depth_ == 2 && has_rows_)) fail("holds a number where a list was expected");
        if (row_.size() >= limits::k_json_values) fail("holds more values in one place than any real memory timeline");
        row_.push_back(value);
    }

    /// Adds the totals in row_, which belong to the next time: first a 0, the base of the stacked plot, then the bytes of
    /// each category.
    void add_totals() {
        const std::size_t at = rows_++;
        if (at >= first_.size()) return;
        CategoryTotals totals{};
        for (std::size_t i = 1; i < row_.size(); ++i) {
            if (i > totals.size()) other_categories_ += row_[i] != 0 ? 1U : 0U;
            add_bounded(totals[std::min(i, totals.size()) - 1], row_[i]);
        }
        const std::int64_t time = first_[at];
        curves_.add(time >= k_min_nanoseconds ? time / 1000 : time, totals);
    }

    void add_change(const std::vector<std::int64_t>& row) {
        if (row.size() != k_event_fields) {
            fail(
                fmt::format("is not a memory timeline of torch.profiler: an entry has {} numbers; expected the four of an "
                            "event (time, action, bytes, category)",
                            row.size()));
        }
        const auto [time_ns, action, bytes, category] = std::array{row[0], row[1], row[2], row[3]};
        const bool is_known = category >= 0 && static_cast<std::size_t>(category) < k_categories.size();
        other_categories_ += is_known ? 0 : 1;
        other_actions_ += action >= 0 && action <= k_max_action ? 0 : 1;
        changes_.push_back({time_ns, bytes, is_known ? static_cast<std::size_t>(category) : k_categories.size() - 1});
    }

    /// Turns the events into totals. Memory from before the profile counts from the first time of the profile.
    void add_up_changes() {
        if (!std::ranges::is_sorted(changes_, {}, &ListedChange::time_ns)) {
            std::ranges::stable_sort(changes_, {}, &ListedChange::time_ns);
            log_.add("timeline_unordered", {}, {"events"});
        }
        const auto begun = std::ranges::find_if(changes_, [](const ListedChange& change) { return change.time_ns >= 0; });
        const std::int64_t start_us = begun == changes_.end() ? 0 : begun->time_ns / 1000;
        CategoryTotals totals{};
        for (std::size_t i = 0; i < changes_.size(); ++i) {
            const auto& [time_ns, bytes, category] = changes_[i];
            const auto us = [&](const ListedChange& change) { return std::max(change.time_ns / 1000, start_us); };
            add_bounded(totals[category], bytes);
            const bool is_last = i + 1 == changes_.size() || us(changes_[i + 1]) != us(changes_[i]);
            if (is_last) curves_.add(us(changes_[i]), totals);
        }
    }

    ImportLog& log_;
    CategoryCurves curves_;
    int depth_ = 0;
    std::size_t list_ = 0;  ///< Number of the current element of the outermost list, from 1
    bool has_rows_ = false;
    std::size_t rows_ = 0;
    std::vector<std::int64_t> row_;    ///< Numbers in the innermost open list
    std::vector<std::int64_t> first_;  ///< The times, or the first event in the raw layout
    std::vector<ListedChange> changes_;
    std::uint64_t other_categories_ = 0;
    std::uint64_t other_actions_ = 0;
};

}  // namespace

bool looks_like_memory_timeline(std::string_view front) {
    if (front.starts_with("\xEF\xBB\xBF")) front.remove_prefix(3);
    return skip(front, '[') && skip(front, '[') && begins_with_number(front);
}

bool looks_like_memory_timeline_page(std::string_view front) { return front.find(k_page_title) != front.npos; }

void fail_memory_timeline_page() {
    fail(
        "is an HTML page of torch.profiler's export_memory_timeline, which holds a picture but no numbers; for bytes by "
        "category, give that function a file name that ends in .json.gz; to see every allocation, record with "
        "torch.cuda.memory._record_memory_history() and save with torch.cuda.memory._dump_snapshot(\"snapshot.pickle\")");
}

std::unique_ptr<Snapshot> read_memory_timeline(ByteSource& text) {
    auto snapshot = std::make_unique<Snapshot>();
    TimelineHandler handler(snapshot->log);
    JsonScanner scanner(text, handler);
    std::optional<Failure> cut;
    try {
        scanner.run();
    } catch (const Failure& failure) {
        if (!failure.is_cut || handler.size() == 0) throw;
        cut = failure;
        snapshot->log.add("cut_short", {.offset = failure.error.offset}, {failure.text(), counted(handler.size(), "point")});
    }
    handler.finish(snapshot->devices.emplace_back(), cut.has_value());
    return snapshot;
}

}  // namespace snapviewer
