#include "core/analysis/space/address_space.h"

#include "core/base/context.h"

namespace snapviewer {
namespace {

constexpr std::uint32_t k_events_between_stop_checks = 4096;

void check_stop_at(std::uint32_t event) {
    if (event % k_events_between_stop_checks == 0) check_stop();
}

AddressMoment::Block block_at(const AddressRanks& ranks, const BlockLife& life, std::uint32_t moment) {
    return {ranks.address(life.rank), life.size_bytes, AllocationId{life.allocation}, life.pending_from <= moment};
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

}  // namespace snapviewer
