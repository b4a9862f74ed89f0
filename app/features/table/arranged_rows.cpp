// Filtering and sorting of the rows in a table of allocations.
#include <algorithm>
#include <unordered_map>

#include "app/features/table/allocation_rows.h"
#include "core/base/budget.h"
#include "core/base/context.h"
#include "core/timeline/search.h"

namespace snapviewer {
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

    bool lets_through(AllocationId id) {
        if (info_of(column_).is_text) return has_text(rows_.text_code(column_, id));
        const std::optional<std::uint64_t> number = rows_.number(column_, id);
        if (!number) return false;
        if (column_ == AllocationColumn::address && range_->least == range_->most) return holds(*number, id);
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
        return range_->least >= begin && range_->least - begin < std::max<std::uint64_t>(size_bytes, 1);
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

std::vector<std::uint32_t> rows_let_through(const AllocationRows& rows, const RowArrangement& arrangement) {
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
        if (std::ranges::all_of(filters, [i](ColumnFilter& filter) { return filter.lets_through(AllocationId{i}); }))
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
template <typename Less>
void sort_stoppably(std::vector<SortKey>& keys, Less less) {
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

void sort_keys_in_order(std::vector<SortKey>& keys, bool is_descending) {
    const auto rank = [](const SortKey& key) { return std::pair(key.is_known, key.value); };
    if (is_descending) {
        return sort_stoppably(keys, [rank](const SortKey& a, const SortKey& b) {
            return rank(a) != rank(b) ? rank(a) > rank(b) : a.id < b.id;
        });
    }
    sort_stoppably(
        keys, [rank](const SortKey& a, const SortKey& b) { return rank(a) != rank(b) ? rank(a) < rank(b) : a.id < b.id; });
}

class TsvSink final : public RowSink {
public:
    bool begin(std::span<const std::string> columns) override {
        add_line(columns, [](const std::string& name) { return name; });
        return true;
    }
    bool row(std::span<const Cell> cells) override {
        if (text.size() > limits::k_most_copied_bytes) return false;
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
    std::vector<SortKey> keys = sort_keys(rows, arrangement.sorted_by, rows_let_through(rows, arrangement));
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
                RowSink& sink) {
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

std::string rows_as_tsv(const AllocationRows& rows, std::span<const std::uint32_t> ids, const ChosenColumns& columns) {
    TsvSink sink;
    write_rows(rows, ids, columns, sink);
    if (sink.count < ids.size()) sink.text += how_many_more(ids.size() - sink.count, "row") + "\n";
    return std::move(sink.text);
}

}  // namespace snapviewer
