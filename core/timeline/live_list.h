#pragma once

#include <algorithm>
#include <vector>

#include "core/base/ids.h"

namespace snapviewer {

/// The allocations that are live at one moment, by ascending id. Stored in pieces of at most 1024 ids, so that erase() moves
/// at most one piece, however many allocations are live and in whatever order they end.
class LiveList {
public:
    /// Adds an allocation. Precondition: `id` is larger than all ids in the list.
    void push_back(AllocationId id) {
        if (pieces_.empty() || pieces_.back().size() == k_piece) pieces_.emplace_back().reserve(k_piece);
        pieces_.back().push_back(id);
        ++size_;
    }

    /// Removes an allocation and returns the number of allocations above it, that is, with larger ids. Precondition: it is
    /// in the list. O(live / 1024).
    std::size_t erase(AllocationId id) {
        const auto after = std::ranges::upper_bound(pieces_, id, {}, [](const Piece& piece) { return piece.front(); });
        const auto piece = after - 1;
        const auto at = piece->erase(std::ranges::lower_bound(*piece, id));
        auto above = static_cast<std::size_t>(piece->end() - at);
        for (auto higher = after; higher != pieces_.end(); ++higher) above += higher->size();
        if (piece->empty()) pieces_.erase(piece);
        --size_;
        return above;
    }

    std::size_t size() const { return size_; }
    void append_to(std::vector<AllocationId>& all) const {
        for (const Piece& piece : pieces_) all.insert(all.end(), piece.begin(), piece.end());
    }

private:
    using Piece = std::vector<AllocationId>;
    static constexpr std::size_t k_piece = 1024;

    std::vector<Piece> pieces_;  ///< pieces of the list; none is empty
    std::size_t size_ = 0;
};

}  // namespace snapviewer
