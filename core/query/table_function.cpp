#include "core/query/table_function.h"
#include "core/base/context.h"
#include "core/sqlite/connection.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

namespace snapviewer {
namespace {

constexpr std::size_t k_made_rows_between_checks = 4096;
constexpr double k_usual_rows = 1e5;  // assumed, because the count is unknown before the rows are computed

struct ConnectedTableFunction : sqlite3_vtab {
    TableFunctionModule* source = nullptr;
};

TableFunctionModule& source_of(sqlite3_vtab* table) { return *static_cast<ConnectedTableFunction*>(table)->source; }

/// Iterates over all rows; SQLite filters them.
struct TableFunctionCursor : sqlite3_vtab_cursor {
    std::shared_ptr<const FunctionRows> rows;
    std::size_t at = 0;
};

TableFunctionCursor& made_cursor(sqlite3_vtab_cursor* cursor) { return *static_cast<TableFunctionCursor*>(cursor); }

int connect_made(sqlite3* connection, void* client, int, const char* const*, sqlite3_vtab** table, char**) {
    auto* source = static_cast<TableFunctionModule*>(client);
    std::string columns;
    const auto declare = [&](const ColumnDoc& column, const char* hidden) {
        columns += fmt::format("{}\"{}\" {}{}", columns.empty() ? "" : ", ", column.name, column.type, hidden);
    };
    for (const ColumnDoc& column : source->table.columns) declare(column, "");
    for (const ColumnDoc& parameter : source->table.parameters) declare(parameter, " HIDDEN");
    const int status = sqlite3_declare_vtab(connection, fmt::format("CREATE TABLE x({})", columns).c_str());
    if (status != SQLITE_OK) return status;
    sqlite3_vtab_config(connection, SQLITE_VTAB_INNOCUOUS);
    auto connected = std::make_unique<ConnectedTableFunction>();
    connected->source = source;
    *table = connected.release();
    return SQLITE_OK;
}

/// Does the same as connect_made(), at a different address. If xCreate equalled xConnect, SQLite would also offer the table
/// under the name of its module, without CREATE VIRTUAL TABLE (https://www.sqlite.org/vtab.html, "Eponymous virtual
/// tables").
int create_made(sqlite3* connection, void* client, int count, const char* const* arguments, sqlite3_vtab** table,
                char** message) {
    return connect_made(connection, client, count, arguments, table, message);
}

int disconnect_made(sqlite3_vtab* table) {
    delete static_cast<ConnectedTableFunction*>(table);
    return SQLITE_OK;
}

/// Plans a scan. The plan has one character per given argument: the number of its parameter.
int plan_made(sqlite3_vtab* vtab, sqlite3_index_info* info) {
    const TableFunction& table = source_of(vtab).table;
    std::string plan;
    for (int i = 0; i < info->nConstraint; ++i) {
        const auto& constraint = info->aConstraint[i];
        const int parameter = constraint.iColumn - static_cast<int>(table.columns.size());
        if (parameter < 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
        if (constraint.usable == 0) return SQLITE_CONSTRAINT;  // SQLite has to read the argument's table first
        plan += static_cast<char>('0' + parameter);
        info->aConstraintUsage[i].argvIndex = static_cast<int>(plan.size());
        info->aConstraintUsage[i].omit = 1;
    }
    info->idxStr = sqlite3_mprintf("%s", plan.c_str());
    if (info->idxStr == nullptr) return SQLITE_NOMEM;
    info->needToFreeIdxStr = 1;
    info->estimatedCost = k_usual_rows;
    info->estimatedRows = static_cast<sqlite3_int64>(k_usual_rows);
    return SQLITE_OK;
}

int open_made(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
    *cursor = new TableFunctionCursor{};
    return SQLITE_OK;
}

int close_made(sqlite3_vtab_cursor* cursor) {
    delete &made_cursor(cursor);
    return SQLITE_OK;
}

Cell argument_of(sqlite3_value* value) {
    switch (sqlite3_value_type(value)) {
        case SQLITE_INTEGER: return std::int64_t{sqlite3_value_int64(value)};
        case SQLITE_FLOAT: return sqlite3_value_double(value);
        case SQLITE_TEXT:
            return std::string(reinterpret_cast<const char*>(sqlite3_value_text(value)),
                               static_cast<std::size_t>(sqlite3_value_bytes(value)));
        default: return std::monostate{};
    }
}

int fill_made(sqlite3_vtab_cursor* cursor, int, const char* plan, int count, sqlite3_value** values) {
    TableFunctionModule& source = source_of(cursor->pVtab);
    std::vector<Cell> arguments(source.table.parameters.size());
    for (int i = 0; i < count; ++i) arguments[static_cast<std::size_t>(plan[i] - '0')] = argument_of(values[i]);
    made_cursor(cursor).at = 0;
    auto made = source.control.caught_as_job([&] { return source.table.make(arguments); });
    if (made) {
        made_cursor(cursor).rows = std::move(*made);
        return source.control.must_end() ? SQLITE_INTERRUPT : SQLITE_OK;
    }
    made_cursor(cursor).rows = nullptr;
    if (made.error().code == ErrorCode::cancelled) return SQLITE_INTERRUPT;
    if (made.error().code == ErrorCode::memory) return SQLITE_NOMEM;
    sqlite3_free(cursor->pVtab->zErrMsg);
    cursor->pVtab->zErrMsg = sqlite3_mprintf("%s", made.error().message.c_str());
    return SQLITE_ERROR;
}

int next_made(sqlite3_vtab_cursor* cursor) {
    const bool looks = ++made_cursor(cursor).at % k_made_rows_between_checks == 0;
    return looks && source_of(cursor->pVtab).control.must_end() ? SQLITE_INTERRUPT : SQLITE_OK;
}

int at_end_of_made(sqlite3_vtab_cursor* cursor) {
    const TableFunctionCursor& made = made_cursor(cursor);
    return made.rows == nullptr || made.at >= made.rows->count() ? 1 : 0;
}

int read_made(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int index) {
    const TableFunctionCursor& made = made_cursor(cursor);
    if (static_cast<std::size_t>(index) >= source_of(cursor->pVtab).table.columns.size()) return SQLITE_OK;
    const Cell cell = made.rows->cell(made.at, static_cast<std::size_t>(index));
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) sqlite3_result_int64(context, *integer);
    if (const auto* real = std::get_if<double>(&cell)) sqlite3_result_double(context, *real);
    if (const auto* text = std::get_if<std::string>(&cell))
        sqlite3_result_text64(context, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    return SQLITE_OK;
}

int read_made_row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* row_id) {
    *row_id = static_cast<sqlite3_int64>(made_cursor(cursor).at);
    return SQLITE_OK;
}

/// Creates the SQLite module. Its xCreate equals its xConnect, so that the table exists under the module's name without
/// CREATE VIRTUAL TABLE and can be called like a function.
sqlite3_module make_made_module() {
    sqlite3_module module{};
    module.xCreate = sqlite_callback<connect_made>;
    module.xConnect = sqlite_callback<connect_made>;
    module.xBestIndex = sqlite_callback<plan_made>;
    module.xDisconnect = disconnect_made;
    module.xDestroy = disconnect_made;
    module.xOpen = sqlite_callback<open_made>;
    module.xClose = close_made;
    module.xFilter = sqlite_callback<fill_made>;
    module.xNext = sqlite_callback<next_made>;
    module.xEof = at_end_of_made;
    module.xColumn = sqlite_callback<read_made>;
    module.xRowid = read_made_row_id;
    return module;
}

}  // namespace

int create_table_functions(sqlite3* connection, const TableFunctionModules& tables) {
    static const sqlite3_module k_module = make_made_module();
    for (const auto& table : tables) {
        const char* name = table->table.name.c_str();
        int status = sqlite3_create_module_v2(connection, name, &k_module, table.get(), nullptr);
        if (status == SQLITE_OK && table->table.parameters.empty()) {
            const std::string sql = fmt::format("CREATE VIRTUAL TABLE \"{0}\" USING \"{0}\"", name);
            status = sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr);
        }
        if (status != SQLITE_OK) return status;
        // SQLite sets up a table function when a statement first names it. This does so now, because lock_down() would
        // reject it later as a change of the schema.
        sqlite3_stmt* statement = nullptr;
        sqlite3_prepare_v2(connection, fmt::format("SELECT 1 FROM \"{}\"", name).c_str(), -1, &statement, nullptr);
        sqlite3_finalize(statement);
    }
    return SQLITE_OK;
}

int create_table_functions_in(sqlite3* connection, const TableFunctionModules& tables, const std::string& schema) {
    static const sqlite3_module k_module = [] {
        sqlite3_module module = make_made_module();
        module.xCreate = sqlite_callback<create_made>;
        return module;
    }();
    int status = SQLITE_OK;
    for (const auto& table : tables) {
        const std::string module = fmt::format("{}_{}", schema, table->table.name);
        if (status == SQLITE_OK)
            status = sqlite3_create_module_v2(connection, module.c_str(), &k_module, table.get(), nullptr);
        const std::string sql =
            fmt::format("CREATE VIRTUAL TABLE {}.\"{}\" USING \"{}\"", schema, table->table.name, module);
        if (status == SQLITE_OK) status = sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr);
    }
    return status;
}

}  // namespace snapviewer
