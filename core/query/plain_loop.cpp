#include "core/query/plain_loop.h"

#include <sqlite3.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace snapviewer {
namespace {

/// An instruction of SQLite's virtual machine: https://sqlite.org/opcode.html
struct Instruction {
    std::string name;
    int p1, p2, p3;
    std::string p4;
};
using Program = std::span<const Instruction>;

std::vector<Instruction> read_program(sqlite3_stmt* explain) {
    std::vector<Instruction> program;
    while (sqlite3_step(explain) == SQLITE_ROW) {
        const auto text = [explain](int column) {
            const auto* value = reinterpret_cast<const char*>(sqlite3_column_text(explain, column));
            return std::string(value == nullptr ? "" : value);
        };
        program.push_back({text(1), sqlite3_column_int(explain, 2), sqlite3_column_int(explain, 3),
                           sqlite3_column_int(explain, 4), text(5)});
    }
    return program;
}

/// Where an instruction puts a value of the row at hand, and of which column; nothing if it does something else.
struct ReadColumn {
    int column, place;
};
std::optional<ReadColumn> read_column(const Instruction& each, const Instruction& filter) {
    if (each.p1 != filter.p1) return std::nullopt;
    if (each.name == "Rowid") return ReadColumn{k_row_number, each.p2};
    return each.name == "VColumn" ? std::optional(ReadColumn{each.p2, each.p3}) : std::nullopt;
}

std::vector<int> columns_handed_over(Program loop, const Instruction& filter, const Instruction& row) {
    constexpr int k_not_handed_over = k_row_number - 1;
    std::vector<int> columns(static_cast<std::size_t>(row.p2), k_not_handed_over);
    for (const Instruction& each : loop) {
        const auto read = read_column(each, filter);
        if (!read || read->place < row.p1 || read->place >= row.p1 + row.p2) return {};
        columns[static_cast<std::size_t>(read->place - row.p1)] = read->column;
    }
    return std::ranges::find(columns, k_not_handed_over) == columns.end() ? columns : std::vector<int>();
}

std::optional<AggregateFunction> function_called(const std::string& name) {
    static const std::pair<const char*, AggregateFunction> k_functions[] = {{"count(0)", AggregateFunction::count_rows},
                                                                            {"count(1)", AggregateFunction::count},
                                                                            {"sum(1)", AggregateFunction::sum},
                                                                            {"min(1)", AggregateFunction::min},
                                                                            {"max(1)", AggregateFunction::max}};
    for (const auto& [called, function] : k_functions) {
        if (name == called) return function;
    }
    return std::nullopt;
}

/// What the loop adds up where, by register. Nothing if it does something else.
std::map<int, LoopAggregate> aggregates_of(Program loop, const Instruction& filter) {
    std::map<int, LoopAggregate> aggregates;
    std::optional<ReadColumn> last;
    for (const Instruction& each : loop) {
        if (each.name == "CollSeq") continue;  // how texts would be compared
        if (each.name != "AggStep") {
            if (last = read_column(each, filter); !last) return {};
            continue;
        }
        const auto function = function_called(each.p4);
        const bool reads = function && *function != AggregateFunction::count_rows;
        if (!function || (reads && (!last || last->place != each.p2))) return {};
        if (!aggregates.try_emplace(each.p3, LoopAggregate{*function, reads ? last->column : k_row_number}).second)
            return {};
    }
    return aggregates;
}

/// From the registers in which the loop adds up they are copied to those of the result.
std::vector<LoopAggregate> aggregates_handed_over(Program loop, Program after, const Instruction& filter,
                                                  const Instruction& row) {
    const std::map<int, LoopAggregate> added = aggregates_of(loop, filter);
    std::map<int, LoopAggregate> copied;
    for (const Instruction& each : after) {
        if (each.name == "AggFinal") continue;
        if (each.name != "Copy") return {};
        for (int i = 0; i <= each.p3; ++i) {
            const auto found = added.find(each.p1 + i);
            if (found == added.end()) return {};
            copied[each.p2 + i - row.p1] = found->second;
        }
    }
    std::vector<LoopAggregate> aggregates;
    for (const auto& [place, aggregate] : copied) {
        if (place != static_cast<int>(aggregates.size())) return {};
        aggregates.push_back(aggregate);
    }
    return aggregates.size() == static_cast<std::size_t>(row.p2) ? aggregates : std::vector<LoopAggregate>();
}

}  // namespace

bool PlainLoop::read(std::size_t column, std::size_t row, Cell& cell) const {
    const Column& from = *columns[column];
    cell = std::monostate();
    if (!from.is_text()) {
        if (const std::optional<std::int64_t> value = from.integer(row)) cell = *value;
    } else if (const std::uint32_t code = from.code(row); code != k_null_code) {
        const std::string_view text = from.dictionary->text(code).text;
        if (text.size() > longest_text_bytes) return false;
        cell = std::string(text);
    }
    return true;
}

LoopPlan read_loop(sqlite3_stmt* explain) {
    const std::vector<Instruction> program = read_program(explain);
    const auto only = [&program](const char* name) {
        const bool is_there_once = std::ranges::count(program, name, &Instruction::name) == 1;
        return is_there_once ? std::ranges::find(program, name, &Instruction::name) : program.end();
    };
    const auto filter = only("VFilter");
    const auto next = only("VNext");
    const auto row = only("ResultRow");
    if (only("VOpen") == program.end() || filter == program.end() || next == program.end() || row == program.end())
        return {};
    const auto loop = filter + 1;
    if (next < loop || next->p1 != filter->p1 || next->p2 != loop - program.begin()) return {};
    // After the last row the end.
    const auto end = std::max(row, next) + 1;
    if (end == program.end() || end->name != "Halt") return {};
    if (row + 1 == next) return {columns_handed_over({loop, row}, *filter, *row), {}};
    return {{}, aggregates_handed_over({loop, next}, {next + 1, std::max(row, next + 1)}, *filter, *row)};
}

Error too_long_value() { return {ErrorCode::bad_query, sqlite3_errstr(SQLITE_TOOBIG)}; }

}  // namespace snapviewer
