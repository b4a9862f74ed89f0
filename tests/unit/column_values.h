#pragma once

#include <cstddef>
#include <vector>

namespace snapviewer::test {

/// The values of a column that is not a vector, in order.
template <template <typename> typename Column, typename T>
std::vector<T> values_of(const Column<T>& column) {
    std::vector<T> values;
    for (std::size_t i = 0; i < column.size(); ++i) values.push_back(column[i]);
    return values;
}

}  // namespace snapviewer::test
