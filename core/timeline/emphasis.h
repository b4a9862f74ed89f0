#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/timeline/view.h"
#include "core/trace/stack_table.h"

namespace snapviewer {

/// The number and the total size of some allocations.
struct LiveShare {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    bool operator==(const LiveShare&) const = default;
};

/// The highlighted allocations of one device, one bit each: the result of a search, the allocations of a stack, or another
/// choice. Other allocations change only their colour, so no geometry changes.
class Emphasis {
public:
    /// Starts without a highlight.
    explicit Emphasis(std::size_t allocation_count = 0)
        : words_((allocation_count + k_word_bits - 1) / k_word_bits), allocation_count_(allocation_count) {}

    /// Highlights every allocation for which `chosen(id)` is true.
    template <typename Chosen>
    static Emphasis where(std::size_t allocation_count, Chosen chosen) {
        Emphasis emphasis(allocation_count);
        for (std::size_t i = 0; i < emphasis.words_.size(); ++i) {
            const auto first = static_cast<std::uint32_t>(i * k_word_bits);
            const auto count = static_cast<std::uint32_t>(std::min(k_word_bits, allocation_count - first));
            std::uint32_t word = 0;
            for (std::uint32_t bit = 0; bit < count; ++bit)
                word |= static_cast<std::uint32_t>(static_cast<bool>(chosen(AllocationId{first + bit}))) << bit;
            emphasis.words_[i] = word;
            emphasis.count_ += static_cast<std::size_t>(std::popcount(word));
        }
        return emphasis;
    }

    /// Highlights the allocations of a list. Ignores ids that are not below `allocation_count`.
    static Emphasis of(std::size_t allocation_count, std::span<const AllocationId> ids);

    bool contains(AllocationId id) const { return (words_[id.value / k_word_bits] >> id.value % k_word_bits & 1) != 0; }
    std::size_t count() const { return count_; }
    std::size_t allocation_count() const { return allocation_count_; }
    /// Sum of the sizes of all highlighted allocations, live or not. O(allocations).
    std::uint64_t bytes(const Timeline& timeline) const;
    /// One bit for each allocation, 32 in a word, beginning with the least significant bit.
    std::span<const std::uint32_t> words() const { return words_; }

    /// The next highlighted allocation in drawing order, or the previous one; wraps around at the ends. The first or the
    /// last one if `from` is none(). nullopt without a highlight. O(allocations).
    std::optional<AllocationId> neighbour(AllocationId from, bool forward) const;

    /// The highlighted allocations that are live after a tick. Takes microseconds.
    LiveShare live_at(const Timeline& timeline, std::uint32_t tick) const;

private:
    static constexpr std::size_t k_word_bits = 32;

    std::vector<std::uint32_t> words_;
    std::size_t allocation_count_ = 0;
    std::size_t count_ = 0;
};

/// Highlights all allocations of a stack; k_before_recording and none() mean those without a stack.
Emphasis emphasise_stack(const Timeline& timeline, StackId stack);

/// The allocations that a search found, in drawing order.
class Hits {
public:
    Hits() = default;
    /// O(allocations), plus sorting the hits if drawing order is not the order in which they begin.
    Hits(const Timeline& timeline, const Emphasis& emphasis);

    std::size_t size() const { return by_id_.size(); }
    /// The index of an allocation among the hits; nullopt if it is not a hit.
    std::optional<std::size_t> place_of(AllocationId id) const;

    /// The pixel columns, ascending, in which a small hit begins. A hit is small if it is lower or narrower than a few
    /// pixels, and therefore hard to see. Column 0 also represents small hits that began to the left of the view. `timeline`
    /// must be the one passed to the constructor. The time is in proportion to the number of columns and of visible hits.
    std::vector<std::uint32_t> columns_of_small(const Timeline& timeline, Axis axis, const View& view,
                                                const PictureSize& size) const;

private:
    std::vector<AllocationId> by_id_;
    std::vector<AllocationId> by_start_;  ///< hits by start; empty if that is the order of by_id_
};

/// The rectangle of an allocation at its beginning.
struct HitRect {
    double x_begin = 0, x_end = 0;  ///< start and end in steps or microseconds
    double low_bytes = 0;           ///< lower edge at the beginning
    double size_bytes = 0;
};

/// Returns a view that is zoomed in enough to see a hit. An axis on which the hit is large enough keeps its range.
/// Precondition: `view` already contains the hit.
View zoom_to_hit(const View& view, const HitRect& hit, const PictureSize& size, const ViewLimits& limits);

}  // namespace snapviewer
