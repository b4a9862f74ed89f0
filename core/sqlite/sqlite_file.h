#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.h"
#include "core/base/input_files.h"
#include "core/base/result.h"

namespace snapviewer {

/// The type of a value. SQLite columns have no fixed type.
enum class ValueType : std::uint8_t { null, integer, real, text, blob };

/// A query over a SqliteFile, row by row:
///     while (rows.next()) use(rows.integer(0));
///     if (!rows.status()) return rows.status().error();
/// Must not outlive its file.
class SqliteRows {
public:
    ~SqliteRows();
    SqliteRows(SqliteRows&&) noexcept;
    SqliteRows& operator=(SqliteRows&&) noexcept;

    /// Binds parameters ?1, ?2, ... before the first next() or after reset(). reset() keeps the earlier values of parameters
    /// that are not bound again.
    void bind(int parameter, std::int64_t value);
    void bind(int parameter, std::string_view value);
    void reset();

    /// Advances to the next row. Returns false at the end, after an error, or if the work must stop; then see status().
    bool next();
    const Status& status() const;

    ValueType type(int column) const;
    /// The value if it is of type integer, else nullopt. The fastest access to columns that are nearly always integers.
    std::optional<std::int64_t> stored_integer(int column) const;
    /// The value as a 64-bit integer. Converts texts that are numbers; 0 for NULL.
    std::int64_t integer(int column) const;
    double real(int column) const;
    /// The value as text. Valid until the next call of next().
    std::string_view text(int column) const;

private:
    friend class SqliteFile;
    struct Impl;
    explicit SqliteRows(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// An untrusted SQLite database, opened so that neither the file nor its folder is ever written to. Includes the contents of
/// a hot -wal (profiler-databases: "Opening and size"). One thread at a time; use open_again() for other threads.
class SqliteFile {
public:
    /// Opens a database. Takes milliseconds, unless the file must be copied. The error contains the reason from SQLite.
    /// Running statements end if the thread that runs them must stop.
    static Result<std::shared_ptr<SqliteFile>> open(const std::string& path);
    ~SqliteFile();
    SqliteFile(const SqliteFile&) = delete;
    SqliteFile& operator=(const SqliteFile&) = delete;

    /// Opens a database that was unpacked into a temporary file. `name` is its original path, for messages.
    static Result<std::shared_ptr<SqliteFile>> open_unpacked(ScratchFile file, const std::string& name);

    /// Opens another connection to the same file or copy, for use by another thread. This object must outlive it.
    Result<std::shared_ptr<SqliteFile>> open_again() const;

    const std::string& path() const;
    /// A URI of the file, or of its temporary copy, to attach it to another connection. Read-only; opening it touches no
    /// other files. Valid as long as this object.
    const std::string& uri() const;
    /// True if a copy was made because the file has a hot journal. The import log mentions it.
    bool is_copy() const;
    /// "-wal" or "-journal" if such a journal is beside the file but was not read, because it is not a regular file; else
    /// empty.
    const std::string& journal_left_out() const;
    /// True if the file is shorter than its header says. Tables in the remaining part can be read, others return errors.
    /// Another connection can only attach the file with PRAGMA writable_schema and without defensive mode.
    bool is_cut_short() const;

    /// Number of views that are not in tables(), because they expand to too many SELECTs. The import log mentions them.
    std::size_t views_left_out() const;

    /// Names of the tables and views, spelled as in the file.
    const std::vector<std::string>& tables() const;
    /// Finds a table, ignoring ASCII case. Returns its spelling in the file; nullopt if it does not exist.
    std::optional<std::string> find_table(std::string_view name) const;
    /// Names of the columns of a table, spelled as in the file; empty if there is no such table or its columns cannot be
    /// determined (a broken view).
    const std::vector<std::string>& columns(std::string_view table) const;
    /// The declared type of each of columns(); "" for a column without type.
    const std::vector<std::string>& column_types(std::string_view table) const;
    /// The first of several names that the table has as a column, ignoring ASCII case; nullopt if it has none.
    std::optional<std::string> find_column(std::string_view table, std::initializer_list<std::string_view> spellings) const;

    /// Prepares one SELECT statement. Runs nothing before the first next().
    Result<SqliteRows> query(std::string_view sql);

private:
    struct Impl;
    explicit SqliteFile(std::unique_ptr<Impl> impl);
    static Result<std::shared_ptr<SqliteFile>> connect(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Quotes a name for SQL: "PTA+GE", with the quotes.
std::string sql_name(std::string_view name);

}  // namespace snapviewer

struct sqlite3;

namespace snapviewer {

/// Description of a table and its columns.
struct TableDoc {
    std::string name, text;  ///< the name as written in SQL, with quotes if necessary
    std::vector<ColumnDoc> columns;
    bool is_of_file = false;  ///< true for a table of an attached file, or a view of such tables
    /// Schema of a table of an attached file. SCHEMA.NAME is unambiguous: "file.orders".
    std::string schema = {};
    std::string file = {};  ///< name of the attached file
    /// True for a table of snapviewer that has no rows because nothing of an attached file is drawn. Not worth showing.
    bool is_empty = false;
};

/// A database that is attached to a connection, so that its tables can be queried beside those of snapviewer.
struct AttachedFile {
    std::string schema;  ///< schema name in SQL, such as "file"
    std::shared_ptr<SqliteFile> file;
};

/// A view of the tables of an attached file.
struct SqlView {
    TableDoc doc;
    std::string select;  ///< one SELECT statement that refers to the file's tables as file.NAME
};

/// Attaches an open file to a connection, which must have been opened with SQLITE_OPEN_URI. Its tables can be queried as
/// SCHEMA.NAME, and as NAME unless the connection already has a table of that name. The tables are read in place.
Status attach_file(sqlite3* connection, const AttachedFile& attached);

/// Creates views of attached files. Returns an error if SQLite refuses one.
Status create_views(sqlite3* connection, const std::vector<SqlView>& views);

/// Describes the tables and columns of an attached file. A table name gets the schema as a prefix if one of the tables
/// `before` has the same name.
std::vector<TableDoc> describe_file(const AttachedFile& attached, const std::vector<TableDoc>& before);

}  // namespace snapviewer
