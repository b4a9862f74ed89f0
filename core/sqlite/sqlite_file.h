#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/scratch_file.h"

namespace snapviewer {

/// How the value of a column came out of the file; SQLite columns have no fixed type.
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

    /// Binds parameters ?1, ?2, ... before the first next() or after reset(), which keeps those that are not bound anew.
    void bind(int parameter, std::int64_t value);
    void bind(int parameter, std::string_view value);
    void reset();

    /// Advances to the next row; false at the end, after an error or when stopped.
    bool next();
    const Status& status() const;

    ValueType type(int column) const;
    /// The value where it is of type integer. The fastest way to ask for what is one nearly always.
    std::optional<std::int64_t> stored_integer(int column) const;
    /// Texts that are numbers count as numbers, in full 64 bits; 0 for NULL.
    std::int64_t integer(int column) const;
    double real(int column) const;
    /// Valid until the next call of next().
    std::string_view text(int column) const;

private:
    friend class SqliteFile;
    struct Impl;
    explicit SqliteRows(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Somebody else's SQLite database, opened so that nothing is ever written to it or beside it, and still complete when it
/// has a hot -wal (profiler-databases: "Opening and size"). One thread at a time; open one per thread.
class SqliteFile {
public:
    /// The error says what SQLite found wrong. Milliseconds, unless the file must be copied. Statements end if the work of
    /// the thread that runs them is to stop.
    static Result<std::shared_ptr<SqliteFile>> open(const std::string& path);
    ~SqliteFile();
    SqliteFile(const SqliteFile&) = delete;
    SqliteFile& operator=(const SqliteFile&) = delete;

    /// A database that was unpacked into a temporary file; `name` is what it is called where it came from.
    static Result<std::shared_ptr<SqliteFile>> open_unpacked(ScratchFile file, const std::string& name);

    /// A second connection to the same file or copy, for another thread. This one must outlive it.
    Result<std::shared_ptr<SqliteFile>> open_again() const;

    const std::string& path() const;
    /// The file, or its temporary copy, as a URI to attach to another connection: read-only, touching nothing. Good as long
    /// as this object lives.
    const std::string& uri() const;
    /// Whether a copy had to be made because the file has a hot journal; worth a line in the import log.
    bool is_copy() const;
    /// "-wal" or "-journal" where one lies beside the file and was not read because it is no ordinary file; else empty.
    const std::string& journal_left_out() const;
    /// Whether the file is shorter than it says. Tables that lie in what is left can be read, the others give errors;
    /// another connection needs PRAGMA writable_schema (and no defensive mode) to attach it.
    bool is_cut_short() const;

    /// Views that are left out of tables(), as they would take longer to prepare than any file may; worth a line in the log.
    std::size_t views_left_out() const;

    /// Tables and views, spelled as in the file.
    const std::vector<std::string>& tables() const;
    /// The table's own spelling; nullopt if there is none. ASCII case does not matter.
    std::optional<std::string> find_table(std::string_view name) const;
    /// The columns of a table, spelled as in the file; none if it has no such table or cannot tell (a broken view).
    const std::vector<std::string>& columns(std::string_view table) const;
    /// The type that each of columns() was given in the file; "" for none.
    const std::vector<std::string>& column_types(std::string_view table) const;
    /// The first of some spellings that the table has.
    std::optional<std::string> find_column(std::string_view table, std::initializer_list<std::string_view> spellings) const;

    /// One SELECT statement. Nothing runs before the first next().
    Result<SqliteRows> query(std::string_view sql);

private:
    struct Impl;
    explicit SqliteFile(std::unique_ptr<Impl> impl);
    static Result<std::shared_ptr<SqliteFile>> connect(std::unique_ptr<Impl> impl);
    Status list_columns();
    std::unique_ptr<Impl> impl_;
};

/// A name as SQL wants it, quotes included: "PTA+GE".
std::string sql_name(std::string_view name);

}  // namespace snapviewer
