#include "core/export/database_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <variant>

namespace snapviewer {
namespace {

void bind_value(sqlite3_stmt* statement, int place, const Cell& cell) {
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) sqlite3_bind_int64(statement, place, *integer);
    if (const auto* real = std::get_if<double>(&cell)) sqlite3_bind_double(statement, place, *real);
    if (std::holds_alternative<std::monostate>(cell)) sqlite3_bind_null(statement, place);
    if (const auto* text = std::get_if<std::string>(&cell)) {
        sqlite3_bind_text64(statement, place, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
    }
}

/// SQLite speaks of an I/O error where the system says more.
const char* reason_of(sqlite3* connection, int system_code) {
    const int code = sqlite3_errcode(connection);
    if (code == SQLITE_FULL) return std::strerror(ENOSPC);
    const bool is_telling = system_code == EDQUOT || system_code == EFBIG || system_code == ENOSPC || system_code == EROFS;
    return code == SQLITE_IOERR && is_telling ? std::strerror(system_code) : sqlite3_errmsg(connection);
}

}  // namespace

bool DatabaseFile::begin(const std::string& path) {
    sqlite3* connection = nullptr;
    constexpr int k_flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const int status = sqlite3_open_v2(path.c_str(), &connection, k_flags, nullptr);
    connection_.reset(connection);
    // A file that is thrown away when anything goes wrong needs no journal, and whoever puts it in place has it synced.
    return status == SQLITE_OK &&
           execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE") &&
           execute("BEGIN");
}

bool DatabaseFile::execute(const std::string& sql) {
    return sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

Status DatabaseFile::failure() const {
    return Error{ErrorCode::io, fmt::format("cannot be written: {}", reason_of(connection_.get(), errno))};
}

bool TableFiller::begin(std::span<const std::string> columns) {
    std::string places = "?";
    for (std::size_t i = 1; i < columns.size(); ++i) places += ", ?";
    const std::string sql = fmt::format("INSERT INTO {} VALUES ({})", table_, places);
    sqlite3_stmt* statement = nullptr;
    status_ = sqlite3_prepare_v2(connection_, sql.c_str(), -1, &statement, nullptr);
    statement_.reset(statement);
    return status_ == SQLITE_OK;
}

bool TableFiller::row(std::span<const Cell> cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) bind_value(statement_.get(), static_cast<int>(i) + 1, cells[i]);
    sqlite3_step(statement_.get());
    status_ = sqlite3_reset(statement_.get());
    return status_ == SQLITE_OK && !progress_.stop_requested();
}

}  // namespace snapviewer
