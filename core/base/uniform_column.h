#pragma once

#include <cstddef>
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
        room_ = rows;
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
        values_.reserve(room_);
        values_.resize(size_, common_);
    }

    std::size_t size_ = 0;
    std::size_t room_ = 0;
    T common_{};             ///< value of all rows while values_ is empty
    std::vector<T> values_;  ///< one value per row; empty while all rows are equal
};

}  // namespace snapviewer
