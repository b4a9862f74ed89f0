#include "core/load/pytorch/json_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/import_log.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/load/pytorch/json_scanner.h"
#include "core/load/pytorch/memo.h"

namespace snapviewer::pytorch {
namespace {

/// JSON handler that keeps open objects and arrays on a stack, and passes each to the builder when it closes.
class ObjectHandler {
public:
    explicit ObjectHandler(ObjectBuilder& builder) : builder_(builder) {}

    void null() { push({}); }
    void boolean(bool value) { push({Value::Kind::boolean, value ? 1U : 0U}); }
    void whole(std::uint64_t value) { push(Value::integer(value)); }
    void negative(std::int64_t value) { push(Value::integer(static_cast<std::uint64_t>(value))); }
    void real(double value) { push({Value::Kind::real, std::bit_cast<std::uint64_t>(value)}); }
    void string(std::string_view text) { push(Value::string(builder_.snapshot().strings.intern(text))); }
    void key(std::string_view text) { string(text); }

    void begin_object() { open({}); }
    void end_object() {
        log_duplicates();
        const Value dict = builder_.new_dict();
        builder_.set_items(dict, above_mark());
        close();
        const bool is_first_waiting = !open_.empty() && open_.back().first_value == values_.size();
        if (is_first_waiting && builder_.append_event(open_.back().list, dict)) {
            builder_.truncate(open_.back().sizes);
        } else {
            push(dict);
        }
    }
    void begin_array() {
        const Value list = builder_.new_list();
        open(list);
    }
    void end_array() {
        newest_stack_.reset();
        const Value list = open_.back().list;
        if (fill_as_stack(list)) {
            builder_.truncate(open_.back().sizes);
        } else {
            builder_.append(list, above_mark());
        }
        close();
        push(list);
    }

    /// If `text` begins with the text of a stack that was read before, adds that stack and returns the size of its text;
    /// else returns 0. Only stacks are recognised, because other arrays do not recur.
    std::size_t recall_array(std::string_view text) {
        if (!is_stack_next()) return 0;
        unexpected_keys_before_ = builder_.unexpected_keys().count;
        const RepeatedStacks::Known* known = stacks_.find_next(bytes_of(text), k_end);
        if (known == nullptr) return 0;
        const Value list = builder_.new_list();
        builder_.fill_with_stack(list, known->stack);
        push(list);
        return known->size + std::size_t{1};
    }
    void remember_array(std::string_view text) {
        const std::optional<StackId> stack = std::exchange(newest_stack_, std::nullopt);
        // Does not cache a stack whose frames have unexpected keys, so that these keys are counted each time.
        if (!stack || builder_.unexpected_keys().count != unexpected_keys_before_) return;
        const RepeatedStacks::Bytes bytes = bytes_of(text.substr(0, text.size() - 1));
        if (stacks_.find(bytes) == nullptr) stacks_.add(bytes, *stack);
    }

    /// Closes all open values. Drops open objects except the outermost, because they are incomplete.
    void break_off() {
        while (!open_.empty()) {
            const bool is_array = open_.back().list.kind == Value::Kind::list;
            if (is_array) {
                end_array();
            } else if (open_.size() == 1) {
                values_.resize(values_.size() - above_mark().size() % 2);
                end_object();
            } else {
                close();
            }
        }
    }

    /// True if the outermost value is complete.
    bool is_whole() const { return open_.empty() && !values_.empty(); }
    Value root() const { return values_.empty() ? Value{} : values_.front(); }

private:
    /// An array or object whose end was not read yet.
    struct Open {
        Value list;  ///< The list of an array; a Value of kind none for an object
        std::size_t first_value;
        ObjectBuilder::Sizes sizes;  ///< State of the builder before the content of the array or object
    };

    static constexpr std::uint8_t k_end = ']';  ///< Byte that follows the encoding of a stack

    static RepeatedStacks::Bytes bytes_of(std::string_view text) {
        return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
    }

    bool is_stack_next() const {
        return !open_.empty() && open_.back().list.kind == Value::Kind::none && !values_.empty() &&
               values_.back().kind == Value::Kind::string && values_.back().bits == key_id("frames");
    }

    void push(Value value) {
        if (values_.size() >= limits::k_json_values) bytes::fail("holds more values in one place than any real snapshot");
        values_.push_back(value);
    }

    void log_duplicates() {
        const std::span<const Value> pairs = above_mark();
        std::uint64_t seen = 0;  // bit set of the known keys, whose numbers are below 64
        others_.clear();
        for (std::size_t i = 0; i < pairs.size(); i += 2) {
            const std::uint64_t key = pairs[i].bits;
            if (key >= k_known_keys.size()) {
                others_.push_back(key);
                continue;
            }
            if ((seen >> key & 1) != 0) builder_.count_duplicate_key(pairs[i]);
            seen |= std::uint64_t{1} << key;
        }
        std::ranges::sort(others_);
        const auto twice = std::ranges::adjacent_find(others_);
        if (twice != others_.end()) builder_.count_duplicate_key({Value::Kind::string, *twice});
    }

    void open(Value list) { open_.push_back({list, values_.size(), builder_.sizes()}); }
    void close() {
        values_.resize(open_.back().first_value);
        open_.pop_back();
    }
    std::span<const Value> above_mark() const { return std::span<const Value>(values_).subspan(open_.back().first_value); }

    bool fill_as_stack(Value list) {
        frames_.clear();
        for (const Value item : above_mark()) {
            const FrameId frame = builder_.as_frame(item);
            if (!frame.is_some()) return false;
            frames_.push_back(frame);
        }
        if (frames_.empty()) return false;
        newest_stack_ = builder_.snapshot().stacks.intern_stack(frames_);
        builder_.fill_with_stack(list, *newest_stack_);
        return true;
    }

    ObjectBuilder& builder_;
    std::vector<Value> values_;  ///< Values of all open arrays and objects
    std::vector<Open> open_;
    std::vector<FrameId> frames_;
    std::vector<std::uint64_t> others_;
    RepeatedStacks stacks_;
    std::optional<StackId> newest_stack_;       ///< Stack of the array that just ended, if it was a stack
    std::uint64_t unexpected_keys_before_ = 0;  ///< Value of builder_.unexpected_keys().count before the newest stack
    static_assert(k_known_keys.size() <= 64);
};

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
/// Times from this value on are in nanoseconds: as microseconds they would lie after the year 5000.
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

    void null() { bytes::fail("holds null where a number was expected"); }
    void boolean(bool /*value*/) { bytes::fail("holds true or false where a number was expected"); }
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
        if (!value) bytes::fail("holds text where a number was expected");
        take(*value);
    }
    void key(std::string_view /*text*/) {}
    void begin_object() { bytes::fail("holds an object where a list of numbers was expected"); }
    void end_object() {}

    void begin_array() {
        ++depth_;
        if (depth_ == 3 && list_ == 2 && changes_.empty()) {
            has_rows_ = true;
        } else if (depth_ > 2) {
            bytes::fail("holds a list where a number was expected");
        }
        if (depth_ == 2 && ++list_ == 2) first_ = std::move(row_);
        if (depth_ == 2 && list_ > 2 && has_rows_) bytes::fail("holds more than the two expected lists, times and totals");
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
        if (curves_.size() == 0) bytes::fail("is a memory timeline of torch.profiler that holds no totals");
        curves_.finish(trace, log_);
    }

private:
    void take(std::int64_t value) {
        if (depth_ < 2 || (depth_ == 2 && has_rows_)) bytes::fail("holds a number where a list was expected");
        if (row_.size() >= limits::k_json_values)
            bytes::fail("holds more values in one place than any real memory timeline");
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
            bytes::fail(
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

Value read_json_objects(bytes::ByteSource& text, ObjectBuilder& builder, JsonEnd* end) {
    ObjectHandler handler(builder);
    JsonScanner scanner(text, handler);
    builder.damage().set_position([&scanner] { return scanner.offset(); });
    try {
        scanner.run();
    } catch (const Failure& failure) {
        if (!failure.is_cut || end == nullptr) throw;
        const bool is_source = handler.is_whole() && !failure.is_damage;
        if (is_source) {
            end->behind = failure;
        } else {
            end->damage = failure;
            end->behind = bytes::read_to_end(text);
        }
        handler.break_off();
    }
    builder.damage().set_position({});
    if (scanner.non_numbers() > 0) builder.snapshot().log.add("not_a_number", {.count = scanner.non_numbers()});
    return handler.root();
}

namespace {

/// Byte source that forwards the pieces of a text, and publishes the snapshot read so far before each piece.
class ShownText : public bytes::ByteSource {
public:
    ShownText(bytes::ByteSource& text, ObjectBuilder& builder) : text_(text), builder_(builder) {}

    std::string_view next_piece() override {
        builder_.publish();
        return text_.next_piece();
    }

private:
    bytes::ByteSource& text_;
    ObjectBuilder& builder_;
};

}  // namespace

bool looks_like_json(std::string_view front) {
    if (front.starts_with("\xEF\xBB\xBF")) front.remove_prefix(3);
    const std::size_t first = front.find_first_not_of(" \t\r\n");
    return first != front.npos && (front[first] == '{' || front[first] == '[');
}

std::unique_ptr<Snapshot> read_json_snapshot(bytes::ByteSource& text) {
    ObjectBuilder builder(budget_of_thread());
    ShownText shown(text, builder);
    JsonEnd end;
    const Value root = read_json_objects(shown, builder, &end);
    return finish_objects(builder, root, end.damage, end.behind);
}

bool looks_like_memory_timeline(std::string_view front) {
    if (front.starts_with("\xEF\xBB\xBF")) front.remove_prefix(3);
    return skip(front, '[') && skip(front, '[') && begins_with_number(front);
}

bool looks_like_memory_timeline_page(std::string_view front) { return front.find(k_page_title) != front.npos; }

void fail_memory_timeline_page() {
    bytes::fail(
        "is an HTML page of torch.profiler's export_memory_timeline, which holds a picture but no numbers; for bytes by "
        "category, give that function a file name that ends in .json.gz; to see every allocation, record with "
        "torch.cuda.memory._record_memory_history() and save with torch.cuda.memory._dump_snapshot(\"snapshot.pickle\")");
}

std::unique_ptr<Snapshot> read_memory_timeline(bytes::ByteSource& text) {
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

}  // namespace snapviewer::pytorch
