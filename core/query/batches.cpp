#include "core/query/batches.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/text.h"

namespace snapviewer::query {
namespace {

// Words for values in messages, indexed by ColumnType.
constexpr std::array k_type_words = {"NULL", "integers", "numbers", "texts", "blobs"};
constexpr double k_int64_end = 9223372036854775808.0;
// Rows that are read between two checks whether the query has to end. Must divide k_rows_per_batch.
constexpr std::size_t k_rows_at_once = 1024;
static_assert(k_rows_per_batch % k_rows_at_once == 0);

bool is_ascii(std::string_view text) {
    unsigned char bits = 0;
    for (const char c : text) bits = static_cast<unsigned char>(bits | static_cast<unsigned char>(c));
    return bits < 0x80;
}

bool is_exact_as_real(std::int64_t value) {
    const auto real = static_cast<double>(value);
    return real < k_int64_end && static_cast<std::int64_t>(real) == value;
}

/// Formats a real number as SQLite's CAST to TEXT does.
std::string cast_text(double value) {
    std::array<char, 32> text{};
    return sqlite3_snprintf(static_cast<int>(text.size()), text.data(), "%!.15g", value);
}

/// Returns the type for the declaration of a column, by SQLite's own rules for type affinity.
ColumnType declared_type(const char* declaration) {
    if (declaration == nullptr) return ColumnType::null;
    std::string words = declaration;
    std::ranges::transform(words, words.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const auto has = [&words](const char* word) { return words.find(word) != std::string::npos; };
    if (has("INT")) return ColumnType::integer;
    if (has("CHAR") || has("CLOB") || has("TEXT")) return ColumnType::text;
    if (has("BLOB")) return ColumnType::blob;
    return has("REAL") || has("FLOA") || has("DOUB") ? ColumnType::real : ColumnType::null;
}

ColumnType type_of_value(int sqlite_type) {
    switch (sqlite_type) {
        case SQLITE_INTEGER: return ColumnType::integer;
        case SQLITE_FLOAT: return ColumnType::real;
        case SQLITE_TEXT: return ColumnType::text;
        case SQLITE_BLOB: return ColumnType::blob;
        default: return ColumnType::null;
    }
}

/// Collects the values of one column of a batch. The declared type is only a hint: until the first batch is complete, values
/// can widen it.
class ColumnBuilder {
public:
    /// Builds a column of a statement's result, from calls of take(row).
    ColumnBuilder(sqlite3_stmt* statement, int index) : statement_(statement), index_(index) {
        column_.type = declared_type(sqlite3_column_decltype(statement, index));
    }
    /// Builds a column of a table, from calls of take(column, rows, first_row).
    explicit ColumnBuilder(const Column& column) {
        column_.type = column.is_text() ? ColumnType::text : ColumnType::integer;
    }

    /// Appends the value of the statement's current row. Returns whether the column's type can hold it.
    bool take(std::size_t row) {
        const int sqlite_type = sqlite3_column_type(statement_, index_);
        if (sqlite_type == SQLITE_NULL) {
            set_null(row);
            push_null();
            return true;
        }
        ColumnType needed = std::max(column_.type, type_of_value(sqlite_type));
        if (needed == ColumnType::real && sqlite_type == SQLITE_INTEGER &&
            !is_exact_as_real(sqlite3_column_int64(statement_, index_)))
            needed = ColumnType::text;
        if (needed != column_.type) {
            if (has_fixed_type_) return false;
            widen(needed, row);
        }
        push();
        return true;
    }

    void take(const Column& column, std::span<const std::size_t> rows, std::size_t first_row) {
        if (column.is_text()) {
            for (std::size_t i = 0; i < rows.size(); ++i) take_text(column, rows[i], first_row + i);
            return;
        }
        if (rows.size() == k_rows_at_once) column_.integers.reserve(k_rows_per_batch);
        column_.integers.resize(first_row + rows.size());
        scratch_.resize(rows.size());
        column.integers(rows, scratch_);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            column_.integers[first_row + i] = scratch_[i].value_or(0);
            if (!scratch_[i]) set_null(first_row + i);
        }
    }

    std::size_t byte_count() const { return column_.bytes.size(); }
    ColumnType type() const { return column_.type; }

    /// Returns the column of the completed batch and begins a new batch.
    BatchColumn finish(std::size_t row_count) {
        if (column_.null_count != 0) column_.valid_bits.resize((row_count + 7) / 8, 0xFF);
        has_fixed_type_ = true;
        BatchColumn next;
        next.type = column_.type;
        return std::exchange(column_, std::move(next));
    }

private:
    void set_null(std::size_t row) {
        column_.valid_bits.resize(row / 8 + 1, 0xFF);
        column_.valid_bits[row / 8] = static_cast<std::uint8_t>(column_.valid_bits[row / 8] & ~(1U << (row % 8)));
        ++column_.null_count;
    }

    void push_null() {
        switch (column_.type) {
            case ColumnType::null: break;
            case ColumnType::integer: column_.integers.push_back(0); break;
            case ColumnType::real: column_.reals.push_back(0); break;
            case ColumnType::text:
            case ColumnType::blob: end_bytes(); break;
        }
    }

    void push() {
        switch (column_.type) {
            case ColumnType::null: break;
            case ColumnType::integer: column_.integers.push_back(sqlite3_column_int64(statement_, index_)); break;
            case ColumnType::real: column_.reals.push_back(sqlite3_column_double(statement_, index_)); break;
            case ColumnType::text: push_text(); break;
            case ColumnType::blob: push_blob(); break;
        }
    }

    void take_text(const Column& column, std::size_t table_row, std::size_t row) {
        const std::uint32_t code = column.code(table_row);
        if (code != k_null_code) return push_text(column.dictionary->text(code).text);
        set_null(row);
        end_bytes();
    }

    void push_text() {
        const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, index_));
        push_text({data == nullptr ? "" : data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, index_))});
    }

    void push_text(std::string_view text) {
        if (is_ascii(text)) {
            column_.bytes += text;
        } else {
            column_.bytes += valid_utf8(text);
        }
        end_bytes();
    }

    void push_blob() {
        const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, index_));
        if (data != nullptr) column_.bytes.append(data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, index_)));
        end_bytes();
    }

    /// Ends a text or blob. 32 bits suffice for the offset, because a batch ends long before 2 GiB.
    void end_bytes() { column_.ends.push_back(static_cast<std::int32_t>(column_.bytes.size())); }

    bool is_null(std::size_t row) const {
        return row / 8 < column_.valid_bits.size() && (unsigned{column_.valid_bits[row / 8]} >> (row % 8) & 1U) == 0;
    }

    /// Converts the values of the batch so far, `row_count` of them, to a more general type.
    void widen(ColumnType type, std::size_t row_count) {
        if (type == ColumnType::real && !std::ranges::all_of(column_.integers, is_exact_as_real)) type = ColumnType::text;
        const ColumnType was = std::exchange(column_.type, type);
        const std::vector<std::int64_t> integers = std::exchange(column_.integers, {});
        const std::vector<double> reals = std::exchange(column_.reals, {});
        if (was == ColumnType::text) return;
        for (std::size_t row = 0; row < row_count; ++row) {
            if (was == ColumnType::null || is_null(row)) {
                push_null();
            } else if (type == ColumnType::real) {
                column_.reals.push_back(static_cast<double>(integers[row]));
            } else {
                column_.bytes += was == ColumnType::integer ? std::to_string(integers[row]) : cast_text(reals[row]);
                end_bytes();
            }
        }
    }

    sqlite3_stmt* statement_ = nullptr;
    int index_ = 0;
    bool has_fixed_type_ = false;
    BatchColumn column_;
    std::vector<std::optional<std::int64_t>> scratch_;
};

Error type_error(sqlite3_stmt* statement, std::size_t column, ColumnType type, std::uint64_t row) {
    const char* name = sqlite3_column_name(statement, static_cast<int>(column));
    const ColumnType value = type_of_value(sqlite3_column_type(statement, static_cast<int>(column)));
    return {ErrorCode::bad_query,
            fmt::format("the column {} holds {} before row {}, but {} in that row; use CAST({} AS TEXT) to have both",
                        name == nullptr ? "" : name, k_type_words[static_cast<std::size_t>(type)], row + 1,
                        k_type_words[static_cast<std::size_t>(value)], name == nullptr ? "" : name)};
}

/// Collects rows in batches and passes each batch to the sink as soon as it is full.
class Batches {
public:
    Batches(std::vector<ColumnBuilder> columns, BatchSink& sink) : columns_(std::move(columns)), sink_(sink) {}

    std::vector<ColumnBuilder>& columns() { return columns_; }
    std::size_t row() const { return rows_; }  ///< Number of rows in the current batch
    std::uint64_t rows() const { return rows_before_ + rows_; }

    /// Must be called after every column got `count` more rows. False if the sink stops.
    bool add_rows(std::size_t count) {
        rows_ += count;
        std::size_t bytes = 0;
        for (const ColumnBuilder& column : columns_) bytes += column.byte_count();
        return (rows_ < k_rows_per_batch && bytes < k_bytes_per_batch) || emit();
    }
    void end() {
        if (rows_ != 0 || rows_before_ == 0) emit();
    }

private:
    bool emit() {
        RowBatch batch{rows_, {}};
        for (ColumnBuilder& column : columns_) batch.columns.push_back(column.finish(rows_));
        rows_before_ += std::exchange(rows_, 0);
        return sink_.batch(std::move(batch));
    }

    std::vector<ColumnBuilder> columns_;
    BatchSink& sink_;
    std::size_t rows_ = 0;
    std::uint64_t rows_before_ = 0;
};

}  // namespace

Result<int> build_batches(sqlite3_stmt* statement, BatchSink& sink) {
    std::vector<std::string> names;
    std::vector<ColumnBuilder> columns;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const char* name = sqlite3_column_name(statement, i);
        names.push_back(valid_utf8(name == nullptr ? "" : name));
        columns.emplace_back(statement, i);
    }
    sink.begin(names);
    Batches batches(std::move(columns), sink);
    int status = SQLITE_ROW;
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        for (std::size_t i = 0; i < batches.columns().size(); ++i) {
            ColumnBuilder& column = batches.columns()[i];
            if (!column.take(batches.row())) return type_error(statement, i, column.type(), batches.rows());
        }
        if (!batches.add_rows(1)) return status;
    }
    if (status == SQLITE_DONE) batches.end();
    return status;
}

/// Reads many rows of a column at a time if the table has no texts. With texts it reads row by row, so that a batch ends as
/// soon as it has enough bytes.
Status build_batches(VirtualTable& source, BatchSink& sink) {
    const Table& table = source.table();
    std::vector<std::string> names;
    std::vector<ColumnBuilder> columns;
    for (const Column& column : table.columns) {
        if (!source.prepare(column)) return stopped();
        names.push_back(column.name);
        columns.emplace_back(column);
    }
    sink.begin(names);
    const bool has_texts = std::ranges::any_of(table.columns, [](const Column& column) { return column.is_text(); });
    Batches batches(std::move(columns), sink);
    std::vector<std::size_t> rows(has_texts ? 1 : k_rows_at_once);
    const std::size_t count = table.row_count();
    for (std::size_t first = 0; first < count; first += rows.size()) {
        if (first % k_rows_at_once == 0 && source.control().must_end()) return stopped();
        rows.resize(std::min(rows.size(), count - first));
        std::iota(rows.begin(), rows.end(), first);
        for (std::size_t i = 0; i < table.columns.size(); ++i)
            batches.columns()[i].take(table.columns[i], rows, batches.row());
        if (!batches.add_rows(rows.size())) return {};
    }
    batches.end();
    return {};
}

}  // namespace snapviewer::query
