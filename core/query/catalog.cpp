#include "core/query/catalog.h"

#include <fmt/format.h>

#include <iterator>
#include <ranges>

namespace snapviewer::query {
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

/// Texts of call stacks, created on first use and cached while they fit into k_max_cached_row_bytes.
class StackDictionary final : public Dictionary {
public:
    explicit StackDictionary(const Snapshot& snapshot) : snapshot_(snapshot), texts_(snapshot.stacks.stack_count()) {}
    std::size_t size() const override { return texts_.size(); }

    DictionaryText text(std::uint32_t code) override {
        if (texts_[code]) return {*texts_[code], true};
        std::string text = stack_text(snapshot_.strings, snapshot_.stacks, StackId{code});
        if (kept_bytes_ + text.size() > k_max_cached_row_bytes) {
            scratch_ = std::move(text);
            return {scratch_, false};
        }
        kept_bytes_ += text.size();
        texts_[code] = std::make_unique<std::string>(std::move(text));
        return {*texts_[code], true};
    }

private:
    static constexpr std::size_t k_max_cached_row_bytes = 128U << 20;

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
    const auto first_tick = [&](std::size_t row) {
        return timeline.first_tick(AllocationId{static_cast<std::uint32_t>(row)});
    };
    const auto rows = std::views::iota(std::size_t{0}, timeline.allocation_count());
    return std::ranges::is_sorted(rows, {}, first_tick) ? ColumnOrder::ascending : ColumnOrder::none;
}

double CatalogSource::max_live_share() const {
    double live = 0, all = 1;
    for (const auto& timeline : timelines) {
        live += static_cast<double>(timeline->max_live());
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

std::vector<sqlite::TableDoc> describe(const std::vector<Table>& tables) {
    std::vector<sqlite::TableDoc> docs;
    for (const Table& table : tables) {
        sqlite::TableDoc doc{table.name, table.doc, {}};
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

}  // namespace snapviewer::query
