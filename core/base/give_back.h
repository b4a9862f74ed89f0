#pragma once

#include <vector>

namespace snapviewer {

/// Empties a vector and frees its memory. `items = {}` does not free it: the braces become an empty initializer list, whose
/// assignment keeps the capacity.
template <typename T>
void give_back(std::vector<T>& items) {
    std::vector<T>().swap(items);
}

}  // namespace snapviewer
