#include "app/features/table/allocation_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "app/features/timeline/stack_names.h"
#include "core/base/budget.h"
#include "core/base/context.h"
#include "core/base/output_file.h"
#include "core/base/text.h"
#include "core/query/database.h"
#include "core/timeline/search.h"
#include "core/timeline/totals.h"
#include "core/trace/annotations.h"

namespace snapviewer::table {
namespace {

constexpr auto k_all_columns = [] {
    using enum AllocationColumn;
    return std::array<AllocationColumnInfo, k_allocation_columns>{{
        {id, "Id", "id", false, Measure::count, "allocations.id", 64},
        {size, "Size", "size", false, Measure::bytes, "As requested, not rounded", 84},
        {alloc_step, "From step", "alloc_step", false, Measure::count, "Step at which it appears; 0 if it was there before",
         84},
        {free_step, "To step", "free_step", false, Measure::count,
         "Step at which it disappears; empty if it stays to the end", 84},
        {life_steps, "Steps", "life_steps", false, Measure::count, "How long it lives, in steps", 76},
        {alloc_time, "From time", "alloc_time_us", false, Measure::duration, "When it was allocated, since the left edge",
         84, true},
        {free_time, "To time", "free_time_us", false, Measure::duration, "When it was freed, since the left edge", 84, true},
        {life_time, "Time", "life_us", false, Measure::duration, "How long it lives; empty if it stays to the end", 84,
         true},
        {address, "Address", "address", false, Measure::count, "Address of the first byte", 120},
        {stream, "Stream", "stream", false, Measure::count, "Raw handle; 0 is the default stream", 60},
        {pool, "Pool", "pool", true, Measure::count, "(0, 0) is the default pool", 70, true},
        {origin, "Origin", "origin", true, Measure::count, "How it is known", 70, true},
        {state, "At the end", "state", true, Measure::count, "Its state when the snapshot was taken", 90, true},
        {category, "Category", "category", true, Measure::count, "Category as named by a profiler", 100, true},
        {user_metadata, "Metadata", "user_metadata", true, Measure::count, "Text attached by the program", 160, true},
        {annotation, "Annotation", "annotation", true, Measure::count, "Text attached to it later (_annotate_tensor)", 160,
         true},
        {stack, "Stack", "stack", true, Measure::count, "The innermost line of the program's own code, and its callers",
         420},
    }};
}();

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < k_all_columns.size(); ++i) {
        if (static_cast<std::size_t>(k_all_columns[i].column) != i) return false;
    }
    return true;
}
static_assert(is_in_order());

std::uint32_t metadata_text(const Timeline& timeline, AllocationId row, StringId EventMetadata::*field) {
    const MetadataId metadata = metadata_of(timeline.trace(), row);
    return metadata.is_some() ? (timeline.snapshot().metadata[metadata.value].*field).value : AllocationRows::k_no_text;
}

bool lives_to_the_end(const Timeline& timeline, AllocationId row) {
    return timeline.last_tick(row) + 1 == timeline.tick_count();
}

}  // namespace

std::span<const AllocationColumnInfo, k_allocation_columns> allocation_columns() { return k_all_columns; }

AllocationRows::AllocationRows(std::shared_ptr<const Timeline> timeline, std::int64_t first_id)
    : timeline_(std::move(timeline)), first_id_(first_id) {
    const Snapshot& snapshot = timeline_->snapshot();
    for (const auto& [first, second] : snapshot.pools) pools_.push_back(fmt::format("({}, {})", first, second));
    const std::size_t stack_count = snapshot.stacks.stack_count();
    name_of_stack_.assign(stack_count + 2, k_no_text);
    std::vector<StackTotal> in_use;
    for (std::uint32_t i = 0; i < timeline_->allocation_count(); ++i) {
        const StackId made_by = making_stack(timeline_->trace().allocations, AllocationId{i});
        std::uint32_t& name = name_of_stack_[text_code(AllocationColumn::stack, AllocationId{i})];
        if (name != k_no_text) continue;
        name = static_cast<std::uint32_t>(in_use.size());
        in_use.push_back({made_by});
    }
    stack_names_ = snapviewer::stack_names(*timeline_, in_use);
}

std::optional<std::uint64_t> AllocationRows::time_us(EventId event) const {
    if (!event.is_some()) return std::nullopt;
    const std::int64_t time = timeline_->trace().events.time_us[event.value];
    const std::int64_t start = timeline_->start_time_us();
    if (time == k_no_time || start == k_no_time || time < start) return std::nullopt;
    return static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(start);
}

std::optional<std::uint64_t> AllocationRows::number(AllocationColumn column, AllocationId row) const {
    using enum AllocationColumn;
    const AllocationColumns& allocations = timeline_->trace().allocations;
    switch (column) {
        case id: return static_cast<std::uint64_t>(first_id_) + row.value;
        case size: return allocations.size_bytes[row.value];
        case alloc_step: return timeline_->start_step(row);
        case free_step: return lives_to_the_end(*timeline_, row) ? std::nullopt : std::optional(timeline_->end_step(row));
        case life_steps: return timeline_->end_step(row) - timeline_->start_step(row);
        case alloc_time: return time_us(allocations.alloc_event[row.value]);
        case free_time: return time_us(allocations.free_event[row.value]);
        case life_time: {
            const auto begin = time_us(allocations.alloc_event[row.value]);
            const auto end = time_us(allocations.free_event[row.value]);
            return begin && end && *begin <= *end ? std::optional(*end - *begin) : std::nullopt;
        }
        case address: {
            const std::uint64_t place = allocations.address[row.value];
            return place == 0 ? std::nullopt : std::optional(place);
        }
        case stream: return timeline_->snapshot().streams[allocations.stream[row.value]];
        default: return std::nullopt;
    }
}

std::uint32_t AllocationRows::text_code(AllocationColumn column, AllocationId row) const {
    using enum AllocationColumn;
    const AllocationColumns& allocations = timeline_->trace().allocations;
    switch (column) {
        case pool: {
            const std::uint16_t code = allocations.pool[row.value];
            return code == k_no_pool ? k_no_text : code;
        }
        case origin: return static_cast<std::uint32_t>(allocations.origin[row.value]);
        case state: return static_cast<std::uint32_t>(allocations.state[row.value]);
        case category: return metadata_text(*timeline_, row, &EventMetadata::category);
        case user_metadata: return metadata_text(*timeline_, row, &EventMetadata::user_metadata);
        case annotation: {
            const StringId text = notes_text_of(timeline_->trace(), row);
            return text.is_some() ? text.value : k_no_text;
        }
        case stack: {
            const StackId made_by = making_stack(allocations, row);
            const auto stacks = static_cast<std::uint32_t>(name_of_stack_.size() - 2);
            if (made_by == k_before_recording) return stacks;
            return made_by.is_some() ? made_by.value : stacks + 1;
        }
        default: return k_no_text;
    }
}

std::string_view AllocationRows::text(AllocationColumn column, std::uint32_t code) const {
    using enum AllocationColumn;
    if (code == k_no_text) return {};
    switch (column) {
        case pool: return pools_[code];
        case origin: return origin_name(static_cast<Origin>(code));
        case state: return state_name(static_cast<AllocationState>(code));
        case category:
        case user_metadata:
        case annotation: return timeline_->snapshot().strings.view(StringId{code});
        case stack: return stack_names_[name_of_stack_[code]];
        default: return {};
    }
}

std::string AllocationRows::shown(AllocationColumn column, AllocationId row) const {
    using enum AllocationColumn;
    if (info_of(column).is_text) return shortened(text(column, text_code(column, row)), limits::k_max_source_bytes);
    const std::optional<std::uint64_t> value = number(column, row);
    if (!value) return {};
    switch (column) {
        case size: return format_bytes(*value);
        case alloc_time:
        case free_time:
        case life_time: return format_duration_us(static_cast<std::int64_t>(*value));
        case address: return fmt::format("{:#x}", *value);
        case id: return std::to_string(*value);
        case stream: return *value < 1'000'000 ? std::to_string(*value) : fmt::format("{:#x}", *value);
        default: return format_count(*value);
    }
}

Cell AllocationRows::value(AllocationColumn column, AllocationId row) const {
    using enum AllocationColumn;
    if (info_of(column).is_text) {
        const std::uint32_t code = text_code(column, row);
        if (code == k_no_text) return std::monostate();
        return std::string(text(column, code));
    }
    const AllocationColumns& allocations = timeline_->trace().allocations;
    if (column == alloc_time || column == free_time) {
        const EventId event = column == alloc_time ? allocations.alloc_event[row.value] : allocations.free_event[row.value];
        const std::int64_t time = event.is_some() ? timeline_->trace().events.time_us[event.value] : k_no_time;
        return time == k_no_time ? Cell() : Cell(time);
    }
    const std::optional<std::uint64_t> value = number(column, row);
    return value ? Cell(static_cast<std::int64_t>(*value)) : Cell();
}

// Filtering and sorting of the rows in a table of allocations.

namespace {

/// Number of rows processed between two checks for a stop request.
constexpr std::size_t k_rows_at_once = 1 << 15;

/// One compiled filter, cheap enough to test a million rows.
class ColumnFilter {
public:
    ColumnFilter(const AllocationRows& rows, AllocationColumn column, const std::string& text)
        : rows_(rows), column_(column), pattern_(text) {
        const AllocationColumnInfo& info = info_of(column);
        if (!info.is_text) range_ = parse_number_range(text, info.measure);
    }

    bool accepts(AllocationId id) {
        if (info_of(column_).is_text) return has_text(rows_.text_code(column_, id));
        const std::optional<std::uint64_t> number = rows_.number(column_, id);
        if (!number) return false;
        if (column_ == AllocationColumn::address && range_->low == range_->high) return holds(*number, id);
        return range_->contains(*number);
    }

private:
    /// Matches each distinct text only once and caches the result.
    bool has_text(std::uint32_t code) {
        const auto [known, is_new] = known_.try_emplace(code, false);
        if (is_new)
            known->second = code != AllocationRows::k_no_text && contains_pattern(rows_.text(column_, code), pattern_);
        return known->second;
    }
    bool holds(std::uint64_t begin, AllocationId id) const {
        const std::uint64_t size_bytes = rows_.timeline().trace().allocations.size_bytes[id.value];
        return range_->low >= begin && range_->low - begin < std::max<std::uint64_t>(size_bytes, 1);
    }

    const AllocationRows& rows_;
    AllocationColumn column_;
    std::string pattern_;
    std::optional<NumberRange> range_;
    std::unordered_map<std::uint32_t, bool> known_;
};

/// The sort key of one row.
struct SortKey {
    std::uint64_t value = 0;
    std::uint32_t id = 0;
    bool is_known = false;
};

std::vector<std::uint32_t> accepted_rows(const AllocationRows& rows, const RowArrangement& arrangement) {
    std::vector<ColumnFilter> filters;
    for (const AllocationColumnInfo& info : allocation_columns()) {
        const std::string& text = arrangement.filters[static_cast<std::size_t>(info.column)];
        if (!text.empty() && is_filter(info.column, text)) filters.emplace_back(rows, info.column, text);
    }
    std::vector<std::uint32_t> ids;
    const std::size_t count = rows.timeline().allocation_count();
    for (std::uint32_t i = 0; i < count; ++i) {
        if (i % k_rows_at_once == 0) check_stop();
        if (arrangement.among != nullptr && !arrangement.among->contains(AllocationId{i})) continue;
        if (std::ranges::all_of(filters, [i](ColumnFilter& filter) { return filter.accepts(AllocationId{i}); }))
            ids.push_back(i);
    }
    return ids;
}

/// Maps the code of each text to its rank in sorted order; equal texts have equal ranks.
std::unordered_map<std::uint32_t, std::uint64_t> ranks_of_texts(const AllocationRows& rows, AllocationColumn column,
                                                                const std::vector<std::uint32_t>& ids) {
    std::unordered_map<std::uint32_t, std::uint64_t> ranks;
    for (const std::uint32_t id : ids) ranks.try_emplace(rows.text_code(column, AllocationId{id}), 0);
    std::vector<std::pair<std::string_view, std::uint32_t>> texts;
    for (const auto& [code, rank] : ranks) texts.emplace_back(rows.text(column, code), code);
    std::ranges::sort(texts);
    std::uint64_t rank = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (i > 0 && texts[i].first != texts[i - 1].first) ++rank;
        ranks[texts[i].second] = rank;
    }
    return ranks;
}

std::vector<SortKey> sort_keys(const AllocationRows& rows, AllocationColumn column, const std::vector<std::uint32_t>& ids) {
    const bool is_text = info_of(column).is_text;
    const auto ranks = is_text ? ranks_of_texts(rows, column, ids) : std::unordered_map<std::uint32_t, std::uint64_t>();
    std::vector<SortKey> keys;
    keys.reserve(ids.size());
    for (const std::uint32_t id : ids) {
        if (keys.size() % k_rows_at_once == 0) check_stop();
        if (is_text) {
            const std::uint32_t code = rows.text_code(column, AllocationId{id});
            keys.push_back({ranks.at(code), id, code != AllocationRows::k_no_text});
        } else {
            const std::optional<std::uint64_t> number = rows.number(column, AllocationId{id});
            keys.push_back({number.value_or(0), id, number.has_value()});
        }
    }
    return keys;
}

/// Sorts in chunks and merges them, with a check for a stop request after each chunk.
void sort_keys_in_order(std::vector<SortKey>& keys, bool is_descending) {
    const auto less = [is_descending](const SortKey& a, const SortKey& b) {
        const std::pair rank_a(a.is_known, a.value), rank_b(b.is_known, b.value);
        return rank_a == rank_b ? a.id < b.id : (rank_a < rank_b) != is_descending;
    };
    const auto at = [&](std::size_t index) {
        return keys.begin() + static_cast<std::ptrdiff_t>(std::min(index, keys.size()));
    };
    for (std::size_t begin = 0; begin < keys.size(); begin += k_rows_at_once) {
        check_stop();
        std::sort(at(begin), at(begin + k_rows_at_once), less);
    }
    for (std::size_t length = k_rows_at_once; length < keys.size(); length *= 2) {
        for (std::size_t begin = 0; begin < keys.size(); begin += 2 * length) {
            check_stop();
            std::inplace_merge(at(begin), at(begin + length), at(begin + 2 * length), less);
        }
    }
}

class TsvSink final : public query::RowSink {
public:
    bool begin(std::span<const std::string> columns) override {
        add_line(columns, [](const std::string& name) { return name; });
        return true;
    }
    bool row(std::span<const Cell> cells) override {
        if (text.size() > limits::k_max_clipboard_bytes) return false;
        ++count;
        add_line(cells, [](const Cell& cell) {
            if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
            const auto* word = std::get_if<std::string>(&cell);
            return word == nullptr ? std::string() : *word;
        });
        return true;
    }
    std::string text;
    std::size_t count = 0;  ///< number of rows

private:
    void add_line(const auto& fields, auto text_of) {
        for (std::size_t i = 0; i < fields.size(); ++i) {
            if (i > 0) text += '\t';
            for (const char c : text_of(fields[i])) text += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
        }
        text += '\n';
    }
};

}  // namespace

bool is_filter(AllocationColumn column, std::string_view text) {
    const AllocationColumnInfo& info = info_of(column);
    return info.is_text || text.empty() || parse_number_range(text, info.measure).has_value();
}

ArrangedRows arrange_rows(const AllocationRows& rows, const RowArrangement& arrangement) {
    std::vector<SortKey> keys = sort_keys(rows, arrangement.sorted_by, accepted_rows(rows, arrangement));
    sort_keys_in_order(keys, arrangement.is_descending);
    ArrangedRows arranged;
    arranged.ids.reserve(keys.size());
    for (const SortKey& key : keys) {
        arranged.ids.push_back(key.id);
        arranged.bytes += rows.timeline().trace().allocations.size_bytes[key.id];
    }
    return arranged;
}

void write_rows(const AllocationRows& rows, std::span<const std::uint32_t> ids, const ChosenColumns& columns,
                query::RowSink& sink) {
    std::vector<std::string> names;
    for (const AllocationColumnInfo& info : allocation_columns()) {
        if (columns[static_cast<std::size_t>(info.column)]) names.emplace_back(info.sql_name);
    }
    if (!sink.begin(names)) return;
    std::vector<Cell> cells;
    for (const std::uint32_t id : ids) {
        check_stop();
        cells.clear();
        for (const AllocationColumnInfo& info : allocation_columns()) {
            if (columns[static_cast<std::size_t>(info.column)]) cells.push_back(rows.value(info.column, AllocationId{id}));
        }
        if (!sink.row(cells)) return;
    }
}

void write_csv(const AllocationRows& rows, std::span<const std::uint32_t> ids, const ChosenColumns& columns,
               const std::string& path) {
    OutputFile file = value_or_throw(OutputFile::create(path));
    const auto writer = query::make_csv_writer([&](std::string_view text) {
        charge_written(text.size(), "nothing was written; choose fewer columns");
        return file.write(text);
    });
    write_rows(rows, ids, columns, *writer);
    writer->end();
    throw_if_error(file.commit());
}

std::string rows_as_tsv(const AllocationRows& rows, std::span<const std::uint32_t> ids, const ChosenColumns& columns) {
    TsvSink sink;
    write_rows(rows, ids, columns, sink);
    if (sink.count < ids.size()) sink.text += more_items(ids.size() - sink.count, "row") + "\n";
    return std::move(sink.text);
}

}  // namespace snapviewer::table
