#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <vector>

namespace snapviewer {

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
    bool shares_with(const SharedColumn& other) const { return numbers_ == other.numbers_; }

private:
    std::vector<T>& own() {
        if (!numbers_) numbers_ = std::make_shared<std::vector<T>>();
        if (numbers_.use_count() > 1) numbers_ = std::make_shared<std::vector<T>>(*numbers_);
        return *numbers_;
    }

    std::shared_ptr<std::vector<T>> numbers_;
};

}  // namespace snapviewer
