#include "core/analysis/space/address_space.h"

#include <map>
#include <numeric>
#include <utility>

#include "core/base/context.h"

namespace snapviewer::space {
namespace {

constexpr std::uint32_t k_events_between_stop_checks = 4096;

void check_stop_at(std::uint32_t event) {
    if (event % k_events_between_stop_checks == 0) check_stop();
}

AddressMoment::Block block_at(const AddressRanks& ranks, const BlockLife& life, std::uint32_t moment) {
    return {ranks.address(life.rank), life.size_bytes, AllocationId{life.allocation}, life.pending_from <= moment};
}

/// Maximum number of lines of a map. A file can claim any amount of reserved memory, but no user can scroll through more
/// lines.
constexpr std::uint64_t k_max_map_lines = 50'000;

struct GroupRanges {
    AddressMapGroup group;
    std::vector<std::uint32_t> ranges;
};

std::vector<GroupRanges> grouped(const AddressMoment& moment, const PoolNames& pools) {
    std::map<RangeTraits, GroupRanges> found;
    for (std::uint32_t i = 0; i < moment.ranges.size(); ++i) {
        const AddressRange& range = moment.ranges[i].range;
        RangeTraits traits = range.traits;
        traits.pool = pools.known(traits.pool);
        GroupRanges& group = found[traits];
        group.group.traits = traits;
        group.group.reserved_bytes = end_address(group.group.reserved_bytes, range.size_bytes);
        ++group.group.range_count;
        group.ranges.push_back(i);
    }
    std::vector<GroupRanges> groups;
    for (auto& [traits, group] : found) groups.push_back(std::move(group));
    std::ranges::stable_sort(groups, [&](const GroupRanges& a, const GroupRanges& b) {
        return std::pair(pools.is_private(a.group.traits.pool), b.group.reserved_bytes) <
               std::pair(pools.is_private(b.group.traits.pool), a.group.reserved_bytes);
    });
    return groups;
}

std::uint64_t total_bytes(const std::vector<GroupRanges>& groups) {
    return std::accumulate(groups.begin(), groups.end(), std::uint64_t{0}, [](std::uint64_t sum, const GroupRanges& each) {
        return end_address(sum, each.group.reserved_bytes);
    });
}

/// Appends ranges to the lines of a map, one after another.
class LineFiller {
public:
    LineFiller(AddressMap& map, std::uint64_t gap_bytes) : map_(map), gap_bytes_(gap_bytes) {}

    void begin_group() {
        map_.groups.back().first_line = static_cast<std::uint32_t>(map_.lines.size());
        begin_line();
    }

    void add(std::uint32_t index, const AddressRange& range) {
        const bool fits = range.size_bytes <= remaining_bytes();
        if (!fits && used_ > 0 && (range.size_bytes <= map_.line_bytes || remaining_bytes() == 0)) begin_line();
        for (std::uint64_t at = range.address; at < range.end();) {
            if (remaining_bytes() == 0) begin_line();
            const std::uint64_t part = std::min(remaining_bytes(), range.end() - at);
            map_.pieces.push_back({index, at, at + part, used_});
            ++map_.lines.back().piece_count;
            used_ += part;
            at += part;
        }
        used_ = std::min(map_.line_bytes, end_address(used_, gap_bytes_));
    }

private:
    std::uint64_t remaining_bytes() const { return map_.line_bytes - used_; }
    void begin_line() {
        map_.lines.push_back(
            {static_cast<std::uint32_t>(map_.groups.size() - 1), static_cast<std::uint32_t>(map_.pieces.size()), 0});
        used_ = 0;
    }

    AddressMap& map_;
    std::uint64_t gap_bytes_;
    std::uint64_t used_ = 0;  ///< Used bytes of the last line
};

std::uint64_t gap_of(std::uint64_t line_bytes, double gap_share) {
    return static_cast<std::uint64_t>(static_cast<double>(line_bytes) * gap_share);
}

}  // namespace

AddressSpace AddressSpace::build(const Snapshot& snapshot, const DeviceTrace& trace) {
    AddressSpace space;
    space.facts_ = std::make_unique<const AddressFacts>(snapshot, trace);
    space.sizes_.resize(space.facts_->trace.allocations.size());
    space.take_sizes_from_file();
    space.walk();
    for (std::size_t i = 0; i < space.sizes_.size(); ++i) {
        check_stop_at(static_cast<std::uint32_t>(i));
        if (space.sizes_[i].origin != BlockSizeOrigin::unknown) continue;
        const std::uint64_t requested_bytes = space.facts_->trace.allocations.size_bytes[i];
        space.sizes_[i] = {space.facts_->rules.rounded(requested_bytes), BlockSizeOrigin::rounded};
    }
    return space;
}

void AddressSpace::take_sizes_from_file() {
    const AddressRanks& ranks = facts_->ranks;
    std::vector<std::uint64_t> final_bytes(ranks.size());
    std::vector<bool> is_final(ranks.size());
    for_each_final_block(facts_->snapshot, facts_->trace, [&](std::uint64_t address, const Block& block) {
        if (block.state == BlockState::inactive) return;
        const std::uint32_t rank = ranks.find(address);
        final_bytes[rank] = block.size_bytes;
        is_final[rank] = true;
    });
    const AllocationColumns& allocations = facts_->trace.allocations;
    for (std::size_t i = 0; i < allocations.size(); ++i) {
        check_stop_at(static_cast<std::uint32_t>(i));
        if (allocations.free_event[i].is_some()) continue;
        const std::uint32_t rank = ranks.find(allocations.address[i]);
        if (is_final[rank]) sizes_[i] = {final_bytes[rank], BlockSizeOrigin::file};
    }
}

void AddressSpace::walk() {
    const auto events = static_cast<std::uint32_t>(facts_->trace.events.size());
    AddressWalk forward(*facts_, sizes_);
    {
        AddressWalk backward(*facts_, sizes_);
        backward.set_to_end();
        for (std::uint32_t event = events; event-- > 0;) {
            check_stop_at(event);
            backward.undo(event);
        }
        backward_contradictions_ = backward.contradictions();
        backward.determine_sizes();
        forward.set_to(backward);
    }
    std::vector<std::uint32_t> there;
    const auto note_moment = [&](std::uint32_t moment) {
        if (block_index_.is_due(moment, forward.block_count())) {
            forward.list_blocks(there);
            block_index_.add(moment, there, forward.blocks().size());
        }
        if (range_index_.is_due(moment, forward.range_count())) {
            forward.list_ranges(there);
            range_index_.add(moment, there, forward.ranges().size());
        }
    };
    note_moment(0);
    for (std::uint32_t event = 0; event < events; ++event) {
        check_stop_at(event);
        forward.apply(event, true);
        note_moment(event + 1);
    }
    forward_contradictions_ = forward.contradictions();
    guesses_ = forward.guesses();
    right_guesses_ = forward.right_guesses();
    blocks_ = std::move(forward.blocks());
    ranges_ = std::move(forward.ranges());
    blocks_.shrink_to_fit();
}

AddressMoment AddressSpace::at(std::uint32_t moment) const {
    AddressMoment found;
    const std::vector<std::uint32_t> blocks = block_index_.at(blocks_, moment);
    found.blocks.reserve(blocks.size());
    std::size_t next = 0;
    const auto take = [&](std::vector<AddressMoment::Block>& into) {
        const AddressMoment::Block block = block_at(facts_->ranks, blocks_[blocks[next++]], moment);
        found.active_bytes += block.size_bytes;
        if (block.is_pending) found.pending_bytes += block.size_bytes;
        into.push_back(block);
    };
    const auto lies_below = [&](std::uint64_t address) {
        return next < blocks.size() && facts_->ranks.address(blocks_[blocks[next]].rank) < address;
    };
    for (const std::uint32_t number : range_index_.at(ranges_, moment)) {
        const AddressRange& range = ranges_[number].range;
        while (lies_below(range.address)) take(found.outside);
        const std::size_t first = found.blocks.size();
        while (lies_below(range.end())) take(found.blocks);
        found.ranges.push_back(
            {range, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(found.blocks.size() - first)});
        found.reserved_bytes += range.size_bytes;
    }
    while (next < blocks.size()) take(found.outside);
    return found;
}

bool AddressSpace::is_idle_memory_known() const {
    return facts_->trace.reserved_known == ReservedKnown::throughout &&
           backward_contradictions_[static_cast<std::size_t>(Contradiction::live_in_no_segment)] == 0;
}

WalkAgreement AddressSpace::check(std::uint32_t moment) const {
    const auto events = static_cast<std::uint32_t>(facts_->trace.events.size());
    std::vector<BlockSize> sizes = sizes_;
    WalkAgreement result;
    AddressWalk forward(*facts_, sizes);
    AddressWalk backward(*facts_, sizes);
    backward.set_to_end();
    const std::uint64_t file_digest = backward.digest();
    std::vector<std::uint64_t> digests(std::size_t{events} + 1);
    for (std::uint32_t event = events; event-- > 0;) {
        check_stop_at(event);
        digests[std::size_t{event} + 1] = backward.digest();
        backward.undo(event);
    }
    digests[0] = backward.digest();
    forward.set_to(backward);
    for (std::uint32_t at = 0; at <= events; ++at) {
        check_stop_at(at);
        if (at > 0) forward.apply(at - 1, false);
        ++result.states;
        if (forward.digest() == digests[at]) continue;
        ++result.differing;
        if (!result.first_differing_moment) result.first_differing_moment = at;
        result.differs_at_moment = result.differs_at_moment || at == moment;
    }
    result.end_equals_file = forward.digest() == file_digest;
    for (const BlockSize& size : sizes_) ++result.sizes_by_origin[static_cast<std::size_t>(size.origin)];
    return result;
}

AddressMap lay_out_address_map(const AddressMoment& moment, const PoolNames& pools, std::uint64_t line_bytes,
                               std::uint64_t gap_bytes) {
    const std::vector<GroupRanges> groups = grouped(moment, pools);
    AddressMap map;
    map.line_bytes = std::max(line_bytes, total_bytes(groups) / k_max_map_lines + 1);
    LineFiller filler(map, gap_bytes);
    for (const GroupRanges& each : groups) {
        map.groups.push_back(each.group);
        filler.begin_group();
        for (const std::uint32_t range : each.ranges) filler.add(range, moment.ranges[range].range);
    }
    return map;
}

std::uint64_t fitting_line_bytes(const AddressMoment& moment, const PoolNames& pools, std::size_t max_lines,
                                 double gap_share) {
    constexpr std::uint64_t k_shortest = std::uint64_t{64} << 10;
    const std::vector<GroupRanges> groups = grouped(moment, pools);
    std::uint64_t longest = 0;
    for (const GroupRanges& each : groups) longest = std::max(longest, each.group.reserved_bytes);
    std::uint64_t line_bytes = std::max(k_shortest, total_bytes(groups) / std::max<std::size_t>(1, max_lines));
    while (line_bytes < longest) {
        if (lay_out_address_map(moment, pools, line_bytes, gap_of(line_bytes, gap_share)).lines.size() <= max_lines) break;
        line_bytes = end_address(line_bytes, line_bytes / 8);
    }
    return line_bytes;
}

std::uint32_t max_reserved_moment(const AddressSpace& space) {
    std::vector<std::pair<std::uint32_t, std::int64_t>> changes;
    for (const RangeLife& life : space.ranges()) {
        const auto size_bytes = static_cast<std::int64_t>(life.range.size_bytes);
        changes.emplace_back(life.begin, size_bytes);
        if (life.end != BlockLife::k_never) changes.emplace_back(life.end, -size_bytes);
    }
    std::ranges::sort(changes);
    std::int64_t reserved = 0;
    std::int64_t most = 0;
    std::uint32_t moment = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        reserved += changes[i].second;
        const bool is_last_of_moment = i + 1 == changes.size() || changes[i + 1].first != changes[i].first;
        if (!is_last_of_moment || reserved <= most) continue;
        most = reserved;
        moment = changes[i].first;
    }
    return moment;
}

AddressSpot spot_at(const AddressMoment& moment, std::uint32_t range, std::uint64_t address) {
    AddressSpot spot{range, std::nullopt, {}};
    const AddressMoment::Range& around = moment.ranges[range];
    const auto blocks = moment.blocks_of(around);
    const auto after = std::ranges::upper_bound(blocks, address, {}, &AddressMoment::Block::address);
    spot.hole = {around.range.address, after == blocks.end() ? around.range.end() : after->address};
    if (after == blocks.begin()) return spot;
    const auto before = std::prev(after);
    const std::uint64_t end = end_address(before->address, before->size_bytes);
    if (address < end)
        spot.block = around.first_block + static_cast<std::uint32_t>(before - blocks.begin());
    else
        spot.hole.begin = end;
    return spot;
}

}  // namespace snapviewer::space
