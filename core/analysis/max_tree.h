#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace snapviewer {

/// Numbers at fixed places, and the largest of them at any time. A change takes as many steps as the largest of its
/// neighbourhood changes, at most log2 of the places.
class MaxTree {
public:
    /// All zero.
    explicit MaxTree(std::size_t places)
        : first_leaf_(std::bit_ceil(std::max<std::size_t>(places, 1))), nodes_(2 * first_leaf_) {}

    std::uint64_t largest() const { return nodes_[1]; }
    void set(std::size_t place, std::uint64_t value) {
        std::size_t node = first_leaf_ + place;
        nodes_[node] = value;
        while (node > 1) {
            node /= 2;
            const std::uint64_t larger = std::max(nodes_[2 * node], nodes_[2 * node + 1]);
            if (nodes_[node] == larger) return;
            nodes_[node] = larger;
        }
    }

private:
    std::size_t first_leaf_;
    std::vector<std::uint64_t> nodes_;  ///< the children of i are 2 i and 2 i + 1
};

}  // namespace snapviewer
