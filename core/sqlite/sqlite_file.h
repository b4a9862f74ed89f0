#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/fields.h"
#include "core/base/input_files.h"
#include "core/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace snapviewer::sqlite {

/// Deleter that closes a connection once its statements are finalised.
struct CloseConnection {
    void operator()(sqlite3* connection) const;
};
using SqliteConnection = std::unique_ptr<sqlite3, CloseConnection>;

/// Deleter that finalises a statement.
struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const;
};
using SqliteStatement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

/// The type of a value. SQLite columns have no fixed type.
enum class ValueType : std::uint8_t { null, integer, real, text, blob };

/// A query over a SqliteFile, row by row:
///     while (rows.next()) use(rows.integer(0));
///     if (!rows.status()) return rows.status().error();
/// Must not outlive its file.
class SqliteRows {
public:
    /// Binds parameters ?1, ?2, ... before the first next() or after reset(). reset() keeps the earlier values of parameters
    /// that are not bound again.
    void bind(int parameter, std::int64_t value);
    void bind(int parameter, std::string_view value);
    void reset();

    /// Advances to the next row. Returns false at the end, after an error, or if the work must stop; then see status().
    bool next();
    const Status& status() const { return status_; }

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
    explicit SqliteRows(SqliteStatement statement) : statement_(std::move(statement)) {}

    SqliteStatement statement_;
    Status status_;
    bool at_end_ = false;
};

/// An untrusted SQLite database, opened so that neither the file nor its folder is ever written to. Includes the contents of
/// a hot -wal (profiler-databases: "Opening and size"). One thread at a time; use open_again() for other threads.
class SqliteFile {
public:
    /// Opens a database. Takes milliseconds, unless the file must be copied. The error contains the reason from SQLite.
    /// Running statements end if the thread that runs them must stop.
    static Result<std::shared_ptr<SqliteFile>> open(const std::string& path);
    ~SqliteFile() = default;
    SqliteFile(const SqliteFile&) = delete;
    SqliteFile& operator=(const SqliteFile&) = delete;

    /// Opens a database that was unpacked into a temporary file. `name` is its original path, for messages.
    static Result<std::shared_ptr<SqliteFile>> open_unpacked(ScratchFile file, const std::string& name);

    /// Opens another connection to the same file or copy, for use by another thread. This object must outlive it.
    Result<std::shared_ptr<SqliteFile>> open_again() const;

    const std::string& path() const { return path_; }
    /// A URI of the file, or of its temporary copy, to attach it to another connection. Read-only; opening it touches no
    /// other files. Valid as long as this object.
    const std::string& uri() const { return uri_; }
    /// True if a copy was made because the file has a hot journal. The import log mentions it.
    bool is_copy() const { return is_copy_; }
    /// "-wal" or "-journal" if such a journal is beside the file but was not read, because it is not a regular file; else
    /// empty.
    const std::string& journal_left_out() const { return journal_left_out_; }
    /// True if the file is shorter than its header says. Tables in the remaining part can be read, others return errors.
    /// Another connection can only attach the file with PRAGMA writable_schema and without defensive mode.
    bool is_cut_short() const { return is_cut_short_; }

    /// Number of views that are not in tables(), because they expand to too many SELECTs. The import log mentions them.
    std::size_t views_left_out() const { return views_left_out_; }

    /// Names of the tables and views, spelled as in the file.
    const std::vector<std::string>& tables() const { return tables_; }
    /// Finds a table, ignoring ASCII case. Returns its spelling in the file; nullopt if it does not exist.
    std::optional<std::string> find_table(std::string_view name) const;
    /// The columns of a table, spelled as in the file; empty if there is no such table or its columns cannot be determined
    /// (a broken view). The type is as declared, "" for none; there is no text.
    const std::vector<ColumnDoc>& columns(std::string_view table) const;
    /// The first of several names that the table has as a column, ignoring ASCII case; nullopt if it has none.
    std::optional<std::string> find_column(std::string_view table, std::initializer_list<std::string_view> spellings) const;

    /// Prepares one SELECT statement. Runs nothing before the first next().
    Result<SqliteRows> query(std::string_view sql);

private:
    /// A table or view as the schema of the file lists it.
    struct Listed {
        std::string name;
        bool is_view = false;
    };
    struct Known {
        std::string name;
        std::vector<ColumnDoc> columns;
    };

    explicit SqliteFile(std::string path) : path_(std::move(path)) {}
    static Result<std::shared_ptr<SqliteFile>> connected(std::shared_ptr<SqliteFile> file);
    Status find_source();
    Status use_scratch();
    Status connect();
    Result<std::vector<Listed>> read_schema();
    int list_tables(std::vector<Listed>& listed);
    Status list_columns(const std::vector<Listed>& listed);
    std::vector<ColumnDoc> read_columns(const std::string& table);

    std::string path_;
    std::string uri_;
    std::optional<PlainFile> file_;
    std::optional<ScratchFile> scratch_;  ///< Copy that is read instead of the file at `path_`, if any
    std::int64_t file_bytes_ = 0;         ///< Size of the file or copy that is read
    SqliteConnection connection_;
    std::size_t views_left_out_ = 0;
    std::vector<std::string> tables_;
    std::map<std::string, Known> known_;  ///< The tables by their names in lower case
    std::string journal_left_out_;
    bool is_copy_ = false;
    bool is_cut_short_ = false;
};

/// Quotes a name for SQL: "PTA+GE", with the quotes.
std::string sql_name(std::string_view name);

/// Description of a table and its columns.
struct TableDoc {
    std::string name, text;  ///< the name as written in SQL, with quotes if necessary
    std::vector<ColumnDoc> columns;
    bool is_file_table = false;  ///< true for a table of an attached file, or a view of such tables
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

}  // namespace snapviewer::sqlite
