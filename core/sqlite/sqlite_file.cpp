#include "core/sqlite/sqlite_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

#include "core/sqlite/scratch_vfs.h"
#include "core/sqlite/sqlite_copy.h"
#include "core/sqlite/sqlite_handles.h"

namespace snapviewer {
namespace {

constexpr int k_operations_between_checks = 10'000;
constexpr int k_busy_timeout_ms = 3000;

constexpr SqliteLimits k_limits{.value_bytes = 256 << 20, .columns = 2000};

/// "file:///..." that promises SQLite that nobody changes the file, so that it neither locks it nor looks for journals.
std::string immutable_uri(const std::string& path) {
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(path, error);
    const std::string whole = error ? path : absolute.generic_string();
    std::string uri = whole.starts_with('/') ? "file://" : "file:///";
    for (const char c : whole) {
        const bool is_plain =
            std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("/._-~").find(c) != std::string_view::npos;
        if (is_plain) {
            uri += c;
        } else {
            uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return uri + "?mode=ro&immutable=1";
}

/// SQLite refuses a file that is shorter than its header says unless the schema may be edited. Nothing can be written all
/// the same: the file is open for reading alone.
void accept_missing_end(sqlite3* connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
}

/// The file comes from a stranger: its schema may hold anything.
int make_safe(sqlite3* connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
    set_limits(connection, k_limits);
    sqlite3_busy_timeout(connection, k_busy_timeout_ms);
    return sqlite3_exec(connection, "PRAGMA query_only = 1; PRAGMA cell_size_check = 1; PRAGMA temp_store = MEMORY", nullptr,
                        nullptr, nullptr);
}

bool is_same_name(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
    return std::ranges::equal(a, b, {}, lower, lower);
}

Error sqlite_failure(sqlite3* connection, int status) {
    if (status == SQLITE_INTERRUPT) return stopped();
    if (status == SQLITE_NOMEM) return {ErrorCode::bad_file, "needs more memory than there is"};
    return {status == SQLITE_CANTOPEN || (status & 0xFF) == SQLITE_IOERR ? ErrorCode::io : ErrorCode::bad_file,
            fmt::format("cannot be read as an SQLite database: {}", sqlite3_errmsg(connection))};
}

}  // namespace

struct SqliteRows::Impl {
    SqliteStatement statement;
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
    const int status = sqlite3_step(impl_->statement.get());
    if (status == SQLITE_ROW) return true;
    impl_->at_end = true;
    if (status != SQLITE_DONE) impl_->status = sqlite_failure(sqlite3_db_handle(impl_->statement.get()), status);
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

std::int64_t SqliteRows::integer(int column) const { return sqlite3_column_int64(impl_->statement.get(), column); }

double SqliteRows::real(int column) const { return sqlite3_column_double(impl_->statement.get(), column); }

std::string_view SqliteRows::text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(impl_->statement.get(), column));
    if (text == nullptr) return {};
    return {text, static_cast<std::size_t>(sqlite3_column_bytes(impl_->statement.get(), column))};
}

struct SqliteFile::Impl {
    std::string path;
    std::string uri;
    std::optional<ScratchFile> scratch;  ///< read in place of the file at `path`, if there is one
    SqliteConnection connection;
    std::vector<std::string> tables;
    std::map<std::string, std::vector<std::string>, std::less<>> columns;
    std::string journal_left_out;
    bool is_copy = false;
    bool is_cut_short = false;

    Status find_source(Progress* progress);
    Status connect();
    int list_tables();
};

/// Decides what to open: the file itself, or a copy where it is not complete without its journal.
Status SqliteFile::Impl::find_source(Progress* progress) {
    Result<CurrentDatabase> current = absorb_journals(path, progress);
    if (!current) return current.error();
    journal_left_out = current->left_out;
    is_copy = current->copy.has_value();
    scratch = std::move(current->copy);
    uri = scratch ? scratch_uri(*scratch) : immutable_uri(path);
    return {};
}

Status SqliteFile::Impl::connect() {
    sqlite3* raw = nullptr;
    constexpr int k_flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    int status = sqlite3_open_v2(uri.c_str(), &raw, k_flags, nullptr);
    connection.reset(raw);
    if (status == SQLITE_OK) status = make_safe(raw);
    if (status != SQLITE_OK) return sqlite_failure(raw, status);
    return {};
}

int SqliteFile::Impl::list_tables() {
    tables.clear();
    sqlite3_stmt* raw = nullptr;
    const char* sql =
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' "
        "ESCAPE '\\' ORDER BY rowid";
    int status = sqlite3_prepare_v2(connection.get(), sql, -1, &raw, nullptr);
    const SqliteStatement statement(raw);
    if (status != SQLITE_OK) return status;
    while ((status = sqlite3_step(raw)) == SQLITE_ROW) {
        const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(raw, 0));
        if (name != nullptr) tables.emplace_back(name);
    }
    return status == SQLITE_DONE ? SQLITE_OK : status;
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
    impl->uri = scratch_uri(*impl->scratch);
    return connect(std::move(impl), progress);
}

Result<std::shared_ptr<SqliteFile>> SqliteFile::open_again(Progress* progress) const {
    auto impl = std::make_unique<Impl>();
    impl->path = impl_->path;
    impl->uri = impl_->uri;
    return connect(std::move(impl), progress);
}

Result<std::shared_ptr<SqliteFile>> SqliteFile::connect(std::unique_ptr<Impl> impl, Progress* progress) {
    if (Status connected = impl->connect(); !connected) return connected.error();
    int listed = impl->list_tables();
    if (listed == SQLITE_CORRUPT) {
        impl->is_cut_short = true;
        accept_missing_end(impl->connection.get());
        listed = impl->list_tables();
    }
    if (listed != SQLITE_OK) return sqlite_failure(impl->connection.get(), listed);
    std::shared_ptr<SqliteFile> file(new SqliteFile(std::move(impl)));
    file->watch(progress);
    for (const std::string& table : file->tables()) {
        std::vector<std::string>& columns = file->impl_->columns[table];
        auto rows = file->query("SELECT name FROM pragma_table_info(?1)");
        if (!rows) continue;
        rows->bind(1, table);
        while (rows->next()) columns.emplace_back(rows->text(0));
    }
    return file;
}

void SqliteFile::watch(Progress* progress) {
    const auto must_stop = [](void* watched) { return static_cast<Progress*>(watched)->stop_requested() ? 1 : 0; };
    sqlite3_progress_handler(impl_->connection.get(), k_operations_between_checks,
                             progress == nullptr ? nullptr : +must_stop, progress);
}

const std::string& SqliteFile::path() const { return impl_->path; }
const std::string& SqliteFile::uri() const { return impl_->uri; }
bool SqliteFile::is_copy() const { return impl_->is_copy; }
const std::string& SqliteFile::journal_left_out() const { return impl_->journal_left_out; }
bool SqliteFile::is_cut_short() const { return impl_->is_cut_short; }
const std::vector<std::string>& SqliteFile::tables() const { return impl_->tables; }

std::optional<std::string> SqliteFile::find_table(std::string_view name) const {
    const auto found = std::ranges::find_if(impl_->tables, [name](const auto& table) { return is_same_name(table, name); });
    return found == impl_->tables.end() ? std::nullopt : std::optional(*found);
}

const std::vector<std::string>& SqliteFile::columns(std::string_view table) const {
    static const std::vector<std::string> k_none;
    const auto name = find_table(table);
    return name ? impl_->columns.find(*name)->second : k_none;
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
    const int status = sqlite3_prepare_v2(impl_->connection.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
    auto rows = std::make_unique<SqliteRows::Impl>();
    rows->statement.reset(raw);
    if (status != SQLITE_OK) return sqlite_failure(impl_->connection.get(), status);
    return SqliteRows(std::move(rows));
}

std::string sql_name(std::string_view name) {
    std::string quoted = "\"";
    for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

}  // namespace snapviewer
