#include "core/sqlite/plain_function.h"

namespace snapviewer {
namespace {

constexpr unsigned k_json = 'J';  // subtype that the JSON functions of SQLite give to their results

}  // namespace

void PlainFunction::answer(sqlite3_context* context, std::span<sqlite3_value*> values, bool takes_json) {
    sqlite3_stmt* statement = prepared(call_of(values, takes_json));
    if (statement == nullptr) {
        if (connection_ == nullptr || sqlite3_errcode(connection_.get()) == SQLITE_NOMEM)
            return sqlite3_result_error_nomem(context);
        return sqlite3_result_error(context, sqlite3_errmsg(connection_.get()), -1);
    }
    sqlite3_limit(connection_.get(), SQLITE_LIMIT_LENGTH,
                  sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1));
    int place = 0;
    int status = SQLITE_OK;
    for (sqlite3_value* value : values) {
        if (status == SQLITE_OK) status = sqlite3_bind_value(statement, ++place, value);
    }
    if (status == SQLITE_OK) status = sqlite3_step(statement);
    if (status == SQLITE_ROW) {
        sqlite3_value* result = sqlite3_column_value(statement, 0);
        sqlite3_result_value(context, result);
        if (const unsigned subtype = sqlite3_value_subtype(result); subtype != 0) sqlite3_result_subtype(context, subtype);
    } else if (status == SQLITE_ERROR) {
        sqlite3_result_error(context, sqlite3_errmsg(connection_.get()), -1);
    } else {
        sqlite3_result_error_code(context, status);
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

/// Returns the SQL of a call. Binding a value drops its JSON subtype, so json() restores it.
std::string PlainFunction::call_of(std::span<sqlite3_value*> values, bool takes_json) const {
    std::string sql = "SELECT " + name_ + "(";
    for (sqlite3_value* value : values) {
        if (sql.back() != '(') sql += ',';
        sql += takes_json && sqlite3_value_subtype(value) == k_json ? "json(?)" : "?";
    }
    return sql + ")";
}

sqlite3_stmt* PlainFunction::prepared(const std::string& sql) {
    SqliteStatement& statement = statements_[sql];
    if (statement != nullptr) return statement.get();
    if (connection_ == nullptr) {
        sqlite3* opened = nullptr;
        sqlite3_open(":memory:", &opened);
        connection_.reset(opened);
    }
    sqlite3_stmt* made = nullptr;
    sqlite3_prepare_v2(connection_.get(), sql.c_str(), -1, &made, nullptr);
    statement.reset(made);
    return made;
}

}  // namespace snapviewer
