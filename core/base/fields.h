#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace snapviewer {

/// One value of a table or a result: NULL, integer, real or text. Blobs become hexadecimal text.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

/// Description of a column, for the schema browser, the documentation and the tests.
struct ColumnDoc {
    std::string name, type, text;
};

/// The rows that a TableFunction computed for one table scan. Immutable; used by one thread at a time.
class FunctionRows {
public:
    virtual ~FunctionRows() = default;
    virtual std::size_t count() const = 0;
    virtual Cell cell(std::size_t row, std::size_t column) const = 0;
};

/// A table whose rows are computed when a query first reads it. With parameters it is a table-valued function: `SELECT *
/// FROM layout(17)`.
struct TableFunction {
    std::string name;
    std::string doc;
    std::vector<ColumnDoc> columns;
    std::vector<ColumnDoc> parameters = {};
    /// Computes the rows. Called once per table scan, so it should cache expensive results. `arguments` are the query's
    /// arguments in the order of `parameters`; an omitted one is NULL. Throws a Failure if the query is stopped or if an
    /// argument is invalid; its message is then a sentence for the user.
    std::function<std::shared_ptr<const FunctionRows>(std::span<const Cell> arguments)> make;
};

/// The meaning of a field's values. It determines the type of the SQL column.
enum class FieldUnit : std::uint8_t {
    bytes,
    count,
    id,       ///< Identifies something: a device, a row of another table, a handle
    address,  ///< Address of a byte. SQL shows addresses from 2^63 on as negative numbers
    event,    ///< Id of a row of the table `events`
    step,     ///< Position on the step axis of the picture
    microseconds,
    flag,    ///< True or false in JSON, 1 or 0 in tables
    number,  ///< Any other number, with a fractional part
    text,
};
/// Returns the type of an SQL column: "INTEGER", "REAL" or "TEXT".
const char* sql_type(FieldUnit unit);

/// The value of a field, before it becomes a cell or a JSON value. std::monostate becomes NULL in tables and null in JSON.
using FieldValue = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string>;

Cell to_cell(FieldValue value);
/// Sets `object[key]` to a value.
void put_value(nlohmann::ordered_json& object, const char* key, FieldValue value);

/// Returns the text, or nullopt if it is empty, for fields that are NULL without a text.
inline std::optional<std::string> null_if_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

/// Converts a number, a text, an id or an optional to a FieldValue. nullopt and the id none() become std::monostate.
template <typename T>
FieldValue to_field_value(const T& value) {
    if constexpr (requires { value.has_value(); }) {
        return value ? to_field_value(*value) : FieldValue();
    } else if constexpr (requires { value.is_some(); }) {
        return value.is_some() ? to_field_value(value.value) : FieldValue();
    } else if constexpr (std::is_same_v<T, bool>) {
        return value;
    } else if constexpr (std::is_floating_point_v<T>) {
        return double{value};
    } else if constexpr (std::is_unsigned_v<T>) {
        return std::uint64_t{value};
    } else if constexpr (std::is_integral_v<T>) {
        return std::int64_t{value};
    } else {
        return std::string(value);
    }
}

/// The outputs in which a field appears, and its name in JSON if that differs from the name of its column.
struct Outputs {
    bool in_tables = true;
    bool in_json = true;
    const char* json_name = nullptr;
};
inline constexpr Outputs k_only_in_tables = {true, false};
inline constexpr Outputs k_only_in_json = {false, true};
constexpr Outputs named_in_json(const char* name) { return {true, true, name}; }

/// The context of rows that need none.
struct NoContext {};
inline constexpr NoContext k_no_context;

/// One value of each row of an answer, described once for all outputs. `read` is a member, or a function of a row or of a
/// row and its context. It may take `*row` instead of the row. Its result is converted by to_field_value().
///
///     {"peak_bytes", FieldUnit::bytes, "peak of live bytes within it", &TrainingStep::peak_bytes}
template <typename Row, typename Context = const NoContext>
struct Field {
    template <typename Read>
    Field(const char* the_name, FieldUnit the_unit, const char* the_sentence, Read get, Outputs the_outputs = {})
        : name(the_name), unit(the_unit), sentence(the_sentence), outputs(the_outputs) {
        read = [get](const Row& row, [[maybe_unused]] Context& context) -> FieldValue {
            if constexpr (std::is_invocable_v<const Read&, const Row&, Context&>) {
                return to_field_value(std::invoke(get, row, context));
            } else if constexpr (std::is_invocable_v<const Read&, const Row&>) {
                return to_field_value(std::invoke(get, row));
            } else if constexpr (std::is_invocable_v<const Read&, decltype(*row), Context&>) {
                return to_field_value(std::invoke(get, *row, context));
            } else {
                return to_field_value(std::invoke(get, *row));
            }
        };
    }

    const char* name;  ///< Name of the column
    FieldUnit unit;
    const char* sentence;  ///< Meaning of the value, for the documentation and the schema browser
    std::function<FieldValue(const Row& row, Context& context)> read;
    Outputs outputs;
};

/// All fields of one type of row, in order. JSON objects, columns and cells are made from this list.
template <typename Row, typename Context = const NoContext>
class Fields {
public:
    Fields(std::initializer_list<Field<Row, Context>> fields) : Fields(std::vector(fields)) {}
    explicit Fields(std::vector<Field<Row, Context>> fields) : fields_(std::move(fields)) {
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            if (fields_[i].outputs.in_tables) columns_.push_back(i);
        }
    }
    /// Returns the fields of both lists.
    Fields operator+(const Fields& more) const {
        std::vector<Field<Row, Context>> all = fields_;
        all.insert(all.end(), more.fields_.begin(), more.fields_.end());
        return Fields(std::move(all));
    }

    std::vector<ColumnDoc> columns() const {
        std::vector<ColumnDoc> docs;
        for (const std::size_t i : columns_)
            docs.push_back({fields_[i].name, sql_type(fields_[i].unit), fields_[i].sentence});
        return docs;
    }

    Cell cell(const Row& row, Context& context, std::size_t column) const {
        return to_cell(fields_[columns_[column]].read(row, context));
    }
    std::vector<Cell> cells(const Row& row, Context& context = k_no_context) const {
        std::vector<Cell> cells;
        for (std::size_t i = 0; i < columns_.size(); ++i) cells.push_back(cell(row, context, i));
        return cells;
    }

    /// Returns a JSON object. The caller includes nlohmann/json.hpp.
    template <typename Json = nlohmann::ordered_json>
    Json json(const Row& row, Context& context = k_no_context) const {
        Json object = Json::object();
        for (const Field<Row, Context>& field : fields_) {
            if (field.outputs.in_json)
                put_value(object, field.outputs.json_name != nullptr ? field.outputs.json_name : field.name,
                          field.read(row, context));
        }
        return object;
    }

private:
    std::vector<Field<Row, Context>> fields_;
    std::vector<std::size_t> columns_;  ///< Indexes of the fields that are columns of tables
};

}  // namespace snapviewer
