#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace snapviewer {

/// A half-open range of addresses.
struct AddressSpan {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Address ranges, each with a value, that are mapped, unmapped, split and joined. Iteration is in ascending order.
///
/// `Value` has a function `bool join(const Value& next)`. It is called if a new range touches a neighbour. It returns false
/// if the two ranges remain separate; otherwise it updates the value to that of the joined range, in which `next` is the
/// value of the upper part.
///
/// add() does not check for overlaps. Of overlapping ranges, functions that search consider only the one with the highest
/// begin up to the address. All operations take O(log ranges), plus the number of ranges that they remove or return.
template <typename Value>
class SegmentMap {
public:
    struct Range {
        std::uint64_t end = 0;  ///< first address after the range
        Value value = {};
    };
    using Ranges = std::map<std::uint64_t, Range>;  ///< ranges by their first address

    const Ranges& ranges() const { return ranges_; }

    /// The range that begins at an address, or null.
    const Range* at(std::uint64_t begin) const {
        const auto found = ranges_.find(begin);
        return found == ranges_.end() ? nullptr : &found->second;
    }

    /// The range that contains an address, or end() of ranges(). Pointers to a range stay valid until add(), cut() or
    /// erase().
    typename Ranges::iterator find(std::uint64_t address) {
        const auto found = first_after(ranges_, address);
        return found != ranges_.end() && found->first <= address ? found : ranges_.end();
    }

    bool overlaps(AddressSpan span) const {
        const auto found = first_after(ranges_, span.begin);
        return found != ranges_.end() && found->first < span.end;
    }

    /// Adds a range, and joins it with the ranges that touch it. Replaces a range that begins at the same address.
    void add(AddressSpan span, Value value) {
        const auto here = ranges_.insert_or_assign(span.begin, Range{span.end, std::move(value)}).first;
        const auto next = std::next(here);
        if (next != ranges_.end()) join(here, next);
        if (here != ranges_.begin()) join(std::prev(here), here);
    }

    /// Removes the range that begins at an address. Returns false if there is none.
    bool erase(std::uint64_t begin) { return ranges_.erase(begin) > 0; }

    /// Removes the addresses of a span, so that ranges are shortened or split. Returns the affected ranges as they were.
    std::vector<std::pair<std::uint64_t, Range>> cut(AddressSpan span) {
        std::vector<std::pair<std::uint64_t, Range>> before;
        auto at = first_after(ranges_, span.begin);
        while (at != ranges_.end() && at->first < span.end) {
            const auto& [begin, range] = before.emplace_back(*at);
            at = ranges_.erase(at);
            if (begin < span.begin) ranges_.emplace(begin, Range{span.begin, range.value});
            if (range.end > span.end) ranges_.emplace(span.end, Range{range.end, range.value});
        }
        return before;
    }

    /// The parts of a span that are in no range.
    std::vector<AddressSpan> gaps(AddressSpan span) const {
        std::vector<AddressSpan> found;
        for (auto at = first_after(ranges_, span.begin); at != ranges_.end() && at->first < span.end; ++at) {
            if (at->first > span.begin) found.push_back({span.begin, at->first});
            span.begin = std::max(span.begin, at->second.end);
        }
        if (span.begin < span.end) found.push_back(span);
        return found;
    }

private:
    /// The range that contains an address, or else the first range above it.
    template <typename AnyRanges>
    static auto first_after(AnyRanges& ranges, std::uint64_t address) {
        auto at = ranges.upper_bound(address);
        if (at != ranges.begin() && std::prev(at)->second.end > address) --at;
        return at;
    }

    void join(typename Ranges::iterator lower, typename Ranges::iterator upper) {
        if (lower->second.end != upper->first || !lower->second.value.join(upper->second.value)) return;
        lower->second.end = upper->second.end;
        ranges_.erase(upper);
    }

    Ranges ranges_;
};

}  // namespace snapviewer
