#include "core/load/profilers/memscope/dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/base/limits.h"
#include "core/base/memory.h"
#include "core/base/text.h"

namespace snapviewer::profilers::memscope {
namespace {

/// Length of the nested object or list at the start of `text`; the whole length if its closing bracket is missing.
std::size_t nested_length(std::string_view text) {
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '{' || text[i] == '[') ++depth;
        if ((text[i] == '}' || text[i] == ']') && --depth == 0) return i + 1;
    }
    return text.size();
}

}  // namespace

Attributes::Attributes(std::string_view text) : rest_(trimmed(text)) {
    if (rest_.size() >= 2 && rest_.starts_with('"') && rest_.ends_with('"')) rest_ = rest_.substr(1, rest_.size() - 2);
    if (rest_.starts_with('{')) rest_.remove_prefix(1);
}

bool Attributes::next() {
    skip_spaces();
    if (rest_.starts_with(',')) rest_.remove_prefix(1);
    skip_spaces();
    if (rest_.empty() || rest_.front() == '}') return false;
    key_ = rest_.front() == '"' ? quoted() : bare(":");
    skip_spaces();
    if (!rest_.starts_with(':')) return false;
    rest_.remove_prefix(1);
    skip_spaces();
    if (rest_.starts_with('"')) {
        value_ = quoted();
    } else if (rest_.starts_with('{') || rest_.starts_with('[')) {
        value_ = rest_.substr(0, nested_length(rest_));
        rest_.remove_prefix(value_.size());
    } else {
        value_ = bare(",}");
    }
    return true;
}

void Attributes::skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

std::string_view Attributes::quoted() {
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2U : 1U;
    end = std::min(end, rest_.size());
    const std::string_view found = rest_.substr(1, end - 1);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return found;
}

std::string_view Attributes::bare(std::string_view ends) {
    const std::string_view found = rest_.substr(0, rest_.find_first_of(ends));
    rest_.remove_prefix(found.size());
    return trimmed(found);
}

std::optional<std::int64_t> number_of(std::string_view text) {
    if (const auto whole = parse_number<std::int64_t>(text)) return whole;
    const auto real = parse_number<double>(text);
    constexpr double k_largest = 9.2e18;
    return real && std::abs(*real) < k_largest ? std::optional(std::llround(*real)) : std::nullopt;
}

StackLine stack_line(std::string_view text) {
    if (const std::size_t colon = text.rfind("): "); colon != text.npos) {
        const std::size_t open = text.rfind('(', colon);
        if (open != text.npos) {
            if (const auto line = parse_number<std::uint32_t>(text.substr(open + 1, colon - open - 1)))
                return {text.substr(0, open), text.substr(colon + 3), *line};
        }
    }
    if (const std::size_t address = text.rfind(") ["); address != text.npos && text.ends_with(']')) {
        if (const std::size_t open = text.find('('); open < address)
            return {text.substr(0, open), text.substr(open + 1, address - open - 1), 0};
    }
    return {"", text, 0};
}

std::vector<std::string_view> stack_lines(std::string_view text) {
    if (text.starts_with('"')) text.remove_prefix(1);
    if (text.ends_with('"')) text.remove_suffix(1);
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!line.empty()) lines.push_back(line);
    }
    if (lines.size() == 1 && lines.front() == "N/A") lines.clear();
    return lines;
}

namespace {

constexpr std::size_t k_types = 64;
constexpr std::size_t k_type_bytes = 60;

/// The possible names of each column except k_row.
constexpr std::array<const char*, k_columns> k_column_names = text_array<const char*>(
    "", "Event", "Event Type|eventType|event_type", "Name", "Timestamp(ns)|timestamp", "Process Id|processId|process_id",
    "Thread Id|threadId|thread_id", "Device Id|deviceId|device_id", "Ptr|addr", "Attr",
    "Call Stack(Python)|callStackPython|call_stack_python", "Call Stack(C)|callStackC|call_stack_c");

/// A value of the columns Event and Event Type that marks a moment, or the start or end of a range. An empty `type` matches
/// any.
struct KnownOccurrence {
    std::string_view event;
    std::string_view type;
    Activity activity;
    Phase phase;
};
constexpr std::array k_occurrences = {
    KnownOccurrence{"MSTX", "Mark", Activity::mstx, Phase::moment},
    KnownOccurrence{"MSTX", "Range_start", Activity::mstx, Phase::start},
    KnownOccurrence{"MSTX", "Range_end", Activity::mstx, Phase::end},
    KnownOccurrence{"KERNEL_LAUNCH", "KERNEL_EXECUTE_START", Activity::kernel, Phase::start},
    KnownOccurrence{"KERNEL_LAUNCH", "KERNEL_EXECUTE_END", Activity::kernel, Phase::end},
    // Versions of 2025 misspell EXECUTE.
    KnownOccurrence{"KERNEL_LAUNCH", "KERNEL_EXCUTE_START", Activity::kernel, Phase::start},
    KnownOccurrence{"KERNEL_LAUNCH", "KERNEL_EXCUTE_END", Activity::kernel, Phase::end},
    KnownOccurrence{"KERNEL_LAUNCH", "KERNEL_START", Activity::kernel, Phase::start},
    KnownOccurrence{"KERNEL_LAUNCH", "KERNEL_END", Activity::kernel, Phase::end},
    KnownOccurrence{"KERNEL_LAUNCH", "", Activity::launch, Phase::moment},
    KnownOccurrence{"OP_LAUNCH", "ATEN_START", Activity::operation, Phase::start},
    KnownOccurrence{"OP_LAUNCH", "ATEN_END", Activity::operation, Phase::end},
    KnownOccurrence{"OP_LAUNCH", "ATB_START", Activity::operation, Phase::start},
    KnownOccurrence{"OP_LAUNCH", "ATB_END", Activity::operation, Phase::end},
};

/// Events that are shown only in the table.
constexpr std::array<std::string_view, 6> k_not_drawn = {"ACCESS", "SYSTEM", "SNAPSHOT", "OP_LAUNCH", "MSTX", "OOM_DETAIL"};

std::string without_quotes(std::string_view text) {
    if (text.size() >= 2 && text.starts_with('"') && text.ends_with('"')) text = text.substr(1, text.size() - 2);
    return one_line(text);
}

std::int32_t device_of(std::string_view text) {
    if (text == "cpu" || text == "host") return k_host;
    const auto number = number_of(text);
    return number && *number >= 0 && *number <= 0xFFFF ? static_cast<std::int32_t>(*number) : k_no_device;
}

std::vector<StackLine> stack_frames(std::string_view text) {
    const std::vector<std::string_view> lines = stack_lines(text);
    std::vector<StackLine> frames(lines.size());
    std::ranges::transform(lines, frames.begin(), stack_line);
    return frames;
}

class DumpReader {
public:
    DumpReader(sqlite::SqliteFile& file, const DumpColumns& columns, Snapshot& snapshot)
        : file_(file),
          columns_(columns),
          snapshot_(snapshot),
          log_(snapshot.log),
          stacks_(snapshot, StackTexts::Order::innermost_first, stack_frames) {}

    Dump run() {
        // Prefers Python's stack over C's. The C stack is long, so SQLite does not even load it if there is a Python stack.
        const std::string stack = fmt::format("CASE WHEN coalesce({0}, '') IN ('', 'N/A', '\"\"') THEN {1} ELSE {0} END",
                                              columns_.sql[k_python_stack], columns_.sql[k_c_stack]);
        const std::span before_stack = std::span(columns_.sql).first(k_stack);
        const std::string sql =
            fmt::format("SELECT {}, {} FROM {}", fmt::join(before_stack, ", "), stack, sqlite::sql_name(columns_.table));
        each_row(file_, columns_.table, sql, log_, [this](const sqlite::SqliteRows& rows) { take(rows); });
        normalise_times();
        return std::move(out_);
    }

private:
    static constexpr int k_stack = k_python_stack;  ///< Place of the stack in a row.

    void take(const sqlite::SqliteRows& rows) {
        const auto time = moment(rows, k_time);
        if (time) times_.push_back(*time);
        const std::int64_t row = rows.integer(k_row);
        const std::string_view event = rows.text(k_event);
        const bool is_free = event == "FREE";
        if (is_free || event == "MALLOC") {
            if (time && out_.changes.size() < limits::k_allocations && take_change(rows, *time, row, is_free)) return;
            log_.add("rows_not_drawn", {}, {"rows that do not say when, where and how much was allocated or freed"});
            return;
        }
        take_occurrence(rows, event, time.value_or(k_no_ns), row);
    }

    bool take_change(const sqlite::SqliteRows& rows, std::int64_t time, std::int64_t row, bool is_free) {
        Change change;
        change.time_ns = time;
        change.row = row;
        change.process = whole_number(rows, k_process).value_or(0);
        change.is_free = is_free;
        change.device = known_device(rows.text(k_device));
        change.type = type_of(rows.text(k_type));
        auto address = parse_address(rows.text(k_address));
        Attributes attributes(rows.text(k_attributes));
        while (attributes.next()) {
            const std::string_view key = attributes.key();
            if (key == "size") {
                change.size_bytes = number_of(attributes.value()).value_or(0);
            } else if (key == "used") {
                change.used_bytes = number_of(attributes.value()).value_or(-1);
            } else if (key == "total") {
                change.total_bytes = number_of(attributes.value()).value_or(-1);
            } else if (key == "addr" && !address) {
                address = parse_address(attributes.value());
            } else if (key == "owner" && !is_free && !attributes.value().empty()) {
                change.owner = snapshot_.strings.intern(attributes.value());
            }
        }
        if (!address) return false;
        change.address = *address;
        if (change.size_bytes < 0) {
            change.size_bytes = change.size_bytes > std::numeric_limits<std::int64_t>::min() ? -change.size_bytes : 0;
        }
        if (change.size_bytes > limits::k_profiled_block_bytes || total_size_ > limits::k_profiled_bytes) {
            log_.add("size_impossible", {}, {"rows"});
            return true;
        }
        if (!is_free && change.size_bytes == 0) return false;
        total_size_ += change.size_bytes;
        change.stack = stacks_.intern(rows.text(k_stack));
        out_.changes.push_back(change);
        return true;
    }

    void take_occurrence(const sqlite::SqliteRows& rows, std::string_view event, std::int64_t time, std::int64_t row) {
        const std::string_view type = rows.text(k_type);
        const auto* known = std::ranges::find_if(k_occurrences, [&](const KnownOccurrence& each) {
            return each.event == event && (each.type.empty() || each.type == type);
        });
        if (known == k_occurrences.end()) {
            if (std::ranges::find(k_not_drawn, event) == k_not_drawn.end())
                log_.add("unknown_action", {},
                         {"of an unknown kind ('" + one_line(event.substr(0, 60)) +
                          "'); they are in the table, but not in the picture"});
            return;
        }
        if (time == k_no_ns || out_.occurrences.size() >= limits::k_allocations) return;
        Occurrence found;
        found.time_ns = time;
        found.row = row;
        found.process = whole_number(rows, k_process).value_or(0);
        found.thread = whole_number(rows, k_thread).value_or(0);
        found.device = known_device(rows.text(k_device));
        found.activity = known->activity;
        found.phase = known->phase;
        found.name = snapshot_.strings.intern(without_quotes(rows.text(k_name)));
        if (known->activity == Activity::kernel) found.task = task_of(rows.text(k_attributes));
        out_.occurrences.push_back(found);
    }

    /// Distinguishes two runs of the same kernel by stream and task. The path of an ATB kernel cannot, because it ends in
    /// "before" at its start and in "after" at its end.
    StringId task_of(std::string_view text) {
        std::string task;
        Attributes attributes(text);
        while (attributes.next()) {
            const std::string_view key = attributes.key();
            if (key == "streamId" || key == "steamId" || key == "taskId") task.append(attributes.value()).push_back('/');
        }
        return snapshot_.strings.intern(task);
    }

    std::int32_t known_device(std::string_view text) {
        if (text != device_text_) {
            device_text_ = text;
            device_ = device_of(text);
        }
        return device_;
    }

    std::uint16_t type_of(std::string_view text) {
        if (const auto known = std::ranges::find(out_.types, text); known != out_.types.end())
            return static_cast<std::uint16_t>(known - out_.types.begin());
        std::string name = text.empty() ? "N/A" : one_line(text.substr(0, k_type_bytes));
        // No real file has that many kinds of memory, so further kinds are merged into the last one.
        if (out_.types.size() >= k_types) name = out_.types.back();
        const auto same = std::ranges::find(out_.types, name);
        const auto index = static_cast<std::uint16_t>(same - out_.types.begin());
        if (index == out_.types.size()) out_.types.push_back(std::move(name));
        return index;
    }

    /// Determines the unit of the times, drops rows with outlying times, and sorts by time.
    void normalise_times() {
        if (times_.empty()) return;
        const std::size_t edge = std::min((times_.size() - 1) / 2, std::max<std::size_t>(1, times_.size() / 1000));
        std::ranges::nth_element(times_, times_.begin() + static_cast<std::ptrdiff_t>(edge));
        const std::int64_t low = times_[edge];
        std::ranges::nth_element(times_, times_.end() - 1 - static_cast<std::ptrdiff_t>(edge));
        const std::int64_t high = times_[times_.size() - 1 - edge];
        out_.ns_per_unit = unit_of(low);
        const std::int64_t day = k_day_ns / out_.ns_per_unit;
        const auto is_far_off = [&](std::int64_t time) {
            return time < low - day || time > high + day || time > k_max_time / out_.ns_per_unit;
        };
        const auto dropped = std::erase_if(times_, is_far_off);
        std::erase_if(out_.changes, [&](const Change& change) { return is_far_off(change.time_ns); });
        std::erase_if(out_.occurrences, [&](const Occurrence& each) { return is_far_off(each.time_ns); });
        if (dropped > 0) {
            log_.add("times_far_off", {.count = dropped});
        }
        if (times_.empty()) return;
        const auto [first, last] = std::ranges::minmax(times_);
        out_.start_ns = first * out_.ns_per_unit;
        out_.end_ns = last * out_.ns_per_unit;
        sort_rows_by_time(out_.changes);
        sort_rows_by_time(out_.occurrences);
        free_memory(times_);
    }

    /// The nanoseconds in one unit of the table's times. The column "Timestamp(ns)" contained microseconds in the first half
    /// of 2025. Read as nanoseconds, such values would be days after 1970; and nanoseconds read as microseconds would be
    /// 50,000 years away.
    std::int64_t unit_of(std::int64_t time) const {
        constexpr std::int64_t k_in_1973_ns = 100'000'000'000'000'000;
        constexpr std::int64_t k_in_2001_us = 1'000'000'000'000'000;
        if (time >= k_in_1973_ns) return 1;
        return time >= k_in_2001_us ? 1000 : columns_.ns_per_unit;
    }

    template <typename Rows>
    void sort_rows_by_time(Rows& rows) const {
        for (auto& row : rows) row.time_ns *= out_.ns_per_unit;
        const auto order = [](const auto& row) { return row.time_ns; };
        if (!std::ranges::is_sorted(rows, {}, order)) std::ranges::stable_sort(rows, {}, order);
    }

    sqlite::SqliteFile& file_;
    const DumpColumns& columns_;
    Snapshot& snapshot_;
    ImportLog& log_;
    StackTexts stacks_;
    Dump out_;
    std::vector<std::int64_t> times_;
    std::string device_text_ = "N/A";
    std::int32_t device_ = k_no_device;
    std::int64_t total_size_ = 0;
};

}  // namespace

std::optional<DumpColumns> find_dump(sqlite::SqliteFile& file) {
    std::optional<std::string> table = file.find_table("memscope_dump");
    if (!table) table = file.find_table("leaks_dump");
    if (!table) return std::nullopt;
    DumpColumns columns{*table, {row_number_of(file, *table)}};
    for (std::size_t i = k_event; i < k_columns; ++i) columns.sql[i] = Wanted(k_column_names[i]).sql(file, *table);
    columns.ns_per_unit = file.find_column(*table, {"Timestamp(ns)"}) ? 1 : 1000;
    return columns.sql[k_event] == "NULL" || columns.sql[k_time] == "NULL" ? std::nullopt : std::optional(columns);
}

Dump read_dump(sqlite::SqliteFile& file, const DumpColumns& columns, Snapshot& snapshot) {
    return DumpReader(file, columns, snapshot).run();
}

}  // namespace snapviewer::profilers::memscope
