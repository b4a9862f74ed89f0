#include "core/sqlite/sqlite_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>
#include <set>

#include "core/base/context.h"
#include "core/base/plain_file.h"
#include "core/base/text.h"
#include "core/sqlite/bounded_functions.h"
#include "core/sqlite/builtin_functions.h"
#include "core/sqlite/pathless_vfs.h"
#include "core/sqlite/query_memory.h"
#include "core/sqlite/sqlite_copy.h"
#include "core/sqlite/sqlite_handles.h"
#include "core/sqlite/sqlite_watch.h"
#include "core/sqlite/view_cost.h"

namespace snapviewer {
namespace {

constexpr int k_busy_timeout_ms = 3000;

constexpr int k_most_columns = 2000;
/// The longest value of a file: none is longer than the file itself, unless it is made up by a view.
constexpr std::int64_t k_least_value_bytes = 4 << 20;
constexpr std::int64_t k_most_value_bytes = 256 << 20;

/// SELECTs that views may be written out to: of one, and of all together whose columns are asked for.
constexpr std::uint64_t k_view_cost = 200;
constexpr std::uint64_t k_all_views_cost = 20'000;
constexpr std::uint64_t k_steps_a_view_byte = 32;

/// Of SQLite's machine, most of which take some 50 ns; but one can be to compare two values of the longest kind.
constexpr std::int64_t k_operations_between_looks = 500;
constexpr std::int64_t k_fewest_between_looks = 16;

/// How often the schema is taken in: by whoever opens the file, by its queries, and again for details.
constexpr std::uint64_t k_schema_readings = 4;

/// SQLite refuses a file that is shorter than its header says unless the schema may be edited. Nothing can be written all
/// the same: the file is open for reading alone.
void accept_missing_end(sqlite3* connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
}

std::int64_t longest_value_bytes(std::int64_t file_bytes) {
    return std::clamp(file_bytes, k_least_value_bytes, k_most_value_bytes);
}

/// The file comes from a stranger: its schema may hold anything.
int make_safe(sqlite3* connection, std::int64_t file_bytes, SqliteControl& control) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
    set_limits(connection, {.value_bytes = static_cast<int>(longest_value_bytes(file_bytes)), .columns = k_most_columns});
    sqlite3_busy_timeout(connection, k_busy_timeout_ms);
    if (const int status = create_bounded_functions(connection, control); status != SQLITE_OK) return status;
    refuse_unbounded_functions(connection);
    drop_foreign_modules(connection);
    return sqlite3_exec(connection, "PRAGMA query_only = 1; PRAGMA cell_size_check = 1; PRAGMA temp_store = FILE", nullptr,
                        nullptr, nullptr);
}

bool is_same_name(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) { return lower_case(x) == lower_case(y); });
}

Error sqlite_failure(sqlite3* connection, int status) {
    if (status == SQLITE_INTERRUPT) return stopped();
    if (status == SQLITE_NOMEM) throw std::bad_alloc();  // so that no reader takes it for a table that cannot be read
    return {status == SQLITE_CANTOPEN || (status & 0xFF) == SQLITE_IOERR ? ErrorCode::io : ErrorCode::bad_file,
            fmt::format("cannot be read as an SQLite database: {}", sqlite3_errmsg(connection))};
}

/// While this lives, SQLite asks the watch of a load whenever it takes memory.
class WatchedMemory {
public:
    explicit WatchedMemory(SqliteWatch& watch) {
        if (watch.is_on())
            memory_.emplace([](void* asked, std::int64_t) { return !static_cast<SqliteWatch*>(asked)->must_end(); }, &watch);
    }

private:
    std::optional<QueryMemory> memory_;
};

}  // namespace

struct SqliteRows::Impl {
    SqliteStatement statement;
    SqliteWatch* watch;
    Status status = {};
    bool at_end = false;
};

SqliteRows::SqliteRows(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SqliteRows::~SqliteRows() = default;
SqliteRows::SqliteRows(SqliteRows&&) noexcept = default;
SqliteRows& SqliteRows::operator=(SqliteRows&&) noexcept = default;

void SqliteRows::bind(int parameter, std::int64_t value) { sqlite3_bind_int64(impl_->statement.get(), parameter, value); }

void SqliteRows::bind(int parameter, std::string_view value) {
    sqlite3_bind_text64(impl_->statement.get(), parameter, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void SqliteRows::reset() {
    sqlite3_reset(impl_->statement.get());
    impl_->at_end = false;
    impl_->status = {};
}

bool SqliteRows::next() {
    if (impl_->at_end) return false;
    SqliteWatch& watch = *impl_->watch;
    const int status = [&] {
        const WatchedMemory memory(watch);
        return sqlite3_step(impl_->statement.get());
    }();
    if (status == SQLITE_ROW && !watch.must_end()) return true;
    impl_->at_end = true;
    impl_->status = watch.status();
    if (impl_->status && status != SQLITE_DONE)
        impl_->status = sqlite_failure(sqlite3_db_handle(impl_->statement.get()), status);
    return false;
}

const Status& SqliteRows::status() const { return impl_->status; }

ValueType SqliteRows::type(int column) const {
    switch (sqlite3_column_type(impl_->statement.get(), column)) {
        case SQLITE_INTEGER: return ValueType::integer;
        case SQLITE_FLOAT: return ValueType::real;
        case SQLITE_TEXT: return ValueType::text;
        case SQLITE_BLOB: return ValueType::blob;
        default: return ValueType::null;
    }
}

std::optional<std::int64_t> SqliteRows::stored_integer(int column) const {
    // No other thread uses the connection, so the value needs no copy to be protected by.
    sqlite3_value* value = sqlite3_column_value(impl_->statement.get(), column);
    return sqlite3_value_type(value) == SQLITE_INTEGER ? std::optional(sqlite3_value_int64(value)) : std::nullopt;
}

std::int64_t SqliteRows::integer(int column) const { return sqlite3_column_int64(impl_->statement.get(), column); }

double SqliteRows::real(int column) const { return sqlite3_column_double(impl_->statement.get(), column); }

std::string_view SqliteRows::text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(impl_->statement.get(), column));
    const auto size = static_cast<std::size_t>(text == nullptr ? 0 : sqlite3_column_bytes(impl_->statement.get(), column));
    return size == 0 ? std::string_view() : std::string_view(text, size);
}

struct SqliteFile::Impl {
    struct TableColumns {
        std::vector<std::string> names, types;
    };

    std::string path;
    std::string uri;
    std::optional<PlainFile> file;
    std::optional<ScratchFile> scratch;  ///< read in place of the file at `path`, if there is one
    std::int64_t file_bytes = 0;         ///< of what is read
    SqliteConnection connection;
    SqliteWatch watch;
    std::size_t views_left_out = 0;
    std::vector<std::string> tables;  ///< and views
    std::vector<ViewText> views;
    std::map<std::string, std::size_t> numbers;  ///< of tables, by their names in small letters
    std::vector<TableColumns> columns;           ///< of tables, in their order
    std::string journal_left_out;
    bool is_copy = false;
    bool is_cut_short = false;

    Status find_source(Progress* progress);
    Status use_scratch();
    Status connect();
    void start_watch(Progress* progress, std::uint64_t times);
    Status read_schema(Progress* progress);
    int list_tables();
    Status leave_out_views(Progress* progress);
    const TableColumns* columns_of(std::string_view table) const;
};

/// What SQLite does with a schema is not linear in it (names of parts of WITH, constraints of a table, its own tables of
/// names), and it asks nobody until it is done but for memory: that is where it is stopped.
Status SqliteFile::Impl::read_schema(Progress* progress) {
    start_watch(progress, k_schema_readings);
    int listed = list_tables();
    if (listed == SQLITE_CORRUPT) {
        is_cut_short = true;
        accept_missing_end(connection.get());
        listed = list_tables();
    }
    watch.must_end();  // charges what is left
    if (!watch.status()) return watch.status();
    if (listed != SQLITE_OK) return sqlite_failure(connection.get(), listed);
    return leave_out_views(progress);
}

void SqliteFile::Impl::start_watch(Progress* progress, std::uint64_t times) {
    const std::int64_t value_bytes = longest_value_bytes(file_bytes);
    const std::int64_t operations =
        std::max(k_operations_between_looks * k_least_value_bytes / value_bytes, k_fewest_between_looks);
    watch.start(progress, static_cast<int>(operations), times);
    const auto must_end = [](void* asked) { return static_cast<SqliteWatch*>(asked)->must_end_as_agreed() ? 1 : 0; };
    sqlite3_progress_handler(connection.get(), static_cast<int>(operations), progress == nullptr ? nullptr : +must_end,
                             &watch);
}

auto SqliteFile::Impl::columns_of(std::string_view table) const -> const TableColumns* {
    const auto number = numbers.find(lower_case(table));
    return number == numbers.end() ? nullptr : &columns[number->second];
}

/// Decides what to open: the file itself, or a copy where it is not complete without its journal.
Status SqliteFile::Impl::find_source(Progress* progress) {
    Result<CurrentDatabase> current = absorb_journals(path, progress);
    if (!current) return current.error();
    journal_left_out = current->left_out;
    is_copy = current->copy.has_value();
    scratch = std::move(current->copy);
    if (scratch) return use_scratch();
    Result<PlainFile> opened = PlainFile::open(path, PlainFile::Links::follow);
    if (!opened) return opened.error();
    file_bytes = static_cast<std::int64_t>(opened->info().size_bytes);
    uri = uri_of_open_file(opened->handle());
    file = *std::move(opened);
    return {};
}

Status SqliteFile::Impl::use_scratch() {
    uri = uri_of_open_file(scratch->handle());
    file_bytes = static_cast<std::int64_t>(scratch->size_bytes());
    return {};
}

Status SqliteFile::Impl::connect() {
    sqlite3* raw = nullptr;
    constexpr int k_flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    int status = sqlite3_open_v2(uri.c_str(), &raw, k_flags, nullptr);
    connection.reset(raw);
    if (status == SQLITE_OK) status = make_safe(raw, file_bytes, watch);
    if (status != SQLITE_OK) return sqlite_failure(raw, status);
    return {};
}

int SqliteFile::Impl::list_tables() {
    const WatchedMemory memory(watch);
    tables.clear();
    views.clear();
    sqlite3_stmt* raw = nullptr;
    const char* sql =
        "SELECT name, iif(type = 'view', sql, NULL) FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE "
        "'sqlite\\_%' ESCAPE '\\' ORDER BY rowid";
    int status = sqlite3_prepare_v2(connection.get(), sql, -1, &raw, nullptr);
    const SqliteStatement statement(raw);
    if (status != SQLITE_OK) return status;
    while ((status = sqlite3_step(raw)) == SQLITE_ROW) {
        const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(raw, 0));
        const auto* view = reinterpret_cast<const char*>(sqlite3_column_text(raw, 1));
        if (name != nullptr) tables.emplace_back(name);
        if (name != nullptr && view != nullptr) views.push_back({name, view});
    }
    return status == SQLITE_DONE ? SQLITE_OK : status;
}

/// Those that would cost too much to be asked about, and after many others the rest.
Status SqliteFile::Impl::leave_out_views(Progress* progress) {
    std::uint64_t text_bytes = 0;
    for (const ViewText& view : views) text_bytes += view.sql.size();
    if (progress != nullptr) {
        if (Status within = progress->budget().work(text_bytes * k_steps_a_view_byte); !within) return within;
    }
    const std::vector<std::uint64_t> costs = view_costs(views);
    std::set<std::string> left_out;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < views.size(); ++i) {
        if (costs[i] > k_view_cost || sum + costs[i] > k_all_views_cost) {
            left_out.insert(views[i].name);
        } else {
            sum += costs[i];
        }
    }
    views_left_out = left_out.size();
    std::erase_if(tables, [&](const std::string& table) { return left_out.contains(table); });
    views = {};
    return {};
}

SqliteFile::SqliteFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SqliteFile::~SqliteFile() = default;

Result<std::shared_ptr<SqliteFile>> SqliteFile::open(const std::string& path, Progress* progress) {
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    if (Status found = impl->find_source(progress); !found) return found.error();
    return connect(std::move(impl), progress);
}

Result<std::shared_ptr<SqliteFile>> SqliteFile::open_unpacked(ScratchFile file, const std::string& name,
                                                              Progress* progress) {
    auto impl = std::make_unique<Impl>();
    impl->path = name;
    impl->scratch = std::move(file);
    if (Status used = impl->use_scratch(); !used) return used.error();
    return connect(std::move(impl), progress);
}

Result<std::shared_ptr<SqliteFile>> SqliteFile::open_again(Progress* progress) const {
    auto impl = std::make_unique<Impl>();
    impl->path = impl_->path;
    impl->uri = impl_->uri;
    impl->file_bytes = impl_->file_bytes;
    return connect(std::move(impl), progress);
}

Result<std::shared_ptr<SqliteFile>> SqliteFile::connect(std::unique_ptr<Impl> impl, Progress* progress) {
    if (Status connected = impl->connect(); !connected) return connected.error();
    if (Status read = impl->read_schema(progress); !read) return read.error();
    std::shared_ptr<SqliteFile> file(new SqliteFile(std::move(impl)));
    file->watch(progress);
    if (Status listed = file->list_columns(); !listed) return listed.error();
    return file;
}

/// A view that cannot be asked has none.
Status SqliteFile::list_columns() {
    for (const std::string& table : impl_->tables) {
        if (Status within = impl_->watch.status(); !within) return within;
        impl_->numbers.emplace(lower_case(table), impl_->columns.size());
        Impl::TableColumns& columns = impl_->columns.emplace_back();
        auto rows = query("SELECT name, type FROM pragma_table_info(?1)");
        if (!rows) continue;
        rows->bind(1, table);
        while (rows->next()) {
            columns.names.emplace_back(rows->text(0));
            columns.types.emplace_back(rows->text(1));
        }
    }
    return impl_->watch.status();
}

void SqliteFile::watch(Progress* progress) { impl_->start_watch(progress, 1); }

Progress* SqliteFile::watched_by() const { return impl_->watch.progress(); }

bool SqliteFile::must_stop() const { return impl_->watch.must_stop(); }

const std::string& SqliteFile::path() const { return impl_->path; }
const std::string& SqliteFile::uri() const { return impl_->uri; }
bool SqliteFile::is_copy() const { return impl_->is_copy; }
const std::string& SqliteFile::journal_left_out() const { return impl_->journal_left_out; }
bool SqliteFile::is_cut_short() const { return impl_->is_cut_short; }
std::size_t SqliteFile::views_left_out() const { return impl_->views_left_out; }
const std::vector<std::string>& SqliteFile::tables() const { return impl_->tables; }

std::optional<std::string> SqliteFile::find_table(std::string_view name) const {
    const auto number = impl_->numbers.find(lower_case(name));
    return number == impl_->numbers.end() ? std::nullopt : std::optional(impl_->tables[number->second]);
}

const std::vector<std::string>& SqliteFile::columns(std::string_view table) const {
    static const std::vector<std::string> k_none;
    const auto* columns = impl_->columns_of(table);
    return columns == nullptr ? k_none : columns->names;
}

const std::vector<std::string>& SqliteFile::column_types(std::string_view table) const {
    static const std::vector<std::string> k_none;
    const auto* columns = impl_->columns_of(table);
    return columns == nullptr ? k_none : columns->types;
}

std::optional<std::string> SqliteFile::find_column(std::string_view table,
                                                   std::initializer_list<std::string_view> spellings) const {
    const std::vector<std::string>& known = columns(table);
    for (const std::string_view spelling : spellings) {
        const auto found = std::ranges::find_if(known, [&](const auto& column) { return is_same_name(column, spelling); });
        if (found != known.end()) return *found;
    }
    return std::nullopt;
}

Result<SqliteRows> SqliteFile::query(std::string_view sql) {
    sqlite3_stmt* raw = nullptr;
    const WatchedMemory memory(impl_->watch);
    const int status = sqlite3_prepare_v2(impl_->connection.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
    auto rows = std::make_unique<SqliteRows::Impl>();
    rows->statement.reset(raw);
    rows->watch = &impl_->watch;
    if (status != SQLITE_OK && !impl_->watch.status()) return impl_->watch.status().error();
    if (status != SQLITE_OK) return sqlite_failure(impl_->connection.get(), status);
    return SqliteRows(std::move(rows));
}

std::string sql_name(std::string_view name) {
    std::string quoted = "\"";
    for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

}  // namespace snapviewer
