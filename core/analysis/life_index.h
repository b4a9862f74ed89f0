#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace snapviewer {

/// Finds which of many things that come and go are there at a moment, in order of where they lie: lists of what was there
/// at some moments, a thousand events apart or as many as half of those there, so that it takes no more memory than the
/// things themselves. Immutable once filled; a look costs about what it lists.
class LifeIndex {
public:
    static constexpr std::uint32_t k_least_events = 1024;

    /// Whether a list is due once so many events have happened, with so many things there.
    bool is_due(std::uint32_t moment, std::size_t there) const {
        return lists_.empty() || moment - lists_.back().moment >= std::max<std::size_t>(k_least_events, there / 2);
    }
    /// `there`: what is there now, by place. `known`: how many things there have been so far.
    void add(std::uint32_t moment, std::span<const std::uint32_t> there, std::size_t known) {
        lists_.push_back({moment, static_cast<std::uint32_t>(known), numbers_.size(), there.size()});
        numbers_.insert(numbers_.end(), there.begin(), there.end());
    }

    /// Numbers of the things there at a moment, by place. `lives` are all things by when they came, with `rank`, `begin`
    /// and `end`.
    template <typename Life>
    std::vector<std::uint32_t> at(const std::vector<Life>& lives, std::uint32_t moment) const {
        const auto after = std::ranges::upper_bound(lists_, moment, {}, &List::moment);
        const List& list = *(after - 1);
        std::vector<std::uint32_t> newer;
        for (std::uint32_t i = list.known; i < lives.size() && lives[i].begin <= moment; ++i) {
            if (lives[i].end > moment) newer.push_back(i);
        }
        const auto place = [&](std::uint32_t number) { return lives[number].rank; };
        std::ranges::sort(newer, {}, place);
        std::vector<std::uint32_t> there;
        there.reserve(list.count + newer.size());
        auto next = newer.begin();
        for (const std::uint32_t number : std::span(numbers_).subspan(list.first, list.count)) {
            if (lives[number].end <= moment) continue;
            while (next != newer.end() && place(*next) < place(number)) there.push_back(*next++);
            there.push_back(number);
        }
        there.insert(there.end(), next, newer.end());
        return there;
    }

private:
    struct List {
        std::uint32_t moment = 0;
        std::uint32_t known = 0;
        std::size_t first = 0;  ///< into numbers_
        std::size_t count = 0;
    };
    std::vector<List> lists_;  ///< the first is of moment 0
    std::vector<std::uint32_t> numbers_;
};

}  // namespace snapviewer
