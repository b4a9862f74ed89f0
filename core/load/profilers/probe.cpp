#include "core/load/profilers/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/number_text.h"
#include "core/load/failure.h"

namespace snapviewer {

bool has_any_table(const SqliteFile& file, std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) { return file.find_table(name).has_value(); });
}

bool has_all_tables(const SqliteFile& file, std::initializer_list<std::string_view> names) {
    return std::ranges::all_of(names, [&](std::string_view name) { return file.find_table(name).has_value(); });
}

Wanted Wanted::expression(std::string sql) {
    Wanted wanted(Spellings{});
    wanted.expression_ = std::move(sql);
    return wanted;
}

std::string Wanted::sql(const SqliteFile& file, std::string_view table) const {
    if (is_expression()) return expression_;
    for (const std::string_view spelling : spellings_) {
        if (const auto column = file.find_column(table, {spelling})) return sql_name(*column);
    }
    return "NULL";
}

std::string select_columns(const SqliteFile& file, std::string_view table, std::initializer_list<Wanted> wanted) {
    const std::optional<std::string> name = file.find_table(table);
    if (!name) return {};
    std::string list;
    bool has_any = false;
    for (const Wanted& each : wanted) {
        const std::string sql = each.sql(file, *name);
        has_any = has_any || (!each.is_expression() && sql != "NULL");
        list += (list.empty() ? "" : ", ") + sql;
    }
    if (!has_any) return {};
    return "SELECT " + list + " FROM " + sql_name(*name);
}

std::string row_number_of(SqliteFile& file, std::string_view table) {
    const std::optional<std::string> name = file.find_table(table);
    return name && file.query("SELECT rowid FROM " + sql_name(*name)) ? "rowid" : "NULL";
}

TableRows::TableRows(SqliteFile& file, std::string_view table, const std::string& sql) : table_(table) {
    if (sql.empty()) return;
    Result<SqliteRows> rows = file.query(sql);
    if (rows) {
        rows_ = std::move(*rows);
    } else {
        failed_ = rows.error();
    }
}

std::optional<Error> TableRows::damage() const {
    if (!failed_ && rows_ && !rows_->status()) return rows_->status().error();
    return failed_;
}

void TableRows::note_end(ImportLog& log) const {
    if (const std::optional<Error> error = damage()) note_damage(log, table_, *error);
}

void note_damage(ImportLog& log, std::string_view table, const Error& error) {
    const bool ends_all = error.code == ErrorCode::cancelled || error.code == ErrorCode::unsupported;
    if (ends_all) throw Failure{error};
    log.add_about(ImportCode::table_cut, table,
                  fmt::format("only a part of the table {} could be read; it {}", table, error.message));
}

std::optional<std::int64_t> whole_number(const SqliteRows& rows, int column) {
    if (const auto stored = rows.stored_integer(column)) return stored;
    switch (rows.type(column)) {
        case ValueType::real: {
            constexpr double k_largest = 9.2e18;
            const double value = rows.real(column);
            return std::abs(value) < k_largest ? std::optional(std::llround(value)) : std::nullopt;
        }
        case ValueType::text: return parse_number<std::int64_t>(rows.text(column));
        default: return std::nullopt;
    }
}

}  // namespace snapviewer
