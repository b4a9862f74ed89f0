#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/base/import_log.h"
#include "core/base/result.h"
#include "core/sqlite/sqlite_file.h"
#include "core/trace/snapshot.h"

namespace snapviewer::profilers {

/// True if the database has any, or all, of these tables. Kinds of databases are recognised by the names of their tables.
bool has_any_table(const sqlite::SqliteFile& file, std::initializer_list<std::string_view> names);
bool has_all_tables(const sqlite::SqliteFile& file, std::initializer_list<std::string_view> names);

/// A value that a query selects: a column, or an SQL expression.
class Wanted {
public:
    /// A column by its possible names, newest first and separated by '|': "deviceId|device_id".
    Wanted(const char* names) : text_(names) {}
    static Wanted expression(std::string sql);

    /// The SQL to select; "NULL" if the table lacks the column.
    std::string sql(const sqlite::SqliteFile& file, std::string_view table) const;
    bool is_expression() const { return is_expression_; }

private:
    std::string text_;
    bool is_expression_ = false;
};

/// Builds "SELECT a, b, NULL FROM t" in the order of `wanted`, with NULL for missing columns. Empty if the file lacks the
/// table, or the table lacks all of the columns; expressions do not count as columns.
std::string select_columns(const sqlite::SqliteFile& file, std::string_view table, std::initializer_list<Wanted> wanted);

/// An SQL expression for the row number: "rowid", or "NULL" if rows have no numbers, as in views.
std::string row_number_of(sqlite::SqliteFile& file, std::string_view table);

/// Calls `take` with each row of a query. An empty query has no rows. Returns the error that ended the query before its last
/// row; nullopt if there was none.
std::optional<Error> read_rows(sqlite::SqliteFile& file, const std::string& sql, const auto& take) {
    if (sql.empty()) return std::nullopt;
    Result<sqlite::SqliteRows> rows = file.query(sql);
    if (!rows) return rows.error();
    while (rows->next()) take(std::as_const(*rows));
    return rows->status() ? std::nullopt : std::optional(rows->status().error());
}

/// Throws Failure if reading was stopped or exceeded its budget. Logs any other error, because the rows before it are valid.
void log_damage(ImportLog& log, std::string_view table, const Error& error);

/// Like read_rows(), for a query over one table: calls log_damage() with the error.
std::optional<Error> each_row(sqlite::SqliteFile& file, std::string_view table, const std::string& sql, ImportLog& log,
                              const auto& take) {
    const std::optional<Error> damage = read_rows(file, sql, take);
    if (damage) log_damage(log, table, *damage);
    return damage;
}

/// A column of an SqlView.
struct ViewColumn {
    std::string name;
    std::string type;
    std::string text;  ///< what the column contains
    std::string sql;
};
/// Builds "SELECT sql AS name, ... FROM from", with the description of the columns.
sqlite::SqlView make_view(const char* name, std::string text, const std::vector<ViewColumn>& columns,
                          const std::string& from);

/// The first row of a query whose parameter ?1, if it has one, is `key`. nullopt if there is no row or the query fails.
std::optional<sqlite::SqliteRows> first_row(sqlite::SqliteFile& file, const std::string& sql,
                                            std::optional<std::int64_t> key = {});

/// The value as a whole number; converts texts and reals that represent numbers. nullopt for NULL and other values.
std::optional<std::int64_t> whole_number(const sqlite::SqliteRows& rows, int column);

constexpr std::int64_t k_day_ns = 86'400'000'000'000;
/// Upper bound of accepted times, so that adding a day cannot overflow.
constexpr std::int64_t k_max_time = std::int64_t{1} << 62;

/// Reads a time. nullopt unless it is after 1970 and below k_max_time.
std::optional<std::int64_t> moment(const sqlite::SqliteRows& rows, int column);

/// The metadata that consists of this category; adds it if the snapshot lacks it. O(metadata).
MetadataId intern_category(Snapshot& snapshot, std::string_view name);

/// Appends an event of an existing allocation, with its address, size and stream, and links both. The caller appends to
/// DeviceTrace::actions.
void add_event(DeviceTrace& trace, Action action, AllocationId id, std::int64_t time_us, StackId stack, MetadataId metadata);

/// Converts the names and raw numbers in the rows of a database to the ids of a Snapshot. For databases with the contents of
/// a snapshot. Throws Failure if there are more distinct values than a Snapshot can count.
class SnapshotWords {
public:
    explicit SnapshotWords(Snapshot& snapshot);

    /// Keeps an unknown action under its own name, and logs it.
    Action action(std::string_view name);
    std::uint16_t stream(std::uint64_t raw);
    /// The trace of a device; creates it if it does not exist. The reference is valid until the next call.
    DeviceTrace& device(std::int64_t number);

private:
    Snapshot& snapshot_;
    std::optional<std::uint64_t> last_stream_;
    std::uint16_t last_stream_index_ = 0;
};

/// A frame as it is written in the text of a stack. The views refer to the text.
struct StackLine {
    std::string_view file;
    std::string_view function;
    std::uint32_t line = 0;  ///< line number; 0 if unknown
};

/// Interns the texts of stacks as stacks of a snapshot. A repeated text costs one hash look-up.
class StackTexts {
public:
    /// `parse` splits a text into frames. They are interned in the order of the text.
    enum class Order : std::uint8_t { innermost_first, outermost_first };
    StackTexts(Snapshot& snapshot, Order order, std::vector<StackLine> (*parse)(std::string_view text))
        : snapshot_(snapshot), order_(order), parse_(parse) {}

    /// Returns StackId::none() for a text without frames.
    StackId intern(std::string_view text);

private:
    struct Hash : KeyedHash {
        using is_transparent = void;
    };

    Snapshot& snapshot_;
    Order order_;
    std::vector<StackLine> (*parse_)(std::string_view text);
    std::unordered_map<std::string, StackId, Hash, std::equal_to<>> known_;
    std::size_t known_bytes_ = 0;  ///< size of the texts in known_
};

/// Formats a time since the Unix epoch for the details of an allocation, to the nanosecond: "2025-01-14 08:21:09.123456789
/// UTC".
std::string moment_text(std::int64_t time_ns);

/// Formats a duration: "1.250 ms".
std::string duration_text(std::int64_t duration_ns);

}  // namespace snapviewer::profilers
