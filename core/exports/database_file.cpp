#include "core/exports/database_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>
#include <variant>

#include "core/base/job.h"
#include "core/exports/export.h"
#include "core/system/files.h"

namespace snapviewer::exports {
namespace {

/// Number of rows that one INSERT writes. With 32 rows, a row takes two thirds of the time of an INSERT for itself alone.
constexpr std::size_t k_max_rows_of_statement = 32;
constexpr std::size_t k_rows_of_block = 4096;
constexpr std::size_t k_min_cell_bytes = 2;  // minimum bytes of a cell in the file
constexpr std::size_t k_text_bytes_of_block = std::size_t{4} << 20;

void bind_value(sqlite3_stmt* statement, int place, const Cell& cell) {
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) sqlite3_bind_int64(statement, place, *integer);
    if (const auto* real = std::get_if<double>(&cell)) sqlite3_bind_double(statement, place, *real);
    if (std::holds_alternative<std::monostate>(cell)) sqlite3_bind_null(statement, place);
    if (const auto* text = std::get_if<std::string>(&cell)) {
        sqlite3_bind_text64(statement, place, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
    }
}

/// Prepares an INSERT of `rows` rows of `columns` columns.
sqlite::SqliteStatement prepare_insert(const DatabaseFile& file, const std::string& table, std::size_t columns,
                                       std::size_t rows) {
    std::string row = "(?";
    for (std::size_t i = 1; i < columns; ++i) row += ", ?";
    row += ')';
    std::string sql = fmt::format("INSERT INTO {} VALUES {}", table, row);
    for (std::size_t i = 1; i < rows; ++i) sql += ", " + row;
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(file.connection(), sql.c_str(), -1, &statement, nullptr);
    if (statement == nullptr) file.fail();
    return sqlite::SqliteStatement(statement);
}

/// Inserts as many rows as the statement was prepared for.
void insert(const DatabaseFile& file, sqlite3_stmt* statement, std::span<const Cell> cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) bind_value(statement, static_cast<int>(i) + 1, cells[i]);
    sqlite3_step(statement);
    if (sqlite3_reset(statement) != SQLITE_OK) file.fail();
}

/// Returns the reason of the last error. For a full disk, SQLite reports only an I/O error, so this function also reads the
/// system's error code. SQLite keeps that code for a row, which another thread may have inserted, but not for a commit; then
/// errno has it.
std::string reason_of(sqlite3* connection) {
    const int code = sqlite3_errcode(connection);
    const int kept_code = sqlite3_system_errno(connection);
    const std::error_code system_code(kept_code != 0 ? kept_code : errno, std::system_category());
    if (code == SQLITE_FULL) return std::make_error_code(std::errc::no_space_on_device).message();
    return code == SQLITE_IOERR && is_disk_full(system_code) ? system_code.message() : sqlite3_errmsg(connection);
}

}  // namespace

void DatabaseFile::begin(const std::string& path) {
    sqlite3* connection = nullptr;
    constexpr int k_flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    // A temporary file has no other users and needs no locks, which the sandbox refuses. Windows has no such VFS.
    const char* no_locks = sqlite3_vfs_find("unix-none") != nullptr ? "unix-none" : nullptr;
    const int status = sqlite3_open_v2(path.c_str(), &connection, k_flags, no_locks);
    connection_.reset(connection);
    if (status != SQLITE_OK) fail();
    // The file is deleted if anything fails, so it needs no journal. The caller syncs it.
    execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE");
    execute("BEGIN");
}

void DatabaseFile::execute(const std::string& sql) {
    if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void DatabaseFile::fail() const {
    check_stop();  // after a stop request SQLite gets no memory, which it would report as SQLITE_NOMEM
    if (sqlite3_errcode(connection_.get()) == SQLITE_NOMEM) throw std::bad_alloc();
    throw Failure{write_error(reason_of(connection_.get()))};
}

TableFiller::TableFiller(const DatabaseFile& file, const std::string& table, std::size_t columns)
    : file_(file), statement_(prepare_insert(file, table, columns, 1)) {}

void TableFiller::row(std::span<const Cell> cells) {
    check_stop();
    insert(file_, statement_.get(), cells);
}

TableFiller create_table(DatabaseFile& file, const sqlite::TableDoc& table) {
    std::string columns;
    for (const ColumnDoc& column : table.columns)
        columns += fmt::format("{}{} {}", columns.empty() ? "" : ", ", column.name, column.type);
    file.execute(fmt::format("CREATE TABLE {} ({})", table.name, columns));
    return TableFiller(file, table.name, table.columns.size());
}

bool TableCopier::begin(std::span<const std::string> columns) {
    column_count_ = columns.size();
    const int max_values = sqlite3_limit(file_.connection(), SQLITE_LIMIT_VARIABLE_NUMBER, -1);
    rows_of_statement_ =
        std::clamp<std::size_t>(static_cast<std::size_t>(max_values) / column_count_, 1, k_max_rows_of_statement);
    one_row_ = prepare_insert(file_, table_, column_count_, 1);
    many_rows_ = prepare_insert(file_, table_, column_count_, rows_of_statement_);
    return true;
}

bool TableCopier::row(std::span<const Cell> cells) {
    check_stop();
    const std::size_t first = filling_.count * column_count_;
    if (filling_.cells.size() < first + column_count_) filling_.cells.resize(first + column_count_);
    for (std::size_t i = 0; i < column_count_; ++i) {
        const auto* text = std::get_if<std::string>(&cells[i]);
        const std::size_t written_bytes = k_min_cell_bytes + (text != nullptr ? text->size() : 0);
        if (budget_ != nullptr) throw_if_error(budget_->write(written_bytes, k_too_long_export));
        filling_.cells[first + i] = cells[i];
        if (text != nullptr) filling_.text_bytes += text->size();
    }
    const bool is_full = ++filling_.count == k_rows_of_block || filling_.text_bytes >= k_text_bytes_of_block;
    if (is_full) pass_block();
    return true;
}

void TableCopier::finish() {
    pass_block();
    inserting_.get();
}

void TableCopier::pass_block() {
    if (inserting_.valid()) inserting_.get();
    std::swap(filling_, inserted_);
    filling_.count = filling_.text_bytes = 0;
    inserting_ = start_async([this] { insert_block(); });
}

void TableCopier::insert_block() {
    for (std::size_t row = 0; row < inserted_.count;) {
        const bool is_many = inserted_.count - row >= rows_of_statement_;
        const std::size_t rows = is_many ? rows_of_statement_ : 1;
        const auto cells = std::span(inserted_.cells).subspan(row * column_count_, rows * column_count_);
        insert(file_, (is_many ? many_rows_ : one_row_).get(), cells);
        row += rows;
    }
}

}  // namespace snapviewer::exports
