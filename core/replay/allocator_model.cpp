#include "core/replay/allocator_model.h"

#include <algorithm>
#include <iterator>

namespace snapviewer::replay {
namespace {

constexpr std::uint64_t k_address_step = std::uint64_t{1} << 30;
constexpr std::uint64_t k_room_for_falling = std::uint64_t{1} << 46;

bool is_vacant(std::uint64_t address, std::uint64_t size_bytes, const AddressSource::Extents& taken) {
    const auto next = taken.lower_bound(address + size_bytes);
    if (next == taken.begin()) return true;
    const auto& [base, size] = *std::prev(next);
    return base + size <= address;
}

}  // namespace

AddressSource::AddressSource(std::uint64_t top, AddressOrder order)
    : next_(round_up_to(top, k_address_step) + k_address_step), is_falling_(order == AddressOrder::down) {
    if (is_falling_) next_ += k_room_for_falling;
}

std::uint64_t AddressSource::fresh(std::uint64_t size_bytes) {
    size_bytes = round_up_to(size_bytes, k_large_round_bytes);
    if (is_falling_) return next_ -= size_bytes;
    next_ += size_bytes;
    return next_ - size_bytes;
}

std::uint64_t AddressSource::segment(std::uint64_t size_bytes, const Extents& taken) {
    const auto hint = std::ranges::find_if(
        hints, [&](const auto& it) { return it.second == size_bytes && is_vacant(it.first, size_bytes, taken); });
    if (hint == hints.end()) return fresh(size_bytes);
    const std::uint64_t address = hint->first;
    hints.erase(hint);
    return address;
}

std::uint64_t AddressSource::room_above(std::uint64_t base) const {
    const auto above = std::ranges::upper_bound(bounds, base);
    return above == bounds.end() ? k_unlimited_bytes : *above - base;
}

std::pair<std::uint64_t, std::uint64_t> AddressSource::reservation(const RequestClass& requests, std::uint64_t page,
                                                                   std::uint64_t size_bytes, const Extents& taken) {
    if (const auto row = bases.find(requests); row != bases.end() && !row->second.empty()) {
        const std::uint64_t base = row->second.front();
        const std::uint64_t clipped = std::min(size_bytes, room_above(base)) / page * page;
        if (clipped > 0 && is_vacant(base, clipped, taken)) {
            row->second.pop_front();
            return {base, clipped};
        }
    }
    return {fresh(size_bytes), size_bytes};
}

AllocatorModel::AllocatorModel(const AllocatorSettings& settings, AddressSource addresses)
    : settings_(settings), addresses_(std::move(addresses)) {}

// --- keeping lists of blocks ---

ModelPool& AllocatorModel::pool(PoolId id, bool is_small) {
    return pools_.try_emplace({id, is_small}, ModelPool{id, is_small, {}, 0}).first->second;
}

std::uint32_t AllocatorModel::add_block(const ModelBlock& block) {
    if (unused_.empty()) {
        blocks_.push_back(block);
        return static_cast<std::uint32_t>(blocks_.size() - 1);
    }
    const std::uint32_t index = unused_.back();
    unused_.pop_back();
    blocks_[index] = block;
    return index;
}

void AllocatorModel::insert(std::uint32_t index) {
    ModelBlock& block = blocks_[index];
    block.age = block.pool->searches;
    if (!lists_of(block).free.emplace(std::pair(block.size_bytes, block.address), index).second) return;
    free_bytes_ += block.size_bytes;
    ++free_sizes_[block.size_bytes];
}

void AllocatorModel::remove(std::uint32_t index) {
    const ModelBlock& block = blocks_[index];
    if (lists_of(block).free.erase({block.size_bytes, block.address}) == 0) return;
    free_bytes_ -= block.size_bytes;
    const auto count = free_sizes_.find(block.size_bytes);
    if (--count->second == 0) free_sizes_.erase(count);
}

void AllocatorModel::add_chain(const std::vector<std::uint32_t>& chain) {
    for (std::size_t i = 1; i < chain.size(); ++i) {
        blocks_[chain[i - 1]].after = chain[i];
        blocks_[chain[i]].before = chain[i - 1];
    }
    const std::uint64_t base = blocks_[chain.front()].segment;
    heads_[base] = chain.front();
    extents_[base] = blocks_[chain.back()].end() - base;
}

void AllocatorModel::begin(std::uint64_t reserved) {
    reserved_bytes = peak_reserved_bytes = reserved;
    peak_allocated_bytes = allocated_bytes;
}

std::uint32_t AllocatorModel::cut(std::uint32_t index, std::uint64_t size_bytes) {
    ModelBlock rest = blocks_[index];
    rest.address += size_bytes;
    rest.size_bytes -= size_bytes;
    rest.before = index;
    rest.is_used = rest.is_pending = false;
    rest.serial = 0;
    rest.asked_bytes = 0;
    const std::uint32_t made = add_block(rest);
    blocks_[index].size_bytes = size_bytes;
    if (rest.after != k_none) blocks_[rest.after].before = made;
    blocks_[index].after = made;
    return made;
}

/// Merges an idle neighbour into a block if both are mapped or both are unmapped.
void AllocatorModel::join(std::uint32_t index, std::uint32_t other_index) {
    if (other_index == k_none) return;
    ModelBlock& block = blocks_[index];
    const ModelBlock& other = blocks_[other_index];
    if (!other.is_idle() || other.is_mapped != block.is_mapped) return;
    other.is_mapped ? remove(other_index) : remove_hole(other_index);
    if (block.before == other_index) {
        block.address = other.address;
        block.before = other.before;
        if (block.before != k_none)
            blocks_[block.before].after = index;
        else
            heads_[block.segment] = index;
    } else {
        block.after = other.after;
        if (block.after != k_none) blocks_[block.after].before = index;
    }
    block.size_bytes += other.size_bytes;
    unused_.push_back(other_index);
}

// --- serving requests and frees ---

std::optional<BlockHandle> AllocatorModel::allocate(std::uint64_t asked_bytes, std::uint64_t stream, PoolId id,
                                                    bool is_retried) {
    const std::uint64_t size = settings_.rounded(asked_bytes);
    ModelPool& from = pool(id, size <= k_small_limit_bytes);
    std::uint32_t index = is_retried ? k_none : best_fit(from, stream, size);
    if (index == k_none) index = make_room(from, stream, size);
    if (index == k_none) return std::nullopt;
    if (const std::uint64_t align = settings_.alignment;
        align > 0 && settings_.expandable && size >= k_large_round_bytes && blocks_[index].address % align != 0) {
        const std::uint64_t lead = align - blocks_[index].address % align;
        if (lead + size <= blocks_[index].size_bytes) {
            const std::uint32_t front = index;
            index = cut(front, lead);
            insert(front);
        }
    }
    if (is_split(from, size, blocks_[index].size_bytes - size)) insert(cut(index, size));
    return hold(index, asked_bytes);
}

bool AllocatorModel::is_split(const ModelPool& from, std::uint64_t size, std::uint64_t rest) const {
    if (unsplit_pools.contains(from.id)) return false;
    if (from.is_small || settings_.expandable) return rest >= k_min_block_bytes;
    return size < settings_.max_split && rest > k_max_unsplit_rest_bytes;
}

BlockHandle AllocatorModel::hold(std::uint32_t index, std::uint64_t asked_bytes) {
    ModelBlock& block = blocks_[index];
    block.is_used = true;
    block.asked_bytes = asked_bytes;
    block.serial = next_serial_++;
    allocated_bytes += block.size_bytes;
    active_bytes += block.size_bytes;
    peak_allocated_bytes = std::max(peak_allocated_bytes, allocated_bytes);
    return {index, block.serial};
}

bool AllocatorModel::is_used(BlockHandle handle) const { return is_current(handle) && blocks_[handle.index].is_used; }

void AllocatorModel::release(BlockHandle handle) {
    if (!is_used(handle)) return;
    ModelBlock& block = blocks_[handle.index];
    block.is_used = false;
    block.is_pending = true;
    block.ticket = next_ticket_++;
    allocated_bytes -= block.size_bytes;
    waiting_.emplace(block.ticket, handle.index);
}

void AllocatorModel::complete(BlockHandle handle) {
    if (is_current(handle) && blocks_[handle.index].is_pending) complete_waiting(handle.index);
}

void AllocatorModel::complete_waiting(std::uint32_t index) {
    ModelBlock& block = blocks_[index];
    waiting_.erase(block.ticket);
    block.is_pending = false;
    block.serial = 0;
    active_bytes -= block.size_bytes;
    join(index, blocks_[index].before);
    join(index, blocks_[index].after);
    insert(index);
}

// --- searching for free blocks, and growing ---

std::uint64_t AllocatorModel::available_size(std::uint32_t index) const {
    const ModelBlock& block = blocks_[index];
    const bool can_grow = block.after != k_none && !blocks_[block.after].is_mapped;
    return block.size_bytes + (can_grow ? blocks_[block.after].size_bytes : 0);
}

std::uint32_t AllocatorModel::find(ModelPool& from, std::uint64_t stream, std::uint64_t size) const {
    const auto row = from.streams.find(stream);
    if (row == from.streams.end()) return k_none;
    const auto& free = row->second.free;
    auto at = free.lower_bound({size, 0});
    if (at == free.end()) return k_none;
    if (blocks_[at->second].is_expandable()) {
        if (settings_.expandable) {
            for (auto next = std::next(at); blocks_[at->second].is_expandable() && next != free.end(); at = next++) {
                if (available_size(next->second) >= available_size(at->second)) break;
            }
        } else {
            at = std::find_if(at, free.end(), [&](const auto& it) { return !blocks_[it.second].is_expandable(); });
            if (at == free.end()) return k_none;
        }
    }
    const std::uint64_t found = blocks_[at->second].size_bytes;
    if (size < settings_.max_split && settings_.max_split <= found) return k_none;
    if (size >= settings_.max_split && found >= size + settings_.non_split_rounding) return k_none;
    return at->second;
}

std::uint32_t AllocatorModel::best_fit(ModelPool& from, std::uint64_t stream, std::uint64_t size) {
    ++from.searches;
    const std::uint32_t index = find(from, stream, size);
    if (index != k_none) remove(index);
    return index;
}

const ModelBlock* AllocatorModel::cached(std::uint64_t size, std::uint64_t stream, PoolId id) {
    const std::uint32_t index = find(pool(id, size <= k_small_limit_bytes), stream, size);
    return index == k_none ? nullptr : &blocks_[index];
}

std::uint32_t AllocatorModel::make_room(ModelPool& from, std::uint64_t stream, std::uint64_t size) {
    if (settings_.gc_threshold > 0 && settings_.capacity > 0) collect_garbage();
    std::uint32_t index = extend(from, stream, size);
    if (index == k_none && release_oversize(from, stream, size)) index = extend(from, stream, size);
    // A request for a private pool never flushes the cache: PyTorch's captures_underway is not empty then.
    if (index != k_none || from.id != PoolId{}) return index;
    flush();
    return extend(from, stream, size);
}

bool AllocatorModel::fits(std::uint64_t size) const {
    return settings_.capacity == 0 || reserved_bytes + size <= settings_.capacity;
}

void AllocatorModel::grow(Action call, std::uint64_t address, std::uint64_t size) {
    reserved_bytes += size;
    ++driver_allocs;
    peak_reserved_bytes = std::max(peak_reserved_bytes, reserved_bytes);
    log.push_back({call, address, size});
}

void AllocatorModel::shrink(Action call, std::uint64_t address, std::uint64_t size) {
    reserved_bytes -= size;
    ++driver_frees;
    log.push_back({call, address, size});
}

std::uint32_t AllocatorModel::extend(ModelPool& from, std::uint64_t stream, std::uint64_t size) {
    if (settings_.expandable && !native_pools.contains(from.id)) return extend_reservation(from, stream, size);
    const std::uint64_t need = settings_.segment_bytes(size);
    if (!fits(need)) return k_none;
    const std::uint64_t address = addresses_.segment(need, extents_);
    const std::uint32_t index =
        add_block({.address = address, .size_bytes = need, .stream = stream, .segment = address, .pool = &from});
    add_chain({index});
    grow(Action::segment_alloc, address, need);
    return index;
}

std::uint32_t AllocatorModel::extend_reservation(ModelPool& from, std::uint64_t stream, std::uint64_t size) {
    std::uint32_t index = find_room(from, stream, size);
    if (!blocks_[index].is_mapped) {
        // Mapping would join the block with a free block before it. There is none, because find_room() would have begun
        // there.
        if (!map(index, std::min(blocks_[index].size_bytes, size))) return k_none;
    }
    while (blocks_[index].size_bytes < size) {
        const std::uint32_t hole = blocks_[index].after;
        if (!map(hole, std::min(size - blocks_[index].size_bytes, blocks_[hole].size_bytes))) return k_none;
        index = hole;  // join() has merged the previous block into the hole
    }
    remove(index);
    return index;
}

/// The lowest free or unmapped block that begins a stretch of idle blocks with enough room. Makes a new reservation if there
/// is none.
std::uint32_t AllocatorModel::find_room(ModelPool& from, std::uint64_t stream, std::uint64_t size) {
    for (const auto& [address, hole] : from.streams[stream].holes) {
        std::uint32_t first = hole;
        const std::uint32_t before = blocks_[hole].before;
        if (before != k_none && blocks_[before].is_idle()) first = before;
        std::uint64_t room = 0;
        for (std::uint32_t at = first; room < size && at != k_none && blocks_[at].is_idle(); at = blocks_[at].after)
            room += blocks_[at].size_bytes;
        if (room >= size) return first;
    }
    const std::uint64_t page = from.is_small ? k_small_segment_bytes : settings_.large_segment;
    return reserve(from, stream, page, reservation_bytes(page));
}

std::uint64_t AllocatorModel::reservation_bytes(std::uint64_t page) const {
    const std::uint64_t card = settings_.capacity > 0 ? settings_.capacity : std::uint64_t{1} << 40;
    return round_up_to(card + card / 8, page);
}

std::uint32_t AllocatorModel::reserve(ModelPool& from, std::uint64_t stream, std::uint64_t page, std::uint64_t wanted) {
    const auto [base, size] = addresses_.reservation({from.id, from.is_small, stream}, page, wanted, extents_);
    const std::uint32_t index = add_block({.address = base,
                                           .size_bytes = size,
                                           .stream = stream,
                                           .segment = base,
                                           .page = page,
                                           .pool = &from,
                                           .is_mapped = false});
    add_chain({index});
    insert_hole(index);
    return index;
}

/// Backs the first pages of an unmapped block with memory and joins it with its free neighbours. Returns false if the
/// capacity does not suffice.
bool AllocatorModel::map(std::uint32_t index, std::uint64_t wanted) {
    const ModelBlock hole = blocks_[index];
    const std::uint64_t end = hole.segment + round_up_to(hole.address + wanted - hole.segment, hole.page);
    const std::uint64_t size = std::min(end - hole.address, hole.size_bytes);
    if (!fits(size)) return false;
    remove_hole(index);
    if (size < hole.size_bytes) insert_hole(cut(index, size));
    blocks_[index].is_mapped = true;
    join(index, blocks_[index].before);
    join(index, blocks_[index].after);
    insert(index);
    grow(Action::segment_map, hole.address, size);
    return true;
}

void AllocatorModel::map_exactly(std::uint64_t address, std::uint64_t size_bytes) {
    for (const auto& [key, row] : pools_) {
        for (const auto& [stream, lists] : row.streams) {
            const auto hole = lists.holes.find(address);
            if (hole == lists.holes.end() || blocks_[hole->second].size_bytes < size_bytes) continue;
            map(hole->second, size_bytes);
            return;
        }
    }
}

// --- returning memory to the driver ---

void AllocatorModel::release_segment(std::uint32_t index) {
    const ModelBlock block = blocks_[index];
    remove(index);
    heads_.erase(block.segment);
    extents_.erase(block.segment);
    shrink(Action::segment_free, block.address, block.size_bytes);
    unused_.push_back(index);
}

void AllocatorModel::release_exactly(std::uint64_t address, std::uint64_t size_bytes) {
    const auto head = heads_.find(address);
    if (head == heads_.end()) return;
    const ModelBlock& block = blocks_[head->second];
    if (block.is_idle() && block.is_whole_segment() && block.size_bytes == size_bytes) release_segment(head->second);
}

void AllocatorModel::unmap(std::uint32_t index) {
    const ModelBlock whole = blocks_[index];
    const std::uint64_t start = whole.segment + round_up_to(whole.address - whole.segment, whole.page);
    const std::uint64_t end = whole.segment + (whole.end() - whole.segment) / whole.page * whole.page;
    if (start >= end) return;
    remove(index);
    if (start > whole.address) {
        const std::uint32_t front = index;
        index = cut(front, start - whole.address);
        insert(front);
    }
    if (end < whole.end()) insert(cut(index, end - start));
    blocks_[index].is_mapped = false;
    join(index, blocks_[index].before);
    join(index, blocks_[index].after);
    insert_hole(index);
    shrink(Action::segment_unmap, start, end - start);
    if (blocks_[index].is_split()) return;
    remove_hole(index);
    heads_.erase(whole.segment);
    extents_.erase(whole.segment);
    unused_.push_back(index);
}

void AllocatorModel::flush() {
    ++flushes;
    while (!waiting_.empty()) complete_waiting(waiting_.begin()->second);
    release_pool({}, false);
    release_pool({}, true);
    for (const PoolId& id : freeable) {
        if (id == PoolId{}) continue;
        release_pool(id, true);
        release_pool(id, false);
    }
}

void AllocatorModel::flush(const std::set<PoolId>& only) {
    ++flushes;
    for (const auto& [ticket, index] : std::map(waiting_)) {
        if (only.contains(blocks_[index].pool->id)) complete_waiting(index);
    }
    for (const PoolId& id : only) {
        release_pool(id, true);
        release_pool(id, false);
    }
}

void AllocatorModel::release_pool(PoolId id, bool is_small) {
    const ModelPool& from = pool(id, is_small);
    for (const std::uint32_t index : whole_segments(from)) release_segment(index);
    std::vector<std::uint32_t> mapped;
    for (const auto& [stream, row] : from.streams) {
        for (const auto& [key, index] : row.free) {
            if (blocks_[index].is_expandable()) mapped.push_back(index);
        }
    }
    for (const std::uint32_t index : mapped) unmap(index);
}

/// The native segments of a pool that are completely free.
std::vector<std::uint32_t> AllocatorModel::whole_segments(const ModelPool& from) const {
    std::vector<std::uint32_t> found;
    for (const auto& [stream, row] : from.streams) {
        for (const auto& [key, index] : row.free) {
            if (blocks_[index].is_whole_segment()) found.push_back(index);
        }
    }
    return found;
}

/// Applies max_split_size: returns the smallest oversize segment that is large enough to the driver, or else the largest
/// ones until their sum is enough. Returns true if enough was released.
bool AllocatorModel::release_oversize(ModelPool& from, std::uint64_t stream, std::uint64_t size) {
    if (settings_.max_split >= k_unlimited_bytes) return false;
    const std::uint64_t want = std::max(size, settings_.max_split);
    std::vector<std::uint32_t> rows;
    const auto& free = from.streams[stream].free;
    // Skips parts of segments: after a change of the setting, a split block can be as large as an oversize segment.
    for (auto at = free.lower_bound({settings_.max_split, 0}); at != free.end(); ++at) {
        if (blocks_[at->second].is_whole_segment()) rows.push_back(at->second);
    }
    const auto enough = std::ranges::find_if(rows, [&](std::uint32_t index) { return blocks_[index].size_bytes >= want; });
    if (enough != rows.end()) {
        release_segment(*enough);
        return true;
    }
    std::uint64_t freed = 0;
    for (auto index = rows.rbegin(); index != rows.rend() && freed < want; ++index) {
        freed += blocks_[*index].size_bytes;
        release_segment(*index);
    }
    return freed >= want;
}

/// Models garbage_collection_threshold: if reserved memory is above the threshold, returns the large segments that were
/// unused for longest to the driver.
void AllocatorModel::collect_garbage() {
    const auto limit = static_cast<std::uint64_t>(settings_.gc_threshold * static_cast<double>(settings_.capacity));
    if (reserved_bytes <= limit) return;
    const std::uint64_t target = reserved_bytes - limit;
    ModelPool& from = pool({}, false);
    const auto age_of = [&](std::uint32_t index) { return from.searches - blocks_[index].age; };
    const std::vector<std::uint32_t> first = whole_segments(from);
    std::uint64_t total = 0;
    for (const std::uint32_t index : first) total += age_of(index);
    std::size_t count = first.size();
    std::uint64_t freed = 0;
    for (bool is_again = true; freed < target && is_again && count > 0;) {
        const double mean = static_cast<double>(total) / static_cast<double>(count);
        is_again = false;
        for (const std::uint32_t index : whole_segments(from)) {
            const std::uint64_t age = age_of(index);
            if (static_cast<double>(age) < mean) continue;
            is_again = true;
            freed += blocks_[index].size_bytes;
            total -= age;
            --count;
            release_segment(index);
        }
    }
}

// --- measuring the state ---

double AllocatorModel::fragmentation() const {
    return free_bytes_ == 0 ? 0.0 : 1.0 - static_cast<double>(largest_free_bytes()) / static_cast<double>(free_bytes_);
}

std::uint64_t AllocatorModel::largest_free_bytes() const { return free_sizes_.empty() ? 0 : free_sizes_.rbegin()->first; }

std::vector<AllocatorModel::SegmentUse> AllocatorModel::segments() const {
    std::vector<SegmentUse> out;
    for (const auto& [base, head] : heads_) {
        SegmentUse run{0, 0, blocks_[head].pool->is_small};
        for (std::uint32_t at = head; at != k_none; at = blocks_[at].after) {
            const ModelBlock& block = blocks_[at];
            if (block.is_mapped) {
                run.bytes += block.size_bytes;
                if (!block.is_idle()) run.used_bytes += block.size_bytes;
            }
            if ((!block.is_mapped || block.after == k_none) && run.bytes > 0) {
                out.push_back(run);
                run.bytes = run.used_bytes = 0;
            }
        }
    }
    return out;
}

std::vector<ModelBlock> AllocatorModel::blocks() const {
    std::vector<ModelBlock> out;
    for (const auto& [base, head] : heads_) {
        for (std::uint32_t at = head; at != k_none; at = blocks_[at].after) out.push_back(blocks_[at]);
    }
    return out;
}

}  // namespace snapviewer::replay
