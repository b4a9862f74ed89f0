#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"

namespace snapviewer {

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

/// How an integer column develops from row to row: unknown, never falling, or equal to the row number.
enum class ColumnOrder : std::uint8_t { none, ascending, row_number };

/// Reads one column of a table in place. Either `integer` or `code` is set.
struct Column {
    std::string name;
    std::string doc;
    ColumnOrder order = ColumnOrder::none;  ///< Order of an integer column; ascending and row_number imply no NULL
    std::function<std::optional<std::int64_t>(std::size_t row)> integer = {};
    std::function<std::uint32_t(std::size_t row)> code = {};  ///< Code of the text in `dictionary`, k_null_code for NULL
    std::shared_ptr<Dictionary> dictionary = {};
    /// Optional: returns the values of `integer` for many rows at once, without a call for each.
    std::function<void(std::span<const std::size_t> rows, std::span<std::optional<std::int64_t>> values)> integers = {};
    /// Optional: computes the values of the column. Must be called before the first value is read. Throws a Failure only if
    /// the query is stopped.
    std::function<void()> prepare = {};
    /// For a column that says when the object of a row ends, with NULL for never: the maximum share of rows whose objects
    /// have begun but not ended at any one moment. 0 for all other columns.
    double lasting_share = 0;

    bool is_text() const { return dictionary != nullptr; }
    void read(std::span<const std::size_t> rows, std::span<std::optional<std::int64_t>> values) const {
        if (integers) return integers(rows, values);
        std::ranges::transform(rows, values.begin(), integer);
    }
};

/// A table as SQL shows it. Nothing is copied: every value is read from the snapshot when a query needs it.
struct Table {
    std::string name;
    std::string doc;
    std::function<std::size_t()> row_count;
    std::vector<Column> columns;
};

}  // namespace snapviewer
