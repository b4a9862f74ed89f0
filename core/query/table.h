#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.h"

struct sqlite3_value;

namespace snapviewer::query {

class QueryControl;

/// A text of a dictionary. If `lasting`, it lives as long as the dictionary, otherwise until the next call of text(). Not
/// necessarily zero-terminated.
struct DictionaryText {
    std::string_view text;
    bool lasting = true;
};

/// The distinct values of a text column. A row holds a code, and the dictionary maps the code to the text.
class Dictionary {
public:
    virtual ~Dictionary() = default;
    virtual std::size_t size() const = 0;
    virtual DictionaryText text(std::uint32_t code) = 0;
};

inline constexpr std::uint32_t k_null_code = std::numeric_limits<std::uint32_t>::max();

/// Describes how an integer column changes from row to row: unknown, never falling, or equal to the row number.
enum class ColumnOrder : std::uint8_t { none, ascending, row_number };

/// Reads one column of a table in place. Either `integers` or `code` is set.
struct Column {
    std::string name;
    FieldUnit unit = FieldUnit::count;
    std::string doc;
    ColumnOrder order = ColumnOrder::none;  ///< Order of an integer column; ascending and row_number imply no NULL
    /// For a column with the time at which the object of a row ends, or NULL if it never ends: the maximum share of objects
    /// that are live at the same time. 0 for all other columns.
    double lasting_share = 0;
    /// Reads the integers of many rows with one call.
    std::function<void(std::span<const std::size_t> rows, std::span<std::optional<std::int64_t>> values)> integers = {};
    std::function<std::uint32_t(std::size_t row)> code = {};  ///< Code of the text in `dictionary`, k_null_code for NULL
    std::shared_ptr<Dictionary> dictionary = {};
    /// Optional: computes the values of the column. Must be called before the first value is read. Throws a Failure only if
    /// the query is stopped.
    std::function<void()> prepare = {};

    bool is_text() const { return dictionary != nullptr; }
    std::optional<std::int64_t> integer(std::size_t row) const {
        std::optional<std::int64_t> value;
        integers({&row, 1}, {&value, 1});
        return value;
    }
};

/// Creates a column that holds the row number, for tables whose rows are identified by their number.
Column row_number_column(std::string name, std::string doc);

/// A table as SQL shows it. Nothing is copied: every value is read from the snapshot when a query needs it.
struct Table {
    std::string name;
    std::string doc;
    std::function<std::size_t()> row_count;
    std::vector<Column> columns;
};

/// Comparisons that a table evaluates itself in C++, instead of leaving them to SQLite.
enum class ConstraintOperator : char {
    equal = '=',
    less = '<',
    at_most = 'l',
    greater = '>',
    at_least = 'g',
    null = 'n',
    not_null = 'N',
    like = '~',
    glob = '*',
};

/// A range of integers from low to high, both included; empty if low > high.
struct Interval {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();

    static Interval none() { return {1, 0}; }
    bool contains(std::int64_t value) const { return low <= value && value <= high; }
    bool is_single() const { return low == high; }
};

/// Returns the integers for which `comparison` with `value` holds, by SQLite's rules for an INTEGER column. `value` may have
/// any SQLite type.
Interval interval_of(ConstraintOperator comparison, sqlite3_value* value);

/// Tests which texts of a dictionary match a pattern. Tests each text once, on first use, and caches the result.
class TextMatch {
public:
    /// `control` ends the comparisons; it must outlive this object.
    TextMatch(std::shared_ptr<Dictionary> dictionary, ConstraintOperator comparison, std::string pattern,
              QueryControl& control);

    bool is_for(const Dictionary& dictionary, ConstraintOperator comparison, const std::string& pattern) const {
        return dictionary_.get() == &dictionary && comparison_ == comparison && pattern_ == pattern;
    }
    /// True if the text of `code` matches. Also false if the query has to end.
    bool accepts(std::uint32_t code) {
        if (verdicts_[code] == Verdict::unknown) compare(code);
        return verdicts_[code] == Verdict::yes;
    }

private:
    enum class Verdict : std::uint8_t { unknown, yes, no };
    void compare(std::uint32_t code);
    bool matches(std::uint32_t code);

    std::shared_ptr<Dictionary> dictionary_;
    ConstraintOperator comparison_;
    std::string pattern_;
    QueryControl& control_;
    std::string scratch_;
    std::vector<Verdict> verdicts_;
};

/// The condition that one comparison imposes on the rows.
struct ColumnTest {
    const Column* column = nullptr;
    bool wants_null = false;                ///< If true, only NULL passes; otherwise NULL never passes
    Interval interval = {};                 ///< Values that pass, for an integer column
    std::shared_ptr<TextMatch> match = {};  ///< Texts that pass, for a text column; null lets every text pass

    /// Removes the rows that do not pass and keeps the order of the others. `values` is scratch space.
    void keep_accepted(std::vector<std::size_t>& rows, std::vector<std::optional<std::int64_t>>& values) const;

private:
    bool accepts_text(std::size_t row) const;
};

/// Sorts row numbers by an integer column and keeps the first `at_most` of them. Stable. NULL sorts first, or last if
/// descending, as in SQLite. O(rows).
void sort_rows(std::vector<std::uint32_t>& rows, const Column& column, bool descending,
               std::size_t at_most = std::numeric_limits<std::size_t>::max());

/// Estimates how many rows of a table a query tests and how many pass. Accurate enough for SQLite to order joins well and to
/// decide when the branches of an OR are better run separately. The compared values are not known at this point.
class RowEstimate {
public:
    explicit RowEstimate(std::size_t rows);

    /// Adds a comparison that rows have to pass. Samples some of the column's values, which takes microseconds.
    void narrow(const Column& column, ConstraintOperator comparison);

    double found() const { return found_; }
    /// Cost of testing the rows, plus 1 for each row that passes. The unit is the time that SQLite takes to process one row.
    double cost() const;
    /// Cost of sorting the rows that pass. If a comparison is a branch of an OR, SQLite does not use the order of its rows,
    /// and sorts all columns of the result itself. SQLite does not say whether a single comparison is such a branch.
    /// `may_be_part_of_or` is true if it may be one.
    double order_cost(bool may_be_part_of_or) const;

private:
    std::size_t rows_;
    double scanned_;
    double found_;
    bool has_lasting_column_ = false;  ///< True after a comparison of a column that has a lasting_share
};

}  // namespace snapviewer::query
