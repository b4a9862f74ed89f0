#include "core/query/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/query/functions.h"

namespace snapviewer {
namespace {

class ListDictionary final : public Dictionary {
public:
    explicit ListDictionary(std::vector<std::string> texts) : texts_(std::move(texts)) {}
    std::size_t size() const override { return texts_.size(); }
    DictionaryText text(std::uint32_t code) override { return {texts_[code], true}; }

private:
    std::vector<std::string> texts_;
};

class FunctionDictionary final : public Dictionary {
public:
    FunctionDictionary(std::function<std::size_t()> size, std::function<std::string(std::uint32_t)> text)
        : size_(std::move(size)), text_(std::move(text)) {}
    std::size_t size() const override { return size_(); }
    DictionaryText text(std::uint32_t code) override {
        scratch_ = text_(code);
        return {scratch_, false};
    }

private:
    std::function<std::size_t()> size_;
    std::function<std::string(std::uint32_t)> text_;
    std::string scratch_;
};

/// All strings of the file, read in place.
class StringDictionary final : public Dictionary {
public:
    explicit StringDictionary(const StringPool& strings) : strings_(strings) {}
    std::size_t size() const override { return strings_.size(); }
    DictionaryText text(std::uint32_t code) override { return {strings_.view(StringId{code}), true}; }

private:
    const StringPool& strings_;
};

/// Texts of call stacks, created on first use and cached while they fit into k_kept_bytes.
class StackDictionary final : public Dictionary {
public:
    explicit StackDictionary(const Snapshot& snapshot) : snapshot_(snapshot), texts_(snapshot.stacks.stack_count()) {}
    std::size_t size() const override { return texts_.size(); }

    DictionaryText text(std::uint32_t code) override {
        if (texts_[code]) return {*texts_[code], true};
        std::string text = stack_text(snapshot_.strings, snapshot_.stacks, StackId{code});
        if (kept_bytes_ + text.size() > k_kept_bytes) {
            scratch_ = std::move(text);
            return {scratch_, false};
        }
        kept_bytes_ += text.size();
        texts_[code] = std::make_unique<std::string>(std::move(text));
        return {*texts_[code], true};
    }

private:
    static constexpr std::size_t k_kept_bytes = 128U << 20;

    const Snapshot& snapshot_;
    std::vector<std::unique_ptr<std::string>> texts_;
    std::size_t kept_bytes_ = 0;
    std::string scratch_;
};

template <typename T>
std::optional<T> value_in(const Cell& cell) {
    const T* const value = std::get_if<T>(&cell);
    return value == nullptr ? std::nullopt : std::optional(*value);
}

/// Inserts a column that computes its values from the key, which another column of the table holds.
void add_column(std::vector<Table>& tables, const AddedColumn& added) {
    Table& table = *std::ranges::find(tables, added.table, &Table::name);
    const auto cell_at = [key = *std::ranges::find(table.columns, added.key, &Column::name),
                          read = added.field.read](std::size_t row) {
        const std::optional<std::int64_t> number = key.integer(row);
        return number ? to_cell(read(*number, k_no_context)) : Cell();
    };
    const TableFields field(table.row_count, cell_at);
    const auto make = [&](auto get) { return field(added.field.name, added.field.unit, added.field.sentence, get); };
    Column column = added.field.unit == FieldUnit::text ? make(value_in<std::string>) : make(value_in<std::int64_t>);
    column.prepare = added.prepare;
    table.columns.insert(std::ranges::find(table.columns, added.before, &Column::name), std::move(column));
}

}  // namespace

CatalogSource::CatalogSource(std::shared_ptr<const Snapshot> the_snapshot,
                             std::vector<std::shared_ptr<const Timeline>> the_timelines)
    : snapshot(std::move(the_snapshot)), timelines(std::move(the_timelines)) {
    std::size_t events = 0;
    std::size_t allocations = 0;
    std::size_t ticks = 0;
    for (std::size_t i = 0; i < timelines.size(); ++i) {
        event_ends.push_back(events += snapshot->devices[i].events.size());
        allocation_ends.push_back(allocations += snapshot->devices[i].allocations.size());
        tick_ends.push_back(ticks += timelines[i]->tick_count());
    }
    std::size_t frames = 0;
    for (std::uint32_t i = 0; i < snapshot->stacks.stack_count(); ++i)
        stack_frame_ends.push_back(frames += snapshot->stacks.stack(StackId{i}).size());
    block_segments.resize(snapshot->blocks.size());
    for (std::uint32_t i = 0; i < snapshot->segments.size(); ++i) {
        const Segment& segment = snapshot->segments[i];
        std::fill_n(block_segments.begin() + segment.first_block, segment.block_count, i);
    }
    strings = std::make_shared<StringDictionary>(snapshot->strings);
    stacks = std::make_shared<StackDictionary>(*snapshot);
    std::vector<std::string> texts;
    for (const auto& [first, second] : snapshot->pools) texts.push_back(fmt::format("({}, {})", first, second));
    pools = make_list_dictionary(std::exchange(texts, {}));
    const std::size_t action_count = static_cast<std::size_t>(Action::first_unnamed) + snapshot->other_actions.size();
    for (std::size_t i = 0; i < action_count; ++i) texts.emplace_back(action_name(*snapshot, static_cast<Action>(i)));
    actions = make_list_dictionary(std::move(texts));
    derived = std::make_shared<DerivedRows>(snapshot, timelines);
}

ColumnOrder CatalogSource::device_order() const {
    const bool is_ascending = std::ranges::is_sorted(snapshot->devices, {}, &DeviceTrace::device);
    return is_ascending ? ColumnOrder::ascending : ColumnOrder::none;
}

ColumnOrder CatalogSource::start_order() const {
    if (timelines.size() != 1) return ColumnOrder::none;
    const Timeline& timeline = *timelines.front();
    for (std::uint32_t row = 1; row < timeline.allocation_count(); ++row) {
        if (timeline.first_tick(AllocationId{row}) < timeline.first_tick(AllocationId{row - 1})) return ColumnOrder::none;
    }
    return ColumnOrder::ascending;
}

double CatalogSource::most_live_share() const {
    double live = 0, all = 1;
    for (const auto& timeline : timelines) {
        live += static_cast<double>(timeline->most_live());
        all += static_cast<double>(timeline->allocation_count());
    }
    return std::max(live, 1.0) / all;
}

CatalogSource::Place CatalogSource::locate(const std::vector<std::size_t>& ends, std::size_t row) {
    std::size_t device_index = 0;
    while (row >= ends[device_index]) ++device_index;
    return {device_index, row - first_row(ends, device_index)};
}

std::int64_t first_allocation_row(const Snapshot& snapshot, std::size_t device_index) {
    std::size_t rows = 0;
    for (std::size_t i = 0; i < device_index; ++i) rows += snapshot.devices[i].allocations.size();
    return static_cast<std::int64_t>(rows);
}

std::vector<Table> make_tables(const CatalogSource& source, const std::vector<AddedColumn>& added) {
    std::vector<Table> tables;
    for (auto part : {&trace_tables, &stack_tables, &memory_tables, &derived_tables, &file_tables}) {
        auto some = part(source);
        std::move(some.begin(), some.end(), std::back_inserter(tables));
    }
    for (const AddedColumn& column : added) add_column(tables, column);
    return tables;
}

std::vector<TableDoc> describe(const std::vector<Table>& tables) {
    std::vector<TableDoc> docs;
    for (const Table& table : tables) {
        TableDoc doc{table.name, table.doc, {}};
        for (const Column& column : table.columns) {
            doc.columns.push_back({column.name, sql_type(column.unit), column.doc});
        }
        docs.push_back(std::move(doc));
    }
    return docs;
}

std::shared_ptr<Dictionary> make_function_dictionary(std::function<std::size_t()> size,
                                                     std::function<std::string(std::uint32_t code)> text) {
    return std::make_shared<FunctionDictionary>(std::move(size), std::move(text));
}

std::shared_ptr<Dictionary> make_list_dictionary(std::vector<std::string> texts) {
    return std::make_shared<ListDictionary>(std::move(texts));
}

namespace {

constexpr std::string_view k_introduction = R"(# SQL

Every open file is an SQLite database: in the query pane of the window, and with
[`snapviewer query FILE SQL`](commands.md#queries). The tables are read in place from the loaded snapshot. It is
read-only: no statement writes, attaches another file or loads an extension. In the window, and for a table on the
command line, a query ends after 30 seconds or 100,000 rows; `--format csv` and `json` give every row.

Sizes are in bytes, times in microseconds, and NULL means unknown. Steps are the x axis of the picture: an alloc takes
one step, a free takes one, and three more while everything above slides down. Addresses and stream handles are unsigned
64-bit numbers; from 2^63 on SQLite shows them as negative, and `address()` as they are.

Comparisons with integers, `LIKE`, `GLOB` and `=` on texts, `ORDER BY` on one integer column and joins on `id` are fast;
`callstack LIKE '%x%'` looks at each distinct stack once, not at each allocation.

`snapviewer query A --compare B SQL`, and the window after a comparison, query two files together. Every table below,
including the table-valued functions (`b.layout(17)`), then exists as `a.NAME` for A and as `b.NAME` for B; without a
prefix it is A's. Tables of a profiler's own file exist for A only. The limits are the same.

)";

struct Example {
    std::string_view question;
    std::string_view sql;
};

constexpr std::array k_examples = {
    Example{
        "Alive at step 1000, largest first",
        "SELECT idx, human(size), callstack FROM allocs\nWHERE start_time <= 1000 AND end_time > 1000 ORDER BY size DESC"},
    Example{"Stack contains \"attention\"",
            "SELECT idx, size, start_time, end_time FROM allocs WHERE callstack LIKE '%attention%'"},
    Example{"The largest allocations", "SELECT * FROM allocs ORDER BY size DESC LIMIT 20"},
    Example{"What holds the memory at the peak, by stack",
            "SELECT human(sum(a.size)) AS held, count(*) AS allocations,\n"
            "       iif(a.origin = 'freed', 'allocated before the recording', (SELECT text FROM stacks WHERE id = "
            "a.stack_id)) AS stack\n"
            "FROM devices d JOIN allocations a ON a.device = d.device\n"
            "WHERE a.alloc_step <= d.peak_step AND (a.free_step IS NULL OR a.free_step > d.peak_step)\n"
            "GROUP BY iif(a.origin = 'freed', -1, a.stack_id) ORDER BY sum(a.size) DESC LIMIT 20"},
    Example{
        "Never freed, by stack",
        "SELECT human(sum(size)) AS held, count(*) AS allocations, (SELECT text FROM stacks WHERE id = stack_id) AS stack\n"
        "FROM allocations WHERE free_step IS NULL GROUP BY stack_id ORDER BY sum(size) DESC"},
    Example{"Two files (`snapviewer query A --compare B`): what is held in B by stacks that hold nothing in A",
            "SELECT human(sum(x.size)) AS held, count(*) AS allocations, s.top_frame\n"
            "FROM b.devices d JOIN b.allocations x ON x.device = d.device JOIN b.stacks s ON s.id = x.stack_id\n"
            "WHERE x.alloc_step <= d.peak_step AND (x.free_step IS NULL OR x.free_step > d.peak_step)\n"
            "  AND s.key NOT IN (SELECT t.key FROM a.allocations y JOIN a.stacks t ON t.id = y.stack_id)\n"
            "GROUP BY s.key ORDER BY sum(x.size) DESC"},
    Example{"Out of memory: what was requested, what was free, and the largest hole",
            "SELECT device, human(bytes) AS wanted, human(device_free) AS left, human(unused), human(largest_hole) FROM "
            "markers\n"
            "WHERE kind = 'oom'"},
    Example{
        "Fragmentation by pool",
        "SELECT device, pool, human(reserved), human(hole_bytes), human(largest_hole) FROM pools ORDER BY hole_bytes DESC"},
    Example{
        "What each profiler step left behind",
        "SELECT r.name, human(total(a.size)) FROM ranges r LEFT JOIN allocations a ON a.device = r.device AND a.origin = "
        "'alloc'\n"
        "AND a.alloc_step >= r.start_step AND a.alloc_step < r.end_step AND (a.free_step IS NULL OR a.free_step > "
        "r.end_step)\n"
        "WHERE r.name LIKE 'ProfilerStep#%' AND r.start_step IS NOT NULL AND r.end_step IS NOT NULL GROUP BY r.id"},
    Example{"Memory reserved but not in use, over time",
            "SELECT step, human(allocated), human(reserved), human(reserved - allocated) FROM totals WHERE device = 0"},
    Example{"Which function allocates most (by innermost frame)",
            "SELECT f.function, human(sum(a.size)) FROM allocations a\n"
            "JOIN stack_frames sf ON sf.stack_id = a.stack_id AND sf.depth = 0 JOIN frames f ON f.id = sf.frame_id\n"
            "WHERE a.origin <> 'freed' GROUP BY f.function ORDER BY sum(a.size) DESC LIMIT 20"},
};

std::string table_markdown(const TableDoc& table) {
    std::string text =
        fmt::format("\n### {}\n\n{}\n\n| column | type | content |\n| --- | --- | --- |\n", table.name, table.text);
    for (const ColumnDoc& column : table.columns)
        text += fmt::format("| {} | {} | {} |\n", column.name, column.type, column.text);
    return text;
}

/// Describes a table function: its name with the parameters, and after its sentence what each parameter means.
std::string function_markdown(const TableFunction& table) {
    std::string names;
    std::string docs;
    for (const ColumnDoc& parameter : table.parameters) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", parameter.name);
        docs += fmt::format(" `{}`: {}.", parameter.name, parameter.text);
    }
    return table_markdown({fmt::format("{}({})", table.name, names), table.doc + docs, table.columns});
}

}  // namespace

std::string schema_markdown(const AddedTables& added) {
    const CatalogSource no_file(std::make_shared<Snapshot>(), {});
    std::string text(k_introduction);
    text += "## Common questions\n";
    for (const Example& example : k_examples)
        text += fmt::format("\n{}:\n\n```sql\n{};\n```\n", example.question, example.sql);
    text += "\n## Tables\n";
    for (const TableDoc& table : describe(make_tables(no_file, added.columns))) text += table_markdown(table);
    for (const TableFunction& table : added.tables) {
        if (table.parameters.empty()) text += table_markdown({table.name, table.doc, table.columns});
    }
    text += "\n## Table-valued functions\n\nThese tables take arguments: `SELECT * FROM layout(17)`.\n";
    for (const TableFunction& table : added.tables) {
        if (!table.parameters.empty()) text += function_markdown(table);
    }
    text += "\n## Functions\n\nIn addition to those of SQLite:\n\n| function | result |\n| --- | --- |\n";
    for (const FunctionDoc& function : function_docs())
        text += fmt::format("| `{}` | {} |\n", function.usage, function.text);
    return text;
}

}  // namespace snapviewer
