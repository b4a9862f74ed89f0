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

/// Lives as long as its dictionary if `lasting`, otherwise until the dictionary's next text(). Need not end with a zero
/// byte.
struct DictionaryText {
    std::string_view text;
    bool lasting = true;
};

/// The distinct values of text columns: a row holds a code, the dictionary the text.
class Dictionary {
public:
    virtual ~Dictionary() = default;
    virtual std::size_t size() const = 0;
    virtual DictionaryText text(std::uint32_t code) = 0;
};

inline constexpr std::uint32_t k_null_code = std::numeric_limits<std::uint32_t>::max();

/// What is known about a column's values from one row to the next.
enum class ColumnOrder : std::uint8_t { none, ascending, row_number };

/// How to read one column of a table in place. Either `integer` or `code` is set.
struct Column {
    std::string name;
    std::string doc;
    ColumnOrder order = ColumnOrder::none;  ///< of integer columns; ascending and row_number have no NULL
    std::function<std::optional<std::int64_t>(std::size_t row)> integer = {};
    std::function<std::uint32_t(std::size_t row)> code = {};  ///< k_null_code for NULL
    std::shared_ptr<Dictionary> dictionary = {};
    /// What `integer` says of many rows, without a call for each; may be missing.
    std::function<void(std::span<const std::size_t> rows, std::span<std::optional<std::int64_t>> values)> integers = {};
    /// Where its values have to be worked out: to be called before one is read. Fails only when stopped.
    std::function<void()> prepare = {};
    /// Of a column that tells when what a row is about ends, or NULL if it does not: at most this share of the rows had
    /// begun at any one moment and ends after it. 0 for all other columns.
    double lasting_share = 0;

    bool is_text() const { return dictionary != nullptr; }
    void read(std::span<const std::size_t> rows, std::span<std::optional<std::int64_t>> values) const {
        if (integers) return integers(rows, values);
        std::ranges::transform(rows, values.begin(), integer);
    }
};

/// A table as SQL shows it: nothing is copied, every value is read from the snapshot when it is asked for.
struct Table {
    std::string name;
    std::string doc;
    std::function<std::size_t()> row_count;
    std::vector<Column> columns;
};

}  // namespace snapviewer
