#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/analysis/replay/allocator_settings.h"

namespace snapviewer {

/// A private pool's pair of numbers; (0, 0) is the default pool.
using PoolId = std::pair<std::int64_t, std::int64_t>;

/// What the model asked of its driver.
enum class DriverCall : std::uint8_t { segment_alloc, segment_map, segment_free, segment_unmap };
inline bool is_growth(DriverCall call) { return call <= DriverCall::segment_map; }

/// One such call.
struct DriverEvent {
    DriverCall call = DriverCall::segment_alloc;
    std::uint64_t address = 0;
    std::uint64_t size_bytes = 0;
    auto operator<=>(const DriverEvent&) const = default;
};

/// Free blocks of one size class of one pool.
struct ModelPool {
    /// Of one stream, best fit first.
    struct Stream {
        std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> free;  ///< (size, address) -> block
        std::map<std::uint64_t, std::uint32_t> holes;                           ///< address -> unmapped block
    };
    PoolId id;
    bool is_small = false;
    std::map<std::uint64_t, Stream> streams;  ///< by raw handle
    std::uint64_t searches = 0;
};

/// A piece of a segment or of a reservation of addresses.
struct ModelBlock {
    static constexpr std::uint32_t k_none = UINT32_MAX;

    std::uint64_t address = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t asked_bytes = 0;
    std::uint64_t stream = 0;
    std::uint64_t segment = 0;  ///< base of the segment or reservation
    std::uint64_t page = 0;     ///< of an expandable segment; 0 of others
    std::uint64_t age = 0;      ///< searches of its pool when it became free
    ModelPool* pool = nullptr;
    std::uint32_t before = k_none;
    std::uint32_t after = k_none;
    std::uint64_t serial = 0;  ///< of its allocation; 0 while it is idle
    std::uint64_t ticket = 0;  ///< in the order of those that wait, while it is pending
    bool is_used = false;
    bool is_pending = false;
    bool is_mapped = true;

    bool is_idle() const { return !is_used && !is_pending; }
    bool is_split() const { return before != k_none || after != k_none; }
    bool is_expandable() const { return page != 0; }
    std::uint64_t end() const { return address + size_bytes; }
};

/// A block that was allocated, until it is back in its pool; the block's place in memory may be another's afterwards.
struct BlockHandle {
    std::uint32_t index = ModelBlock::k_none;
    std::uint64_t serial = 0;
};

/// Where new segments appear. The driver decides that in reality, and it matters: of equal blocks the lowest is taken.
enum class AddressOrder : std::uint8_t {
    recorded,  ///< the recorded address while a segment of that size was made for the same request, else as `up`
    up,        ///< each above all earlier ones
    down,      ///< each below the one before
};

/// Gives addresses to new segments and reservations.
class AddressSource {
public:
    /// `top`: above everything recorded.
    AddressSource(std::uint64_t top, AddressOrder order);

    /// Addresses and sizes of the segments that were recorded for the request at hand.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> hints;
    /// Bases of reservations that the recording shows later, by pool, class and stream.
    std::map<std::tuple<PoolId, bool, std::uint64_t>, std::deque<std::uint64_t>> bases;
    /// Of everything recorded that begins a segment, rising: a reservation at a recorded base ends before the next.
    std::vector<std::uint64_t> bounds;

    using Extents = std::map<std::uint64_t, std::uint64_t>;  ///< base -> size of what is there
    std::uint64_t segment(std::uint64_t size_bytes, const Extents& taken);
    /// Base and size.
    std::pair<std::uint64_t, std::uint64_t> reservation(const ModelPool& pool, std::uint64_t stream, std::uint64_t page,
                                                        std::uint64_t size_bytes, const Extents& taken);
    std::uint64_t room_above(std::uint64_t base) const;

private:
    std::uint64_t fresh(std::uint64_t size_bytes);

    std::uint64_t next_;
    bool is_falling_;
};

/// A model of PyTorch's caching allocator; read it beside c10/cuda/CUDACachingAllocator.cpp. One thread. Every operation is
/// logarithmic in the number of free blocks, but for flushes.
///
///     AllocatorModel model(settings, AddressSource(1ULL << 40, AddressOrder::up));
///     const auto block = model.allocate(3 << 20, 0, {});  // none: out of memory
///     model.release(*block);
///     model.complete(*block);
class AllocatorModel {
public:
    AllocatorModel(const AllocatorSettings& settings, AddressSource addresses);
    AllocatorModel(const AllocatorModel&) = delete;
    AllocatorModel& operator=(const AllocatorModel&) = delete;

    /// `is_retried`: the search of the cache and the flush are behind it; what the flush completed is not looked at again.
    std::optional<BlockHandle> allocate(std::uint64_t asked_bytes, std::uint64_t stream, PoolId pool,
                                        bool is_retried = false);
    /// The program gives a block back; it stays out of its pool until complete().
    void release(BlockHandle block);
    /// The block returns to its pool, unless a flush has done that already.
    void complete(BlockHandle block);
    /// Neither given back nor in its pool.
    bool is_used(BlockHandle block) const;
    /// empty_cache(): completes what waits, then gives back every segment or page that is free.
    void flush();
    /// The same of these private pools alone, as a MemPool does when it is destroyed (PyTorch 2.7).
    void flush(const std::set<PoolId>& only);
    /// Gives back the one free, native, whole segment of this address and size, if there is one.
    void release_exactly(std::uint64_t address, std::uint64_t size_bytes);
    /// Backs the first pages of the unmapped block at this address with memory, if there is one that is large enough.
    void map_exactly(std::uint64_t address, std::uint64_t size_bytes);
    /// The free block that would serve a request of this rounded size; null where the cache has none.
    const ModelBlock* cached(std::uint64_t block_bytes, std::uint64_t stream, PoolId pool);

    // What a start state is made of.
    ModelPool& pool(PoolId id, bool is_small);
    std::uint32_t add_block(const ModelBlock& block);
    BlockHandle hold(std::uint32_t block, std::uint64_t asked_bytes);
    /// A free block, or an unmapped one.
    void insert_free(std::uint32_t block) { block_at(block).is_mapped ? insert(block) : insert_hole(block); }
    /// Of blocks that follow each other; the first is at the base.
    void add_chain(const std::vector<std::uint32_t>& chain);
    /// Counts from here on as what was always there.
    void begin(std::uint64_t reserved_bytes);

    struct SegmentUse {
        std::uint64_t bytes = 0;
        std::uint64_t used_bytes = 0;
        bool is_small = false;
    };
    std::vector<SegmentUse> segments() const;
    /// All of them, unmapped ones too, by address.
    std::vector<ModelBlock> blocks() const;
    /// 1 - largest free block / all free memory; 0 when nothing is free.
    double fragmentation() const;
    std::uint64_t largest_free_bytes() const;
    /// What is wrong with the structure; empty where nothing is. For tests. O(blocks).
    std::string broken_invariant() const;

    const ModelBlock& block(BlockHandle handle) const { return blocks_[handle.index]; }
    const AllocatorSettings& settings() const { return settings_; }
    void change_settings(const AllocatorSettings& settings) { settings_ = settings; }
    AddressSource& addresses() { return addresses_; }

    std::set<PoolId> freeable;  ///< private pools whose cache may be given back
    std::set<PoolId>
        native_pools;  ///< those that never grow by mapping: before PyTorch 2.5, or with an allocator of their own
    std::set<PoolId> unsplit_pools;  ///< MemPool(no_split=True)
    std::vector<DriverEvent> log;    ///< since the caller last emptied it
    std::uint64_t reserved_bytes = 0, allocated_bytes = 0, active_bytes = 0;
    std::uint64_t peak_reserved_bytes = 0, peak_allocated_bytes = 0;
    std::uint64_t driver_allocs = 0, driver_frees = 0, flushes = 0;

private:
    static constexpr std::uint32_t k_none = ModelBlock::k_none;

    const ModelBlock& block_at(std::uint32_t index) const { return blocks_[index]; }
    void insert(std::uint32_t block);
    void insert_hole(std::uint32_t block);
    static bool is_listed(const ModelBlock& block);
    bool is_current(BlockHandle handle) const { return blocks_[handle.index].serial == handle.serial; }
    void complete_waiting(std::uint32_t block);
    std::uint32_t find(ModelPool& pool, std::uint64_t stream, std::uint64_t size_bytes) const;
    std::uint64_t reach(std::uint32_t block) const;
    std::uint32_t best_fit(ModelPool& pool, std::uint64_t stream, std::uint64_t size_bytes);
    bool is_split(const ModelPool& pool, std::uint64_t size_bytes, std::uint64_t rest_bytes) const;
    std::uint32_t make_room(ModelPool& pool, std::uint64_t stream, std::uint64_t size_bytes);
    std::uint32_t extend(ModelPool& pool, std::uint64_t stream, std::uint64_t size_bytes);
    std::uint32_t extend_reservation(ModelPool& pool, std::uint64_t stream, std::uint64_t size_bytes);
    std::uint32_t find_room(ModelPool& pool, std::uint64_t stream, std::uint64_t size_bytes);
    std::uint32_t reserve(ModelPool& pool, std::uint64_t stream, std::uint64_t page, std::uint64_t size_bytes);
    bool map(std::uint32_t block, std::uint64_t size_bytes);
    void unmap(std::uint32_t block);
    void release_segment(std::uint32_t block);
    void release_pool(PoolId id, bool is_small);
    bool release_oversize(ModelPool& pool, std::uint64_t stream, std::uint64_t size_bytes);
    void collect_garbage();
    std::vector<std::uint32_t> collectable(const ModelPool& pool) const;
    std::uint32_t cut(std::uint32_t block, std::uint64_t size_bytes);
    void join(std::uint32_t block, std::uint32_t other);
    void remove(std::uint32_t block);
    void remove_hole(std::uint32_t block);
    void forget(std::uint32_t block);
    bool fits(std::uint64_t size_bytes) const;
    void grow(DriverCall call, std::uint64_t address, std::uint64_t size_bytes);
    void shrink(DriverCall call, std::uint64_t address, std::uint64_t size_bytes);
    std::uint64_t reservation_bytes(std::uint64_t page) const;

    AllocatorSettings settings_;
    AddressSource addresses_;
    std::vector<ModelBlock> blocks_;
    std::vector<std::uint32_t> unused_;
    std::map<std::pair<PoolId, bool>, ModelPool> pools_;
    std::map<std::uint64_t, std::uint32_t> heads_;  ///< base of a segment or reservation -> first block
    AddressSource::Extents extents_;
    std::map<std::uint64_t, std::uint32_t> waiting_;     ///< ticket -> released block
    std::uint64_t free_bytes_ = 0;                       ///< in the lists of the pools
    std::map<std::uint64_t, std::uint64_t> free_sizes_;  ///< size -> how many free blocks have it
    std::uint64_t next_ticket_ = 1;
    std::uint64_t next_serial_ = 1;
};

}  // namespace snapviewer
