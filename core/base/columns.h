#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace snapviewer {

/// A column of a table that uses no memory for its rows as long as all of them hold the same value. Stores one value per row
/// once any row differs.
template <typename T>
class UniformColumn {
public:
    std::size_t size() const { return size_; }
    T operator[](std::size_t index) const { return values_.empty() ? common_ : values_[index]; }
    /// The stored values, one per row; empty while all rows are equal.
    const std::vector<T>& held() const { return values_; }
    /// Changes a row. Precondition: the row exists.
    void set(std::size_t index, T value) {
        if (values_.empty() && value == common_) return;
        hold_values();
        values_[index] = value;
    }
    void push_back(T value) {
        if (size_ == 0) common_ = value;
        if (!values_.empty() || value != common_) {
            hold_values();
            values_.push_back(value);
        }
        ++size_;
    }
    /// Reserves memory for `rows` rows; allocates it only once rows differ.
    void reserve(std::size_t rows) {
        reserved_ = rows;
        if (!values_.empty()) values_.reserve(rows);
    }
    /// Sets all rows to `value`.
    void fill(T value) {
        values_ = std::vector<T>();
        common_ = value;
    }
    /// Replaces all rows by rows [first, first + count) of another column.
    void assign_slice(const UniformColumn& from, std::size_t first, std::size_t count) {
        fill(from.common_);
        if (!from.values_.empty()) {
            const auto begin = from.values_.begin() + static_cast<std::ptrdiff_t>(first);
            values_.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
        }
        size_ = count;
    }
    /// Inserts `rows` in reverse order at the beginning of this column.
    void insert_reversed(const UniformColumn& rows) {
        if (rows.size_ == 0) return;
        if (size_ == 0) common_ = rows.common_;
        const bool is_uniform = values_.empty() && rows.values_.empty() && common_ == rows.common_;
        if (!is_uniform) {
            hold_values();
            if (rows.values_.empty())
                values_.insert(values_.begin(), rows.size_, rows.common_);
            else
                values_.insert(values_.begin(), rows.values_.rbegin(), rows.values_.rend());
        }
        size_ += rows.size_;
    }

private:
    void hold_values() {
        if (!values_.empty()) return;
        values_.reserve(reserved_);
        values_.resize(size_, common_);
    }

    std::size_t size_ = 0;
    std::size_t reserved_ = 0;
    T common_{};             ///< value of all rows while values_ is empty
    std::vector<T> values_;  ///< one value per row; empty while all rows are equal
};

/// An append-only column of numbers with copy-on-write sharing. Curves of a profile often change at the same times; those
/// times are then stored once.
///
///     SharedColumn<int> a, b;
///     for (int i : {1, 2}) a.push_back(i), b.push_back(i);
///     b.share(a);  // a and b now use the same memory
///
/// A copy shares the memory of the original until one of them grows. Any number of threads may read.
template <typename T>
class SharedColumn {
public:
    SharedColumn() = default;
    SharedColumn(std::initializer_list<T> numbers) : numbers_(std::make_shared<std::vector<T>>(numbers)) {}

    std::size_t size() const { return numbers_ ? numbers_->size() : 0; }
    bool empty() const { return size() == 0; }
    const T& operator[](std::size_t index) const { return (*numbers_)[index]; }
    const T& front() const { return numbers_->front(); }
    const T& back() const { return numbers_->back(); }
    const T* begin() const { return numbers_ ? numbers_->data() : nullptr; }
    const T* end() const { return begin() + size(); }

    void reserve(std::size_t count) { own().reserve(count); }
    void push_back(T number) { own().push_back(number); }

    /// Shares the memory of another column if that has the same numbers. O(size).
    void share(const SharedColumn& other) {
        if (other.size() == size() && std::equal(begin(), end(), other.begin())) numbers_ = other.numbers_;
    }

private:
    std::vector<T>& own() {
        if (!numbers_) numbers_ = std::make_shared<std::vector<T>>();
        if (numbers_.use_count() > 1) numbers_ = std::make_shared<std::vector<T>>(*numbers_);
        return *numbers_;
    }

    std::shared_ptr<std::vector<T>> numbers_;
};

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
        for_each_field(row.fields(), [index](auto& column, const auto& value) {
            if constexpr (requires { column.set(index, value); })
                column.set(index, value);
            else
                column[index] = value;
        });
    }

    void reserve(std::size_t rows) {
        std::apply([rows](auto&... columns) { (columns.reserve(rows), ...); }, Derived::fields(derived()));
    }

    /// Copies rows [first, first + count). Precondition: they exist. O(count).
    Derived slice(std::size_t first, std::size_t count) const {
        Derived part;
        part.for_each_field(Derived::fields(derived()), [first, count](auto& to, const auto& from) {
            if constexpr (requires { to.assign_slice(from, first, count); }) {
                to.assign_slice(from, first, count);
            } else {
                const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
                to.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
            }
        });
        return part;
    }

    /// Inserts `rows` in reverse order at the beginning of this table. O(rows of both tables).
    void insert_reversed(const Derived& rows) {
        for_each_field(Derived::fields(rows), [](auto& to, const auto& from) {
            if constexpr (requires { to.insert_reversed(from); })
                to.insert_reversed(from);
            else
                to.insert(to.begin(), from.rbegin(), from.rend());
        });
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
