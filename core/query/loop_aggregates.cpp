#include "core/query/loop_aggregates.h"

#include <algorithm>

namespace snapviewer {
namespace {

constexpr std::size_t k_rows_added_at_once = 1024;

/// NULL counts for nothing, and nothing but NULL makes NULL.
class Aggregate {
public:
    explicit Aggregate(AggregateFunction function) : function_(function) {}

    void add_rows(std::size_t rows) { count_ += rows; }
    /// False if the sum became too large.
    bool add(std::span<const std::optional<std::int64_t>> values) {
        for (const std::optional<std::int64_t>& value : values) {
            if (!value) continue;
            if (function_ == AggregateFunction::sum) {
                if (__builtin_add_overflow(value_, *value, &value_)) return false;
            } else if (function_ == AggregateFunction::min) {
                value_ = count_ == 0 ? *value : std::min(value_, *value);
            } else {
                value_ = count_ == 0 ? *value : std::max(value_, *value);
            }
            ++count_;
        }
        return true;
    }

    Cell result() const {
        if (function_ == AggregateFunction::count_rows || function_ == AggregateFunction::count)
            return static_cast<std::int64_t>(count_);
        return count_ == 0 ? Cell() : Cell(value_);
    }

private:
    AggregateFunction function_;
    std::size_t count_ = 0;
    std::int64_t value_ = 0;
};

}  // namespace

bool can_add_up(const RowWalk& walk, std::span<const LoopAggregate> aggregates) {
    return std::ranges::all_of(aggregates, [&walk](const LoopAggregate& aggregate) {
        if (aggregate.function == AggregateFunction::count_rows) return true;
        const Column& column = walk.column(aggregate.column);
        return !column.is_text() && !column.prepare;
    });
}

Result<std::optional<std::vector<Cell>>> add_up(RowWalk& walk, std::span<const LoopAggregate> aggregates) {
    std::vector<Aggregate> sums;
    for (const LoopAggregate& aggregate : aggregates) sums.emplace_back(aggregate.function);
    std::vector<std::size_t> rows;
    std::vector<std::optional<std::int64_t>> values;
    while (walk.take(k_rows_added_at_once, rows)) {
        if (rows.empty()) {
            std::vector<Cell> cells;
            for (const Aggregate& sum : sums) cells.push_back(sum.result());
            return std::optional(std::move(cells));
        }
        values.resize(rows.size());
        for (std::size_t i = 0; i < sums.size(); ++i) {
            if (aggregates[i].function == AggregateFunction::count_rows) {
                sums[i].add_rows(rows.size());
                continue;
            }
            walk.column(aggregates[i].column).read(rows, values);
            if (!sums[i].add(values)) return Error{ErrorCode::bad_query, "integer overflow"};
        }
    }
    return std::optional<std::vector<Cell>>();
}

}  // namespace snapviewer
