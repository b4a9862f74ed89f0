#include "core/analysis/space/address_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <span>
#include <tuple>

#include "core/analysis/space/address_walk.h"
#include "core/analysis/space/holes.h"
#include "core/base/context.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer::test {
namespace {

constexpr std::uint64_t k_base = 0x7f0000000000;
constexpr std::uint64_t k_expandable_base = k_base + 1024 * k_mib;  // not a multiple of the page size
constexpr std::uint64_t k_page = 20 * k_mib;

/// The expected state of a simulated allocator at one moment, recorded independently of the code under test.
struct ToldMoment {
    std::map<std::uint64_t, std::uint64_t> ranges;  ///< sizes in bytes by address
    /// Size in bytes and whether a free is pending, by address.
    std::map<std::uint64_t, std::pair<std::uint64_t, bool>> blocks;
};

struct ToldTrace {
    std::shared_ptr<const Snapshot> snapshot;
    std::vector<ToldMoment> moments;
};

/// A simulated allocator that acts at random: segments, an expandable segment that is mapped and unmapped at both ends and
/// in the middle, blocks of whole units at any free place, and frees that stay pending. The recording starts in the middle,
/// so that some blocks are known only from their free and others only from the segments at the end.
class RandomAllocator {
public:
    explicit RandomAllocator(std::uint32_t seed) : random_(seed) {}

    ToldTrace run(std::size_t events) {
        for (int i = 0; i < 40; ++i) act();
        is_recording_ = true;
        moments_ = {now_};
        while (moments_.size() <= events) act();
        describe_end();
        return {trace_.build(), std::move(moments_)};
    }

private:
    static constexpr std::uint64_t k_unit = 4 * k_mib;
    static constexpr std::uint64_t k_slots = 24;  // slots of the expandable segment, one page each

    std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }

    void tell(Action action, std::uint64_t address, std::uint64_t size_bytes) {
        if (!is_recording_) return;
        trace_.event(action, address, size_bytes);
        moments_.push_back(now_);
    }

    void act() {
        switch (below(10)) {
            case 0: return add_segment();
            case 1: return drop_segment();
            case 2: return map_page();
            case 3: return unmap_page();
            case 4:
            case 5:
            case 6: return allocate();
            default: return release();
        }
    }

    bool is_free(std::uint64_t begin, std::uint64_t end) const {
        return std::ranges::none_of(
            now_.blocks, [&](const auto& block) { return block.first < end && block.first + block.second.first > begin; });
    }

    void add_segment() {
        const std::uint64_t address = k_base + below(8) * 64 * k_mib;
        if (now_.ranges.contains(address)) return;
        const std::uint64_t size_bytes = (1 + below(10)) * k_unit;
        now_.ranges[address] = size_bytes;
        tell(Action::segment_alloc, address, size_bytes);
    }

    void drop_segment() {
        const std::uint64_t address = k_base + below(8) * 64 * k_mib;
        const auto range = now_.ranges.find(address);
        if (range == now_.ranges.end() || !is_free(address, address + range->second)) return;
        const std::uint64_t size_bytes = range->second;
        now_.ranges.erase(range);
        tell(Action::segment_free, address, size_bytes);
    }

    /// The mapped pages of the expandable segment as ranges.
    void join_pages() {
        std::erase_if(now_.ranges, [](const auto& range) { return range.first >= k_expandable_base; });
        for (const std::uint64_t page : pages_) {
            const std::uint64_t address = k_expandable_base + page * k_page;
            auto last = now_.ranges.empty() ? now_.ranges.end() : std::prev(now_.ranges.end());
            const bool joins =
                last != now_.ranges.end() && last->first >= k_expandable_base && last->first + last->second == address;
            if (joins) {
                last->second += k_page;
            } else {
                now_.ranges[address] = k_page;
            }
        }
    }

    void map_page() {
        const std::uint64_t page = below(k_slots);
        if (!pages_.insert(page).second) return;
        join_pages();
        tell(Action::segment_map, k_expandable_base + page * k_page, k_page);
    }

    void unmap_page() {
        const std::uint64_t page = below(k_slots);
        const std::uint64_t address = k_expandable_base + page * k_page;
        if (!pages_.contains(page) || !is_free(address, address + k_page)) return;
        pages_.erase(page);
        join_pages();
        tell(Action::segment_unmap, address, k_page);
    }

    void allocate() {
        if (now_.ranges.empty()) return;
        const auto range = std::next(now_.ranges.begin(), static_cast<std::ptrdiff_t>(below(now_.ranges.size())));
        const std::uint64_t size_bytes = (1 + below(4)) * k_unit;
        const std::uint64_t address = range->first + below(range->second / k_unit) * k_unit;
        if (address + size_bytes > range->first + range->second || !is_free(address, address + size_bytes)) return;
        now_.blocks[address] = {size_bytes, false};
        tell(Action::alloc, address, size_bytes);
    }

    void release() {
        if (now_.blocks.empty()) return;
        const auto block = std::next(now_.blocks.begin(), static_cast<std::ptrdiff_t>(below(now_.blocks.size())));
        const auto [address, about] = *block;
        if (!about.second) {
            block->second.second = true;
            tell(Action::free_requested, address, about.first);
            if (is_recording_ && below(3) == 0) return;  // the free stays pending
        }
        now_.blocks.erase(address);
        tell(Action::free_completed, address, about.first);
    }

    void describe_end() {
        Snapshot& snapshot = trace_.raw();
        snapshot.pools = {{0, 0}};
        for (const auto& [address, size_bytes] : now_.ranges) {
            std::vector<std::pair<std::uint64_t, BlockState>> blocks;
            std::uint64_t at = address;
            for (const auto& [begin, about] : now_.blocks) {
                if (begin < address || begin >= address + size_bytes) continue;
                if (begin > at) blocks.emplace_back(begin - at, BlockState::inactive);
                blocks.emplace_back(about.first,
                                    about.second ? BlockState::active_pending_free : BlockState::active_allocated);
                at = begin + about.first;
            }
            if (at < address + size_bytes) blocks.emplace_back(address + size_bytes - at, BlockState::inactive);
            trace_.segment(address, blocks);
            snapshot.segments.back().is_expandable = address >= k_expandable_base;
            snapshot.segments.back().pool = 0;
            snapshot.segments.back().type = trace_.text("large");
        }
    }

    std::mt19937 random_;
    TraceBuilder trace_;
    bool is_recording_ = false;
    std::set<std::uint64_t> pages_;
    ToldMoment now_;
    std::vector<ToldMoment> moments_;
};

space::AddressSpace space_of(const std::shared_ptr<const Snapshot>& snapshot) {
    return std::move(space::AddressSpace::build(*snapshot, snapshot->devices[0]));
}

/// Converts the moment to a ToldMoment.
ToldMoment told(const space::AddressMoment& moment) {
    ToldMoment result;
    for (const space::AddressMoment::Range& range : moment.ranges)
        result.ranges[range.range.address] = range.range.size_bytes;
    for (const auto* blocks : {&moment.blocks, &moment.outside}) {
        for (const space::AddressMoment::Block& block : *blocks)
            result.blocks[block.address] = {block.size_bytes, block.is_pending};
    }
    return result;
}

/// Expected holes, counted by looking at every unit of 4 MiB. For each block next to a hole that empty_cache() does not
/// return, also the hole that freeing the block would create.
struct CountedHoles {
    space::HolesRow row;
    /// Size in bytes of the hole after freeing a block, by the block's address.
    std::map<std::uint64_t, std::uint64_t> hole_without;
};

CountedHoles count_holes(const ToldMoment& moment) {
    constexpr std::uint64_t k_unit = 4 * k_mib;
    constexpr std::uint64_t k_returned = 1;  // marker instead of a block: empty_cache() would return this unit
    CountedHoles counted;
    const auto block_over = [&](std::uint64_t unit) -> std::uint64_t {
        for (const auto& [address, about] : moment.blocks) {
            if (address <= unit && unit < address + about.first) return address;
        }
        return 0;
    };
    for (const auto& [address, size_bytes] : moment.ranges) {
        std::vector<std::uint64_t> owners;
        for (std::uint64_t at = address; at < address + size_bytes; at += k_unit) owners.push_back(block_over(at));
        const auto longest_free = [&](std::uint64_t without) {
            std::uint64_t run = 0;
            std::uint64_t longest = 0;
            bool touches = false;
            for (const std::uint64_t owner : owners) {
                const bool is_free = owner == 0 || owner == without;
                run = is_free ? run + k_unit : 0;
                touches = is_free && (touches || owner == without) && run > 0;
                if (without == 0 || touches) longest = std::max(longest, run);
            }
            return longest;
        };
        const auto idle = static_cast<std::uint64_t>(std::ranges::count(owners, 0U)) * k_unit;
        counted.row.reserved += size_bytes;
        counted.row.idle += idle;
        counted.row.largest_hole = std::max(counted.row.largest_hole, longest_free(0));
        const std::uint64_t units_of_page = (address >= k_expandable_base ? k_page : size_bytes) / k_unit;
        for (std::uint64_t first = 0; first < owners.size(); first += units_of_page) {
            const auto page = std::span(owners).subspan(first, units_of_page);
            if (std::ranges::count(page, 0U) == std::ssize(page)) std::ranges::fill(page, k_returned);
        }
        counted.row.idle_pinned += static_cast<std::uint64_t>(std::ranges::count(owners, 0U)) * k_unit;
        for (const auto& [block, about] : moment.blocks) {
            if (std::ranges::find(owners, block) == owners.end()) continue;
            const std::uint64_t hole = longest_free(block);
            if (hole > about.first) counted.hole_without[block] = hole;
        }
    }
    return counted;
}

TEST(AddressSpace, IsWhatAnAllocatorDidAtEveryMoment) {
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
        const ToldTrace trace = RandomAllocator(seed).run(3000);
        const space::AddressSpace space = space_of(trace.snapshot);
        ASSERT_EQ(space.moment_count(), trace.moments.size());
        for (std::uint32_t moment = 0; moment < space.moment_count(); ++moment) {
            const ToldMoment ours = told(space.at(moment));
            ASSERT_EQ(ours.ranges, trace.moments[moment].ranges) << "seed " << seed << " moment " << moment;
            ASSERT_EQ(ours.blocks, trace.moments[moment].blocks) << "seed " << seed << " moment " << moment;
        }
        EXPECT_EQ(space.backward_contradictions(), space::ContradictionCounts{});
        EXPECT_EQ(space.forward_contradictions(), space::ContradictionCounts{});
        const auto check = space.check(0);
        EXPECT_EQ(check.differing, 0U);
        EXPECT_EQ(check.states, trace.moments.size());
        EXPECT_TRUE(check.end_equals_file);
    }
}

TEST(AddressSpace, HolesAndPinsAreThoseCountedUnitByUnit) {
    const ToldTrace trace = RandomAllocator(7).run(1500);
    const space::AddressSpace space = space_of(trace.snapshot);
    const auto history = space::holes_history(space);
    ASSERT_EQ(history.rows.size(), trace.moments.size());
    std::uint64_t worst = 0;
    for (std::uint32_t moment = 0; moment < space.moment_count(); ++moment) {
        const CountedHoles counted = count_holes(trace.moments[moment]);
        ASSERT_EQ(history.rows[moment], counted.row) << "moment " << moment;
        worst = std::max(worst, counted.row.idle_pinned);
        std::map<std::uint64_t, std::uint64_t> ours;
        for (const space::PinningBlock& pin : space::pins_at(space, space.at(moment)).blocks)
            ours[pin.block.address] = pin.hole_without_it;
        ASSERT_EQ(ours, counted.hole_without) << "moment " << moment;
    }
    EXPECT_GT(worst, 0U);
    EXPECT_EQ(history.rows[history.worst_moment].idle_pinned, worst);
    const auto fullest = std::ranges::max_element(history.rows, [](const space::HolesRow& a, const space::HolesRow& b) {
        return std::pair(a.reserved, b.idle) < std::pair(b.reserved, a.idle);
    });
    EXPECT_EQ(history.max_reserved_moment, fullest - history.rows.begin());
}

TEST(AddressSpace, BlocksThatAreGoneGetTheirBytesByTheAllocatorsRules) {
    TraceBuilder trace;
    trace.event(Action::segment_alloc, k_base, 20 * k_mib)
        .alloc(k_base, 8 * k_mib + 1)  // rounded to 512
        // The remainder of half a MiB is too small to split, so it stays part of the block.
        .alloc(k_base + 10 * k_mib, 9 * k_mib + 512 * 1024)
        .free(k_base, 8 * k_mib + 1)
        .free(k_base + 10 * k_mib, 9 * k_mib + 512 * 1024);
    trace.segment(k_base, {{20 * k_mib, BlockState::inactive}});
    trace.raw().segments.back().type = trace.text("large");
    const space::AddressSpace space = space_of(trace.build());
    EXPECT_EQ(space.block_size(AllocationId{0}).bytes, 8 * k_mib + 512);
    EXPECT_EQ(space.block_size(AllocationId{1}).bytes, 10 * k_mib);
}

TEST(AddressSpace, WhatLiesInNoSegmentIsOutside) {
    TraceBuilder trace;
    trace.alloc(k_base, 1000).segment(k_base + 64 * k_mib, {{2 * k_mib, BlockState::inactive}});
    const space::AddressSpace space = space_of(trace.build());
    EXPECT_TRUE(space.at(0).outside.empty());
    const space::AddressMoment after = space.at(1);
    ASSERT_EQ(after.outside.size(), 1U);
    EXPECT_EQ(after.outside[0].size_bytes, 1024U);
    EXPECT_EQ(after.ranges.size(), 1U);
    EXPECT_EQ(space.backward_contradictions()[static_cast<std::size_t>(space::Contradiction::live_in_no_segment)], 1U);
}

TEST(AddressSpace, AFileWithoutSegmentsContradictsNothingAndPinsNothing) {
    TraceBuilder trace;
    trace.event(Action::segment_alloc, k_base, 20 * k_mib).alloc(k_base, 5 * k_mib).alloc(k_base + 10 * k_mib, k_mib);
    const auto snapshot = trace.build();
    const space::AddressSpace space = space_of(snapshot);
    EXPECT_EQ(space.backward_contradictions(), space::ContradictionCounts{});
    EXPECT_EQ(space.forward_contradictions(), space::ContradictionCounts{});
    EXPECT_TRUE(space::pins_at(space, space.at(3)).blocks.empty());
    const auto history = space::holes_history(space);
    for (const space::HolesRow& row : history.rows) EXPECT_EQ(row, space::HolesRow{});
    EXPECT_EQ(history.grown.of_times, 0U);
}

TEST(AddressSpace, EmptyCacheReturnsWholePagesFromTheStartOfARange) {
    constexpr std::uint64_t k_odd_base = k_base + 4 * k_mib + 512;
    const space::AddressRange expandable{k_odd_base, 5 * k_page, {.is_expandable = true}};
    const auto returned = [&](std::uint64_t begin, std::uint64_t end) {
        const space::Hole part = space::returnable_part(expandable, {k_odd_base + begin, k_odd_base + end});
        return std::pair(part.begin - k_odd_base, part.end - k_odd_base);
    };
    EXPECT_EQ(returned(1, 4 * k_page), std::pair(k_page, 4 * k_page));
    EXPECT_EQ(returned(0, 5 * k_page), std::pair(std::uint64_t{0}, 5 * k_page));
    EXPECT_EQ(returned(k_page + 1, 3 * k_page - 1), std::pair(3 * k_page - 1, 3 * k_page - 1));
    const space::AddressRange native{k_odd_base, 5 * k_page, {}};
    EXPECT_EQ(space::kept_bytes(native, {native.address, native.end()}), 0U);
    EXPECT_EQ(space::kept_bytes(native, {native.address + 512, native.end()}), 5 * k_page - 512);
    const space::AddressRange small{k_base, 8 * k_mib, {.is_small = true, .is_expandable = true}};
    EXPECT_EQ(space::kept_bytes(small, {k_base + k_mib, k_base + 5 * k_mib}), 2 * k_mib);
}

TEST(AddressSpace, StopsWhenAsked) {
    const ToldTrace trace = RandomAllocator(3).run(100);
    Progress progress;
    progress.request_stop();
    const auto space =
        caught(&progress, [&] { return space::AddressSpace::build(*trace.snapshot, trace.snapshot->devices[0]); });
    ASSERT_FALSE(space);
    EXPECT_EQ(space.error().code, ErrorCode::cancelled);
    const space::AddressSpace whole = space_of(trace.snapshot);
    EXPECT_FALSE(caught(&progress, [&] { return space::holes_history(whole); }));
}

TEST(RankSet, FindsNeighboursLikeAnOrderedSet) {
    constexpr std::uint32_t k_limit = 70'000;  // large enough for three levels of the set
    std::mt19937 random(5);
    space::RankSet ours(k_limit);
    std::set<std::uint32_t> known;
    for (int i = 0; i < 20'000; ++i) {
        const auto number = static_cast<std::uint32_t>(random() % k_limit);
        if (random() % 3 == 0) {
            ours.erase(number);
            known.erase(number);
        } else {
            ours.insert(number);
            known.insert(number);
        }
        const auto asked = static_cast<std::uint32_t>(random() % k_limit);
        const auto next = known.lower_bound(asked);
        const auto after = known.upper_bound(asked);
        ASSERT_EQ(ours.contains(asked), known.contains(asked));
        ASSERT_EQ(ours.next_from(asked), next == known.end() ? space::RankSet::k_none : *next);
        ASSERT_EQ(ours.last_up_to(asked), after == known.begin() ? space::RankSet::k_none : *std::prev(after));
    }
}

}  // namespace
}  // namespace snapviewer::test
