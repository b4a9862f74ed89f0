#include "core/query/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <mutex>

#include "core/query/batches.h"
#include "core/query/catalog.h"
#include "core/query/query_control.h"
#include "core/query/virtual_table.h"
#include "core/sqlite/connection.h"

struct sqlite3_stmt;

namespace snapviewer::query {
namespace {

/// Whether bind_parameters() ignores or refuses a value for which the statement has no parameter.
enum class UnusedValues { ignored, refused };

int bind_cell(sqlite3_stmt* statement, int index, const Cell& cell) {
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) return sqlite3_bind_int64(statement, index, *integer);
    if (const auto* real = std::get_if<double>(&cell)) return sqlite3_bind_double(statement, index, *real);
    const auto* text = std::get_if<std::string>(&cell);
    if (text == nullptr) return sqlite3_bind_null(statement, index);
    return sqlite3_bind_text64(statement, index, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
}

Error no_value(std::string_view spelled, std::span<const QueryParameter> parameters) {
    std::string names;
    for (const QueryParameter& each : parameters) names += (names.empty() ? "" : ", ") + each.name;
    const std::string given = names.empty() ? "no values were given" : "values were given for " + names;
    return Error{ErrorCode::bad_query, fmt::format("the parameter {} has no value; {}", spelled, given)};
}

/// Binds a value to every parameter of a statement. Fails if a parameter has no value; the error lists the names of the
/// given values. The texts are not copied and must outlive the statement.
Status bind_parameters(sqlite3_stmt* statement, std::span<const QueryParameter> parameters, UnusedValues unused) {
    std::vector<bool> is_used(parameters.size());
    for (int index = 1; index <= sqlite3_bind_parameter_count(statement); ++index) {
        // The name is for example ":step" or "?5", and null for a plain "?".
        const char* name = sqlite3_bind_parameter_name(statement, index);
        const std::string spelled = name == nullptr ? fmt::format("?{}", index) : name;
        const auto is_meant = [&](const QueryParameter& each) {
            return each.name == spelled || each.name == std::string_view(spelled).substr(1);
        };
        const auto found = std::ranges::find_if(parameters, is_meant);
        if (found == parameters.end()) return no_value(spelled, parameters);
        is_used[static_cast<std::size_t>(found - parameters.begin())] = true;
        if (bind_cell(statement, index, found->value) != SQLITE_OK)
            return Error{ErrorCode::bad_query, fmt::format("the value of the parameter {} is too long", spelled)};
    }
    const auto left = std::ranges::find(is_used, false);
    if (unused == UnusedValues::ignored || left == is_used.end()) return {};
    const std::string& name = parameters[static_cast<std::size_t>(left - is_used.begin())].name;
    return Error{ErrorCode::bad_query, fmt::format("the query has no parameter called {}", name)};
}

// SQL functions can take 10 ms for a long text, so the progress handler runs after few operations.
constexpr int k_query_operations_between_checks = 50;
constexpr double k_no_time_limit = std::numeric_limits<double>::max();
constexpr int k_max_query_value_bytes = 32 << 20;
constexpr int k_max_parameters = 100;
constexpr std::string_view k_read_only = "the database is read-only; expected a single SELECT statement";

/// SQLite authorizer: a query may read tables, call functions and ask for the schema. It may not load code, open files or
/// write.
int authorize(void*, int action, const char* name, const char* detail, const char*, const char*) {
    const auto is_one_of = [](const char* text, std::initializer_list<const char*> names) {
        return std::ranges::any_of(names, [text](const char* known) { return sqlite3_stricmp(text, known) == 0; });
    };
    switch (action) {
        case SQLITE_SELECT:
        case SQLITE_READ:
        case SQLITE_RECURSIVE: return SQLITE_OK;
        case SQLITE_FUNCTION: return is_our_function(detail) || sqlite::may_call(detail) ? SQLITE_OK : SQLITE_DENY;
        case SQLITE_PRAGMA: return is_one_of(name, {"table_info", "table_xinfo", "table_list"}) ? SQLITE_OK : SQLITE_DENY;
        default: return SQLITE_DENY;
    }
}

void limit_queries(sqlite3* connection) {
    sqlite::set_limits(connection, {.value_bytes = k_max_query_value_bytes, .columns = 500});
    sqlite3_limit(connection, SQLITE_LIMIT_VARIABLE_NUMBER, k_max_parameters);
}

/// Makes SQLite set up its own virtual tables now. It does so on their first use, which make_read_only() would reject as a
/// change of the schema.
void set_up_table_functions(sqlite3* connection) {
    for (const char* call :
         {"pragma_table_info('x')", "pragma_table_xinfo('x')", "pragma_table_list", "json_each('[]')", "json_tree('[]')"}) {
        sqlite3_exec(connection, fmt::format("SELECT 1 FROM {}", call).c_str(), nullptr, nullptr, nullptr);
    }
}

/// Makes the connection read-only. `is_defensive` must be false if an attached file is truncated, because SQLite cannot read
/// such a file in defensive mode. The other restrictions apply in both cases.
void make_read_only(sqlite3* connection, bool is_defensive) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, is_defensive ? 1 : 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
    sqlite3_exec(connection, "PRAGMA query_only = 1", nullptr, nullptr, nullptr);
    limit_queries(connection);
    sqlite3_set_authorizer(connection, authorize, nullptr);
}

bool may_continue(void* control, std::int64_t taken_bytes) {
    return !static_cast<QueryControl*>(control)->must_end(taken_bytes);
}

Cell read_cell(sqlite3_stmt* statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
        case SQLITE_INTEGER: return std::int64_t{sqlite3_column_int64(statement, column)};
        case SQLITE_FLOAT: return sqlite3_column_double(statement, column);
        case SQLITE_NULL: return std::monostate{};
        case SQLITE_BLOB: {
            const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement, column));
            const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
            return fmt::format("{:02x}", fmt::join(bytes, bytes + size, ""));
        }
        default: {
            const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
            return text == nullptr ? std::string()
                                   : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
        }
    }
}

/// Returns the origin of each result column. Names of tables in `main` and in `own_schema` get no schema prefix.
std::vector<ColumnOrigin> column_origins(sqlite3_stmt* statement, std::string_view own_schema) {
    std::vector<ColumnOrigin> origins;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        ColumnOrigin& origin = origins.emplace_back();
        const char* schema = sqlite3_column_database_name(statement, i);
        const char* table = sqlite3_column_table_name(statement, i);
        const char* column = sqlite3_column_origin_name(statement, i);
        if (schema == nullptr || table == nullptr || column == nullptr) continue;
        const bool is_own = std::string_view(schema) == "main" || std::string_view(schema) == own_schema;
        origin.table = is_own ? table : fmt::format("{}.{}", schema, table);
        origin.column = column;
    }
    return origins;
}

/// Stores rows until one of the limits is reached.
class ResultCollector final : public RowSink {
public:
    ResultCollector(QueryResult& result, const QueryLimits& limits) : result_(result), limits_(limits) {}

    bool begin(std::span<const std::string> columns) override {
        result_.columns.assign(columns.begin(), columns.end());
        return true;
    }
    bool row(std::span<const Cell> cells) override {
        if (result_.row_count() >= limits_.max_rows || kept_bytes_ >= limits_.max_bytes) {
            result_.truncated = true;
            return false;
        }
        for (const Cell& cell : cells) {
            const auto* text = std::get_if<std::string>(&cell);
            kept_bytes_ += sizeof(Cell) + (text != nullptr ? text->size() : 0);
        }
        result_.cells.insert(result_.cells.end(), cells.begin(), cells.end());
        return true;
    }

private:
    QueryResult& result_;
    const QueryLimits& limits_;
    std::size_t kept_bytes_ = 0;
};

/// The tables that snapviewer provides for one file.
struct TableSet {
    TableSet(std::shared_ptr<const Snapshot> snapshot, std::vector<std::shared_ptr<const Timeline>> timelines,
             AddedTables added_tables)
        : source(std::move(snapshot), std::move(timelines)), added(std::move(added_tables)) {}

    /// Creates the tables. Returns the descriptions of those without parameters.
    std::vector<sqlite::TableDoc> make(QueryControl& control) {
        auto made = make_tables(source, added.columns);
        std::vector<sqlite::TableDoc> docs = describe(made);
        for (Table& table : made) tables.push_back(std::make_unique<VirtualTable>(std::move(table), control));
        for (const TableFunction& table : added.tables) {
            if (table.parameters.empty()) docs.push_back({table.name, table.doc, table.columns});
            table_functions.push_back(std::make_unique<VirtualTableFunction>(VirtualTableFunction{table, control}));
        }
        return docs;
    }
    void show_allocs_device(std::size_t wanted) {
        if (wanted == source.allocs_device || wanted >= source.timelines.size()) return;
        source.allocs_device = wanted;
        for (const auto& table : tables) table->drop_cached_rows();
    }

    CatalogSource source;
    AddedTables added;
    VirtualTables tables;
    VirtualTableFunctions table_functions;
};

constexpr std::string_view k_schema_a = "a";
constexpr std::string_view k_schema_b = "b";

class SqliteDatabase final : public Database {
public:
    SqliteDatabase(std::shared_ptr<const Snapshot> snapshot, std::vector<std::shared_ptr<const Timeline>> timelines,
                   std::vector<sqlite::AttachedFile> files, std::vector<sqlite::SqlView> views, AddedTables added)
        : own_(std::move(snapshot), std::move(timelines), std::move(added)),
          files_(std::move(files)),
          views_(std::move(views)) {}

    Status open() {
        schema_ = own_.make(control_);
        sqlite3* connection = nullptr;
        constexpr int k_flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
        int status = sqlite3_open_v2(":memory:", &connection, k_flags, sqlite::pathless_vfs());
        connection_.reset(connection);
        // temp_store comes first, because changing it later would drop all temporary views. pathless_vfs() explains the
        // setting.
        if (status == SQLITE_OK) status = sqlite3_exec(connection, "PRAGMA temp_store = FILE", nullptr, nullptr, nullptr);
        if (status == SQLITE_OK) sqlite::drop_foreign_modules(connection);
        if (status == SQLITE_OK) status = create_functions(connection);
        if (status == SQLITE_OK) status = sqlite::create_guarded_functions(connection, control_);
        if (status == SQLITE_OK) status = create_virtual_tables(connection, own_.tables, own_.table_functions, "main");
        if (status == SQLITE_OK && joined_) status = create_joined(connection);
        if (status == SQLITE_NOMEM) return memory_error(std::bad_alloc());
        if (status != SQLITE_OK) {
            return Error{ErrorCode::environment,
                         fmt::format("SQLite could not set up its tables: {}", sqlite3_errmsg(connection))};
        }
        sqlite3_progress_handler(
            connection, k_query_operations_between_checks,
            [](void* control) { return static_cast<QueryControl*>(control)->must_end() ? 1 : 0; }, &control_);
        set_up_table_functions(connection);
        for (const sqlite::AttachedFile& file : files_) {
            if (Status attached = sqlite::attach_file(connection, file); !attached) return attached;
        }
        if (Status created = sqlite::create_views(connection, views_); !created) return created;
        if (!files_.empty() && own_.source.snapshot->devices.empty()) log_empty_tables();
        for (const sqlite::SqlView& view : views_) schema_.push_back(view.doc);
        for (const sqlite::AttachedFile& file : files_)
            std::ranges::move(sqlite::describe_file(file, schema_), std::back_inserter(schema_));
        if (joined_) std::ranges::move(joined_->docs, std::back_inserter(schema_));
        make_read_only(connection, std::ranges::none_of(
                                       files_, [](const sqlite::AttachedFile& file) { return file.file->is_cut_short(); }));
        return {};
    }

    Result<QueryResult> run(std::string_view sql, const QueryLimits& limits) override {
        const auto start = std::chrono::steady_clock::now();
        QueryResult result;
        ResultCollector collector(result, limits);
        const Status status = with_statement(sql, limits, UnusedValues::ignored, [&](sqlite3_stmt* statement) {
            result.origins = column_origins(statement, joined_ ? k_schema_a : "");
            return step(statement, collector);
        });
        if (!status) return status.error();
        result.elapsed_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        return result;
    }

    Status run_each(std::string_view sql, double max_seconds, Progress* progress, RowSink& sink) override {
        return with_statement(sql, {.max_seconds = max_seconds, .progress = progress}, UnusedValues::ignored,
                              [&](sqlite3_stmt* statement) { return step(statement, sink); });
    }

    Status run_batches(std::string_view sql, std::span<const QueryParameter> parameters, double max_seconds,
                       Progress* progress, BatchSink& sink) override {
        const QueryLimits limits{.max_seconds = max_seconds, .parameters = parameters, .progress = progress};
        return with_statement(sql, limits, UnusedValues::refused, [&](sqlite3_stmt* statement) -> Status {
            const Result<int> status = build_batches(statement, sink);
            if (!status) return status.error();
            return *status == SQLITE_DONE || *status == SQLITE_ROW ? Status() : failure(*status, 0);
        });
    }

    Status scan_table(std::string_view name, Progress* progress, BatchSink& sink) override {
        const std::lock_guard lock(mutex_);
        control_.start({.max_seconds = k_no_time_limit, .progress = progress});
        show_allocs_device();
        const auto table = std::ranges::find(own_.tables, name, [](const auto& each) { return each->table().name; });
        if (table == own_.tables.end())
            return Error{ErrorCode::bad_query, fmt::format("there is no table '{}' that can be read without SQL", name)};
        const Status read = build_batches(**table, sink);
        return read || !control_.stopped() ? read : stopped();
    }

    Result<std::shared_ptr<Database>> open_another() const override {
        auto another = create(own_.source.snapshot, own_.source.timelines, files_, views_, own_.added);
        if (another) (*another)->set_allocs_device(wanted_device_.load());
        return another;
    }

    Result<std::shared_ptr<Database>> joined_with(const Database& b, const std::string& file_b,
                                                  std::size_t allocs_device_b) const override {
        auto joint =
            std::make_shared<SqliteDatabase>(own_.source.snapshot, own_.source.timelines, files_, views_, own_.added);
        // The cast is safe: create() is the only way to get a Database, and it makes an SqliteDatabase.
        joint->joined_.emplace(own_, static_cast<const SqliteDatabase&>(b).own_, file_b);
        joint->joined_->b.show_allocs_device(allocs_device_b);
        joint->set_allocs_device(wanted_device_.load());
        if (Status status = joint->open(); !status) return status.error();
        return std::shared_ptr<Database>(std::move(joint));
    }

    void set_allocs_device(std::size_t device_index) override { wanted_device_.store(device_index); }
    std::span<const sqlite::TableDoc> schema() const override { return schema_; }

private:
    /// The table sets of two joined files, which queries see as the schemas `a` and `b`.
    struct JoinedFiles {
        JoinedFiles(const TableSet& own, const TableSet& other, std::string name_of_b)
            : a(own.source.snapshot, own.source.timelines, own.added),
              b(other.source.snapshot, other.source.timelines, other.added),
              file_b(std::move(name_of_b)) {}
        TableSet a, b;
        std::string file_b;
        std::vector<sqlite::TableDoc> docs;  ///< Descriptions of B's tables; those of A's tables have no schema prefix
    };

    int create_joined(sqlite3* connection) {
        int status = SQLITE_OK;
        for (const std::string_view name : {k_schema_a, k_schema_b}) {
            const std::string schema(name);
            TableSet& set = name == k_schema_a ? joined_->a : joined_->b;
            joined_->docs = set.make(control_);
            const std::string attach = fmt::format("ATTACH DATABASE ':memory:' AS {}", schema);
            if (status == SQLITE_OK) status = sqlite3_exec(connection, attach.c_str(), nullptr, nullptr, nullptr);
            if (status == SQLITE_OK) status = create_virtual_tables(connection, set.tables, set.table_functions, schema);
        }
        for (sqlite::TableDoc& doc : joined_->docs) {
            doc.name = fmt::format("{}.{}", k_schema_b, doc.name);
            doc.schema = std::string(k_schema_b);
            doc.file = joined_->file_b;
        }
        return status;
    }

    void log_empty_tables() {
        const VirtualTables& tables = own_.tables;
        for (std::size_t i = 0; i < tables.size(); ++i) schema_[i].is_empty = tables[i]->table().row_count() == 0;
        for (std::size_t i = tables.size(); i < schema_.size(); ++i) schema_[i].is_empty = true;
    }

    void show_allocs_device() {
        const std::size_t wanted = wanted_device_.load();
        own_.show_allocs_device(wanted);
        if (joined_) joined_->a.show_allocs_device(wanted);
    }

    /// Calls `work` with the statement and the values of its parameters, under the limits of time and memory. Without
    /// values, every parameter is NULL unless UnusedValues::refused.
    template <typename Work>
    Status with_statement(std::string_view sql, const QueryLimits& limits, UnusedValues unused, Work work) {
        const std::lock_guard lock(mutex_);
        control_.start(limits);
        const ContextScope scope(control_.context());
        const sqlite::QueryMemory memory(may_continue, &control_);
        const Result<sqlite::SqliteStatement> statement = prepare(sql);
        if (!statement) return statement.error();
        if (!limits.parameters.empty() || unused == UnusedValues::refused) {
            if (Status bound = bind_parameters(statement->get(), limits.parameters, unused); !bound) return bound;
        }
        return work(statement->get());
    }

    Status step(sqlite3_stmt* statement, RowSink& sink) {
        std::vector<std::string> columns;
        for (int i = 0; i < sqlite3_column_count(statement); ++i) columns.emplace_back(sqlite3_column_name(statement, i));
        if (!sink.begin(columns)) return {};
        std::vector<Cell> cells(columns.size());
        int status = SQLITE_ROW;
        while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
            for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = read_cell(statement, static_cast<int>(i));
            if (!sink.row(cells)) return {};
        }
        return status == SQLITE_DONE ? Status() : failure(status, 0);
    }

    /// Prepares the only statement in `sql`. Fails if `sql` has no statement, more than one, or one that is not a SELECT.
    Result<sqlite::SqliteStatement> prepare(std::string_view sql) {
        show_allocs_device();
        if (const std::size_t zero = sql.find('\0'); zero != std::string_view::npos) {
            return Error{ErrorCode::bad_query, "the query contains a zero byte", zero};
        }
        sqlite::SqliteStatement found;
        const char* at = sql.data();
        const char* const end = sql.data() + sql.size();
        while (at != end) {
            sqlite3_stmt* raw = nullptr;
            const char* tail = end;
            const auto start = static_cast<std::size_t>(at - sql.data());
            const int status = sqlite3_prepare_v3(connection_.get(), at, static_cast<int>(end - at), 0, &raw, &tail);
            sqlite::SqliteStatement statement(raw);
            if (found && (statement || status != SQLITE_OK)) {
                const auto next = sql.find_first_not_of(" \t\r\n\f;", start);
                return Error{ErrorCode::bad_query, "a query is one statement, but there is more text after the first one",
                             next};
            }
            if (status != SQLITE_OK) return failure(status, start);
            if (statement && (sqlite3_stmt_readonly(raw) == 0 || sqlite3_column_count(raw) == 0)) {
                return Error{ErrorCode::bad_query, std::string(k_read_only), start};
            }
            if (statement) found = std::move(statement);
            at = tail;
        }
        if (!found) return Error{ErrorCode::bad_query, "the query is empty"};
        return found;
    }

    Error failure(int status, std::size_t statement_start) {
        if (status == SQLITE_INTERRUPT || status == SQLITE_NOMEM) {
            if (control_.stopped()) return stopped();
            if (control_.is_out_of_time()) {
                return {ErrorCode::bad_query, fmt::format("the query was stopped because it took longer than {:g} s",
                                                          control_.limits().max_seconds)};
            }
        }
        if (status == SQLITE_NOMEM && !control_.is_out_of_memory()) return memory_error(std::bad_alloc());
        if (control_.is_out_of_memory()) {
            return {ErrorCode::bad_query, fmt::format("the query needs more than {} MiB of memory, the limit for a query",
                                                      control_.limits().max_memory_bytes >> 20)};
        }
        const std::string message = sqlite3_errmsg(connection_.get());
        const int error_offset = sqlite3_error_offset(connection_.get());
        const auto offset = error_offset < 0
                                ? std::nullopt
                                : std::optional<std::uint64_t>(statement_start + static_cast<std::size_t>(error_offset));
        constexpr std::string_view k_no_function = "not authorized to use function: ";  // prefix of SQLite's error message
        if (message.starts_with(k_no_function)) {
            const std::string name = message.substr(k_no_function.size());
            return {ErrorCode::bad_query, fmt::format("the function {} cannot be called in a query", name), offset};
        }
        if (status == SQLITE_AUTH || message.ends_with("may not be modified"))
            return {ErrorCode::bad_query, fmt::format("{} ({})", k_read_only, message), offset};
        return {ErrorCode::bad_query, message, offset};
    }

    TableSet own_;
    std::vector<sqlite::AttachedFile> files_;
    std::vector<sqlite::SqlView> views_;
    QueryControl control_;
    std::optional<JoinedFiles> joined_;
    std::vector<sqlite::TableDoc> schema_;
    std::atomic<std::size_t> wanted_device_{0};
    std::mutex mutex_;
    sqlite::SqliteConnection connection_;  ///< Last member, so that the connection closes before the tables are destroyed
};

}  // namespace

Result<std::shared_ptr<Database>> Database::create(std::shared_ptr<const Snapshot> snapshot,
                                                   std::vector<std::shared_ptr<const Timeline>> timelines,
                                                   std::vector<sqlite::AttachedFile> files,
                                                   std::vector<sqlite::SqlView> views, AddedTables added) {
    auto database = std::make_shared<SqliteDatabase>(std::move(snapshot), std::move(timelines), std::move(files),
                                                     std::move(views), std::move(added));
    if (Status status = database->open(); !status) return must_stop() ? stop_error() : status.error();
    return std::shared_ptr<Database>(std::move(database));
}

}  // namespace snapviewer::query
