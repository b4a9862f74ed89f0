#pragma once

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/uniform_column.h"

namespace snapviewer {

/// Operations of Columns on one column, overloaded for the two kinds of columns: std::vector and UniformColumn.
template <typename T>
void set_row(std::vector<T>& column, std::size_t index, const T& value) {
    column[index] = value;
}
template <typename T>
void set_row(UniformColumn<T>& column, std::size_t index, const T& value) {
    column.set(index, value);
}
template <typename T>
void assign_slice(std::vector<T>& to, const std::vector<T>& from, std::size_t first, std::size_t count) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
    to.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
}
template <typename T>
void assign_slice(UniformColumn<T>& to, const UniformColumn<T>& from, std::size_t first, std::size_t count) {
    to.assign_slice(from, first, count);
}
template <typename T>
void insert_reversed(std::vector<T>& to, const std::vector<T>& rows) {
    to.insert(to.begin(), rows.rbegin(), rows.rend());
}
template <typename T>
void insert_reversed(UniformColumn<T>& to, const UniformColumn<T>& rows) {
    to.insert_reversed(rows);
}

/// A table stored by column: each field is a std::vector or a UniformColumn. Rows can be appended, changed and sliced.
///
///     struct Point {
///         int x, y;
///         auto fields() const { const auto& [a, b] = *this; return std::tie(a, b); }
///     };
///     struct Points : Columns<Points, Point> {
///         std::vector<int> x, y;
///         template <typename Self> static auto fields(Self& self) { auto& [a, b] = self; return std::tie(a, b); }
///     };
///
/// The structured bindings name every member, so code that adds a column but omits it in fields() or in the row does not
/// compile.
template <typename Derived, typename Row>
struct Columns {
    /// Appends a row. Amortised O(fields).
    void push(const Row& row) {
        for_each_field(row.fields(), [](auto& column, const auto& value) { column.push_back(value); });
    }

    /// Overwrites a row. Precondition: the row exists.
    void set(std::size_t index, const Row& row) {
        for_each_field(row.fields(), [index](auto& column, const auto& value) { set_row(column, index, value); });
    }

    void reserve(std::size_t rows) {
        std::apply([rows](auto&... columns) { (columns.reserve(rows), ...); }, Derived::fields(derived()));
    }

    /// Copies rows [first, first + count). Precondition: they exist. O(count).
    Derived slice(std::size_t first, std::size_t count) const {
        Derived part;
        part.for_each_field(Derived::fields(derived()),
                            [&](auto& to, const auto& from) { assign_slice(to, from, first, count); });
        return part;
    }

    /// Inserts `rows` in reverse order at the beginning of this table. O(rows of both tables).
    void insert_reversed(const Derived& rows) {
        for_each_field(Derived::fields(rows), [](auto& to, const auto& from) { snapviewer::insert_reversed(to, from); });
    }

    Row row(std::size_t index) const {
        return std::apply([index](const auto&... columns) { return Row{columns[index]...}; }, Derived::fields(derived()));
    }

private:
    /// Calls `apply` with each column of this table and the element at the same position of the tuple `others`.
    template <typename Others, typename Apply>
    void for_each_field(const Others& others, Apply apply) {
        const auto columns = Derived::fields(derived());
        static_assert(std::tuple_size_v<decltype(columns)> == std::tuple_size_v<Others>,
                      "a row has a field for each column");
        [&]<std::size_t... I>(std::index_sequence<I...>) { (apply(std::get<I>(columns), std::get<I>(others)), ...); }
        (std::make_index_sequence<std::tuple_size_v<Others>>());
    }

    Derived& derived() { return static_cast<Derived&>(*this); }
    const Derived& derived() const { return static_cast<const Derived&>(*this); }
};

}  // namespace snapviewer
