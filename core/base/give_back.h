#pragma once

#include <vector>

namespace snapviewer {

/// Empties a vector and frees its memory, which `items = {}` does not: that takes the braces for a list of no items, which
/// it puts into the room that is there.
template <typename T>
void give_back(std::vector<T>& items) {
    std::vector<T>().swap(items);
}

}  // namespace snapviewer
