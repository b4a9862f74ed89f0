#include "core/analysis/space/holes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/context.h"
#include "core/base/text.h"

namespace snapviewer::space {
namespace {

constexpr std::size_t k_named_pins = 5;

struct IdleBytes {
    std::uint64_t total = 0;
    std::uint64_t largest = 0;
    std::uint32_t count = 0;

    void add(const Hole& hole) {
        total += hole.size_bytes();
        largest = std::max(largest, hole.size_bytes());
        ++count;
    }
};

PinnedRange pinned_range(const AddressMoment& moment, const AddressMoment::Range& range, const IdleBytes& kept) {
    PinnedRange pinned{range.range, kept.total, kept.largest, kept.count, range.block_count, 0, range.range.size_bytes, {}};
    pinned.released_without_pins -= returnable_bytes(moment, range);
    const auto blocks = moment.blocks_of(range);
    std::vector<const AddressMoment::Block*> smallest;
    for (const AddressMoment::Block& block : blocks) {
        pinned.pin_bytes += block.size_bytes;
        smallest.push_back(&block);
    }
    const auto named = smallest.begin() + static_cast<std::ptrdiff_t>(std::min(k_named_pins, smallest.size()));
    std::ranges::partial_sort(smallest, named, {},
                              [](const auto* block) { return std::pair(block->size_bytes, block->address); });
    for (auto block = smallest.begin(); block != named; ++block) {
        if ((*block)->allocation.is_some()) pinned.pinning.push_back((*block)->allocation);
    }
    return pinned;
}

void add_pinning_blocks(const AddressMoment& moment, const AddressMoment::Range& range, std::vector<PinningBlock>& found) {
    std::vector<Hole> holes;
    for_each_kept_hole(moment, range, [&](const Hole& hole) { holes.push_back(hole); });
    std::size_t after = 0;  // index of the first hole that begins at or after the end of the block
    std::size_t before = 0;
    for (const AddressMoment::Block& block : moment.blocks_of(range)) {
        const std::uint64_t end = std::min(end_address(block.address, block.size_bytes), range.range.end());
        Hole left{block.address, block.address};
        Hole right{end, end};
        while (before < holes.size() && holes[before].end < block.address) ++before;
        if (before < holes.size() && holes[before].end == block.address) left = holes[before];
        for (after = before; after < holes.size() && holes[after].begin < end;) ++after;
        if (after < holes.size() && holes[after].begin == end) right = holes[after];
        if (left.size_bytes() + right.size_bytes() == 0) continue;
        const std::uint64_t whole = left.size_bytes() + block.size_bytes + right.size_bytes();
        found.push_back({block, range.range.address, whole, whole - std::max(left.size_bytes(), right.size_bytes()),
                         returnable_part(range.range, {left.begin, right.end}).size_bytes()});
    }
}

using HoldingOfPool = std::map<std::uint16_t, PoolHolding>;

HoldingOfPool holdings_at(const AddressMoment& moment, const PoolNames& pools) {
    HoldingOfPool found;
    for (const AddressMoment::Range& range : moment.ranges) {
        const std::uint16_t number = pools.known(range.range.traits.pool);
        PoolHolding& pool = found[number];
        if (pool.pool.empty()) pool.pool = pools.text(number);
        pool.reserved += range.range.size_bytes;
        for_each_hole(moment, range, [&](const Hole& hole) {
            pool.idle += hole.size_bytes();
            pool.largest_hole = std::max(pool.largest_hole, hole.size_bytes());
        });
    }
    return found;
}

/// The first event that reserved memory for each private pool.
std::map<std::uint16_t, std::uint32_t> making_events(const AddressFacts& facts) {
    std::map<std::uint16_t, std::uint32_t> first;
    const EventColumns& events = facts.trace.events;
    for (std::uint32_t event = 0; event < events.size(); ++event) {
        if (events.action[event] != Action::segment_alloc && events.action[event] != Action::segment_map) continue;
        const std::uint16_t pool = facts.range_of_event(event).traits.pool;
        if (facts.pools.is_private(pool)) first.try_emplace(pool, event);
    }
    return first;
}

StackId stack_of_segment(const AddressFacts& facts, std::uint16_t pool) {
    for (const Segment& segment : facts.snapshot.segments) {
        if (segment.device == facts.trace.device && facts.pools.known(segment.pool) == pool && segment.stack.is_some())
            return segment.stack;
    }
    return StackId::none();
}

/// True for functions that capture a graph, such as "capture", "capture_model" and "_capture_graph". False for functions
/// such as "captured_forward" or "capture_output".
bool is_named_after_capturing(std::string_view function) {
    static constexpr std::array<std::string_view, 10> k_other_objects = {"d",   "output", "std",   "log", "warn",
                                                                         "exc", "err",    "trace", "io",  "stack"};
    constexpr std::string_view k_word = "capture";
    const std::string lower = lower_case(function);
    for (std::size_t at = lower.find(k_word); at != lower.npos; at = lower.find(k_word, at + 1)) {
        std::string_view object = std::string_view(lower).substr(at + k_word.size());
        if (object.starts_with('_')) object.remove_prefix(1);
        if (std::ranges::none_of(k_other_objects, [&](std::string_view other) { return object.starts_with(other); }))
            return true;
    }
    return false;
}

/// The innermost Python frame whose function name says that it captures a graph, or the frame of PyTorch's own module for
/// graphs if no name says so. C++ frames do not count: torch::CapturedTraceback, which records the stack itself, is in many
/// stacks.
std::string capturing_frame(const Snapshot& snapshot, const StackLines& lines, StackId stack) {
    const auto frames = snapshot.stacks.stack(stack);
    const auto text_of = [&](StringId id) { return snapshot.strings.view(id); };
    for (const FrameId id : frames) {
        if (lines.is_python(id) && is_named_after_capturing(text_of(snapshot.stacks.frame(id).function)))
            return line_source(snapshot, id);
    }
    for (const FrameId id : frames) {
        if (text_of(snapshot.stacks.frame(id).file).ends_with("torch/cuda/graphs.py")) return line_source(snapshot, id);
    }
    return "";
}

void find_maker(PoolUse& use, const AddressFacts& facts, const StackLines& lines, std::uint16_t pool) {
    if (use.made_event) use.made_stack = facts.trace.events.stack[*use.made_event];
    if (!use.made_stack.is_some()) use.made_stack = stack_of_segment(facts, pool);
    if (!use.made_stack.is_some()) return;
    use.made_by = lines.source(use.made_stack);
    use.captured_by = capturing_frame(facts.snapshot, lines, use.made_stack);
}

}  // namespace

Hole returnable_part(const AddressRange& range, const Hole& hole) {
    const Hole nothing{hole.end, hole.end};
    if (!range.traits.is_expandable) return hole.begin == range.address && hole.end == range.end() ? hole : nothing;
    const std::uint64_t page = driver_page_bytes(range.traits);
    const std::uint64_t first = (hole.begin - range.address + page - 1) / page * page;
    const std::uint64_t end = (hole.end - range.address) / page * page;
    return first < end ? Hole{range.address + first, range.address + end} : nothing;
}

std::uint64_t returnable_bytes(const AddressMoment& moment, const AddressMoment::Range& range) {
    std::uint64_t bytes = 0;
    for_each_hole(moment, range, [&](const Hole& hole) { bytes += returnable_part(range.range, hole).size_bytes(); });
    return bytes;
}

Pins pins_at(const AddressSpace& space, const AddressMoment& moment) {
    Pins pins;
    if (space.facts().trace.reserved_known == ReservedKnown::no) return pins;
    for (const AddressMoment::Range& range : moment.ranges) {
        IdleBytes kept;
        for_each_kept_hole(moment, range, [&](const Hole& hole) { kept.add(hole); });
        if (kept.total == 0) continue;
        pins.ranges.push_back(pinned_range(moment, range, kept));
        add_pinning_blocks(moment, range, pins.blocks);
    }
    std::ranges::sort(pins.ranges, [](const PinnedRange& a, const PinnedRange& b) {
        return std::tie(b.idle_bytes, a.pin_bytes, a.range.address) < std::tie(a.idle_bytes, b.pin_bytes, b.range.address);
    });
    std::ranges::sort(pins.blocks, [](const PinningBlock& a, const PinningBlock& b) {
        return std::tie(b.released_bytes, b.hole_without_it, a.block.size_bytes, a.block.address) <
               std::tie(a.released_bytes, a.hole_without_it, b.block.size_bytes, b.block.address);
    });
    return pins;
}

std::vector<PoolHolding> private_pools_at(const AddressMoment& moment, const PoolNames& pools) {
    std::vector<PoolHolding> rows;
    for (auto& [number, pool] : holdings_at(moment, pools))
        if (pools.is_private(number)) rows.push_back(pool);
    std::ranges::sort(rows, {}, &PoolHolding::pool);
    return rows;
}

namespace {

/// Replays the appearance and disappearance of items (blocks or ranges), moment by moment. `lives` contains the items in the
/// order of their appearance, with `begin` and `end`; it must outlive this. Uses 4 bytes per item and per moment.
template <typename Life>
class LifeReplay {
public:
    LifeReplay(const std::vector<Life>& lives, std::uint32_t moments) : lives_(lives), removed_ends_(moments + 1) {
        for (const Life& life : lives) {
            if (is_shown(life) && life.end < moments) ++removed_ends_[life.end + 1];
        }
        for (std::size_t i = 1; i < removed_ends_.size(); ++i) removed_ends_[i] += removed_ends_[i - 1];
        removed_.resize(removed_ends_.back());
        std::vector<std::uint32_t> next(removed_ends_.begin(), removed_ends_.end() - 1);
        for (std::uint32_t i = 0; i < lives.size(); ++i) {
            if (is_shown(lives[i]) && lives[i].end < moments) removed_[next[lives[i].end]++] = i;
        }
    }

    /// Calls `change(life, appears)` for the items that disappear at this moment, then for those that appear. Must be called
    /// with all moments in ascending order, starting at 0.
    template <typename Change>
    void at(std::uint32_t moment, Change change) {
        for (std::uint32_t i = removed_ends_[moment]; i < removed_ends_[moment + 1]; ++i) change(lives_[removed_[i]], false);
        for (; next_ < lives_.size() && lives_[next_].begin <= moment; ++next_) {
            if (is_shown(lives_[next_])) change(lives_[next_], true);
        }
    }

private:
    /// An item that appears and disappears within one event exists at no moment.
    static bool is_shown(const Life& life) { return life.begin < life.end; }

    const std::vector<Life>& lives_;
    /// `removed_ends_[m]` to `removed_ends_[m + 1]` is the range in `removed_` of the items that disappear at moment m.
    std::vector<std::uint32_t> removed_ends_;
    std::vector<std::uint32_t> removed_;
    std::size_t next_ = 0;
};

/// A fixed array of numbers that always knows its maximum (a segment tree). A change takes O(log size).
class MaxTree {
public:
    /// Creates an array of zeros.
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
    std::vector<std::uint64_t> nodes_;  ///< Tree in an array: the children of node i are 2 i and 2 i + 1
};

/// Keeps track of the holes of all ranges while blocks and ranges appear and disappear. The key of a hole is the rank of the
/// block that ends before it, or the rank of the range if no block comes first.
class HoleTracker {
public:
    explicit HoleTracker(const AddressFacts& facts)
        : ranks_(facts.ranks),
          pools_(facts.pools),
          blocks_(ranks_.size()),
          ranges_(ranks_.size()),
          block_bytes_(ranks_.size()),
          range_at_(ranks_.size()),
          holes_(ranks_.size()) {}

    HolesRow row() const {
        HolesRow row = sums_;
        row.largest_hole = holes_.largest();
        return row;
    }

    void add_block(const BlockLife& life) {
        blocks_.insert(life.rank);
        block_bytes_[life.rank] = life.size_bytes;
        Range* range = range_around(life.rank);
        if (range == nullptr) return;
        const Neighbours around = neighbours(*range, life.rank);
        const std::uint64_t begin = ranks_.address(life.rank);
        const std::uint64_t end = end_address(begin, life.size_bytes);
        if (range->overlaps || around.hole_begin > begin || end > around.hole_end) return measure(*range);
        count(*range, -1);
        range->idle_bytes -= life.size_bytes;
        range->kept_bytes += kept(*range, around.hole_begin, begin) + kept(*range, end, around.hole_end) -
                             kept(*range, around.hole_begin, around.hole_end);
        count(*range, 1);
        if (range->is_private) return;
        if (around.owner != life.rank) holes_.set(around.owner, begin - around.hole_begin);
        holes_.set(life.rank, around.hole_end - end);
    }

    void drop_block(const BlockLife& life) {
        blocks_.erase(life.rank);
        Range* range = range_around(life.rank);
        if (range == nullptr) return;
        if (range->overlaps) {
            holes_.set(life.rank, 0);
            return measure(*range);
        }
        const Neighbours around = neighbours(*range, life.rank);
        const std::uint64_t begin = ranks_.address(life.rank);
        count(*range, -1);
        range->idle_bytes += life.size_bytes;
        range->kept_bytes += kept(*range, around.hole_begin, around.hole_end) - kept(*range, around.hole_begin, begin) -
                             kept(*range, end_address(begin, life.size_bytes), around.hole_end);
        count(*range, 1);
        if (range->is_private) return;
        if (around.owner != life.rank) holes_.set(life.rank, 0);
        holes_.set(around.owner, around.hole_end - around.hole_begin);
    }

    /// `place` is a number that place_around() returns for addresses in the range.
    void add_range(const RangeLife& life, std::uint32_t place) {
        ranges_.insert(life.rank);
        Range& range = range_at_[life.rank];
        range = {life.rank, life.range, 0, 0, pools_.is_private(life.range.traits.pool), false, place};
        count(range, 1);
        measure(range);
    }

    void drop_range(const RangeLife& life) {
        Range& range = range_at_[life.rank];
        count(range, -1);
        if (!range.is_private) {
            holes_.set(range.rank, 0);
            for_each_block(range, [&](std::uint32_t rank) { holes_.set(rank, 0); });
        }
        ranges_.erase(life.rank);
    }

    std::optional<std::uint32_t> place_around(std::uint32_t rank) {
        const Range* range = range_around(rank);
        return range == nullptr ? std::nullopt : std::optional(range->place);
    }

private:
    struct Range {
        std::uint32_t rank = 0;
        AddressRange range;
        std::uint64_t idle_bytes = 0;
        std::uint64_t kept_bytes = 0;  ///< Part of the idle bytes that empty_cache() does not return
        bool is_private = false;
        bool overlaps = false;  ///< True if blocks of the range overlap or reach beyond it
        std::uint32_t place = 0;
    };
    struct Neighbours {
        std::uint32_t owner;  ///< Key of the hole around a block, or of the hole that it leaves when it ends
        std::uint64_t hole_begin;
        std::uint64_t hole_end;
    };

    Range* range_around(std::uint32_t rank) {
        const std::uint32_t start = ranges_.last_up_to(rank);
        if (start == RankSet::k_none || ranks_.address(rank) >= range_at_[start].range.end()) return nullptr;
        return &range_at_[start];
    }

    Neighbours neighbours(const Range& range, std::uint32_t rank) const {
        Neighbours found{range.rank, range.range.address, range.range.end()};
        const std::uint32_t before = blocks_.last_below(rank);
        if (before != RankSet::k_none && before >= range.rank) {
            found.owner = before;
            found.hole_begin = end_address(ranks_.address(before), block_bytes_[before]);
        }
        const std::uint32_t after = blocks_.next_from(rank + 1);
        if (after != RankSet::k_none) found.hole_end = std::min(found.hole_end, ranks_.address(after));
        return found;
    }

    static std::uint64_t kept(const Range& range, std::uint64_t begin, std::uint64_t end) {
        return kept_bytes(range.range, {begin, end});
    }

    template <typename Visit>
    void for_each_block(const Range& range, Visit visit) const {
        for (auto rank = blocks_.next_from(range.rank); rank != RankSet::k_none && ranks_.address(rank) < range.range.end();
             rank = blocks_.next_from(rank + 1))
            visit(rank);
    }

    void count(const Range& range, int sign) {
        const auto add = [sign](std::uint64_t& sum, std::uint64_t bytes) { sum = sign > 0 ? sum + bytes : sum - bytes; };
        if (range.is_private) {
            add(sums_.reserved_private, range.range.size_bytes);
            return add(sums_.idle_private, range.idle_bytes);
        }
        add(sums_.reserved, range.range.size_bytes);
        add(sums_.idle, range.idle_bytes);
        add(sums_.idle_pinned, range.kept_bytes);
    }

    /// Recomputes the holes of a range from all its blocks.
    void measure(Range& range) {
        count(range, -1);
        range.idle_bytes = 0;
        range.kept_bytes = 0;
        range.overlaps = false;
        std::uint32_t owner = range.rank;
        std::uint64_t at = range.range.address;
        const auto end_hole = [&](std::uint64_t hole_end) {
            const std::uint64_t bytes = hole_end > at ? hole_end - at : 0;
            range.idle_bytes += bytes;
            range.kept_bytes += kept(range, hole_end - bytes, hole_end);
            if (!range.is_private) holes_.set(owner, bytes);
        };
        for_each_block(range, [&](std::uint32_t rank) {
            const std::uint64_t begin = ranks_.address(rank);
            const std::uint64_t end = end_address(begin, block_bytes_[rank]);
            range.overlaps = range.overlaps || begin < at || end > range.range.end();
            if (owner != rank) end_hole(begin);
            owner = rank;
            at = std::max(at, std::min(end, range.range.end()));
        });
        end_hole(range.range.end());
        count(range, 1);
    }

    const AddressRanks& ranks_;
    const PoolNames& pools_;
    RankSet blocks_;
    RankSet ranges_;
    std::vector<std::uint64_t> block_bytes_;  ///< Sizes of blocks, indexed by rank
    std::vector<Range> range_at_;             ///< Ranges, indexed by rank
    MaxTree holes_;                           ///< Sizes of the default pool's holes, indexed by key
    HolesRow sums_;
};

/// Counts driver calls for memory that idle memory would have made unnecessary.
class GrowthWatch {
public:
    explicit GrowthWatch(const AddressFacts& facts) : facts_(facts), held_(facts.ranks.size()) {}

    /// Counts `event` if it is a driver call that idle memory would have made unnecessary. Must be called before the event
    /// is applied to the tracked state.
    void examine_event(std::uint32_t event) {
        const EventColumns& events = facts_.trace.events;
        const Action action = events.action[event];
        if (action != Action::segment_alloc && action != Action::segment_map) return;
        const std::optional<std::uint64_t> wanted_bytes = next_request(event);
        if (!wanted_bytes) return;
        ++found_.of_times;
        found_.of_bytes += events.size_bytes[event];
        const Place& place = places_[place_of(facts_.range_of_event(event).traits)];
        const auto idle_bytes =
            static_cast<std::int64_t>(place.reserved_bytes) - static_cast<std::int64_t>(place.used_bytes);
        if (idle_bytes < static_cast<std::int64_t>(block_bytes_for(*wanted_bytes, {}))) return;
        ++found_.times;
        found_.bytes += events.size_bytes[event];
    }

    /// Counts a range that appears or disappears. Returns the number of its place.
    std::uint32_t change_range(const RangeLife& life, bool appears) {
        const std::uint32_t place = place_of(life.range.traits);
        places_[place].reserved_bytes += appears ? life.range.size_bytes : 0 - life.range.size_bytes;
        return place;
    }
    /// Counts a block in the place of the range around it, if there is one.
    void add_block(const BlockLife& life, std::optional<std::uint32_t> place) {
        if (!place) return;
        held_[life.rank] = *place + 1;
        places_[*place].used_bytes += life.size_bytes;
    }
    void drop_block(const BlockLife& life) {
        if (held_[life.rank] == 0) return;
        places_[held_[life.rank] - 1].used_bytes -= life.size_bytes;
        held_[life.rank] = 0;
    }
    const GrownDespiteIdle& found() const { return found_; }

private:
    static constexpr std::uint32_t k_events_looked_ahead = 50;

    /// The ranges that a request may use: those of its stream, pool and size class.
    struct Place {
        std::uint64_t reserved_bytes = 0;
        std::uint64_t used_bytes = 0;
    };

    std::uint32_t place_of(RangeTraits traits) {
        traits.pool = facts_.pools.known(traits.pool);
        traits.is_expandable = false;
        const auto [place, is_new] = place_numbers_.try_emplace(traits, static_cast<std::uint32_t>(places_.size()));
        if (is_new) places_.emplace_back();
        return place->second;
    }

    std::optional<std::uint64_t> next_request(std::uint32_t event) const {
        const EventColumns& events = facts_.trace.events;
        const auto end = std::min<std::size_t>(events.size(), std::size_t{event} + k_events_looked_ahead);
        for (std::size_t i = event; i < end; ++i) {
            if (events.action[i] == Action::alloc || events.action[i] == Action::oom) return events.size_bytes[i];
        }
        return std::nullopt;
    }

    const AddressFacts& facts_;
    std::map<RangeTraits, std::uint32_t> place_numbers_;
    std::vector<Place> places_;
    std::vector<std::uint32_t> held_;  ///< 1 + number of the place that counts the block at each rank, or 0
    GrownDespiteIdle found_;
};

}  // namespace

HolesHistory holes_history(const AddressSpace& space) {
    constexpr std::uint32_t k_moments_between_stops = 1024;
    const std::uint32_t moments = space.moment_count();
    HolesHistory history;
    if (space.facts().trace.reserved_known == ReservedKnown::at_end) history.first_moment = moments - 1;
    history.worst_moment = history.max_reserved_moment = history.first_moment;
    if (space.facts().trace.reserved_known == ReservedKnown::no) {
        history.rows.resize(moments - history.first_moment);
        return history;
    }
    history.rows.reserve(moments - history.first_moment);
    HoleTracker holes(space.facts());
    GrowthWatch growth(space.facts());
    LifeReplay blocks(space.blocks(), moments);
    LifeReplay ranges(space.ranges(), moments);
    for (std::uint32_t moment = 0; moment < moments; ++moment) {
        if (moment % k_moments_between_stops == 0) check_stop();
        if (moment > 0) growth.examine_event(moment - 1);
        ranges.at(moment, [&](const RangeLife& life, bool comes) {
            const std::uint32_t place = growth.change_range(life, comes);
            comes ? holes.add_range(life, place) : holes.drop_range(life);
        });
        blocks.at(moment, [&](const BlockLife& life, bool comes) {
            comes ? holes.add_block(life) : holes.drop_block(life);
            comes ? growth.add_block(life, holes.place_around(life.rank)) : growth.drop_block(life);
        });
        if (moment < history.first_moment) continue;
        const HolesRow row = holes.row();
        history.rows.push_back(row);
        if (row.idle_pinned > history.at(history.worst_moment).idle_pinned) history.worst_moment = moment;
        const HolesRow& most = history.at(history.max_reserved_moment);
        if (row.reserved > most.reserved || (row.reserved == most.reserved && row.idle < most.idle))
            history.max_reserved_moment = moment;
    }
    history.grown = growth.found();
    return history;
}

std::vector<PoolUse> pool_uses(const AddressSpace& space, const StackLines& lines, std::uint32_t peak_moment) {
    const AddressFacts& facts = space.facts();
    const ReservedKnown known = facts.trace.reserved_known;
    if (known == ReservedKnown::no) return {};
    const std::uint32_t end = space.moment_count() - 1;
    const HoldingOfPool at_end = holdings_at(space.at(end), facts.pools);
    HoldingOfPool at_peak;
    const bool knows_peak = known == ReservedKnown::throughout || peak_moment == end;
    if (knows_peak) at_peak = holdings_at(space.at(peak_moment), facts.pools);
    std::map<std::uint16_t, PoolUse> found;
    for (const RangeLife& life : space.ranges()) {
        if (known == ReservedKnown::throughout || life.end == BlockLife::k_never)
            found.try_emplace(facts.pools.known(life.range.traits.pool));
    }
    const auto makers = making_events(facts);
    std::vector<PoolUse> uses;
    for (auto& [pool, use] : found) {
        use.pool = facts.pools.text(pool);
        use.is_private = facts.pools.is_private(pool);
        if (knows_peak) use.at_peak = at_peak[pool];
        if (const auto held = at_end.find(pool); held != at_end.end()) use.at_end = held->second;
        if (const auto maker = makers.find(pool); maker != makers.end()) use.made_event = maker->second;
        if (use.is_private) find_maker(use, facts, lines, pool);
        uses.push_back(std::move(use));
    }
    std::ranges::sort(uses, [](const PoolUse& a, const PoolUse& b) { return compare_names(a.pool, b.pool) < 0; });
    return uses;
}

}  // namespace snapviewer::space
