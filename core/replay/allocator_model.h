#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/trace/allocator_rules.h"

namespace snapviewer::replay {

inline constexpr std::uint64_t k_unlimited_bytes = std::uint64_t{1} << 62;

/// The settings of PyTorch's caching allocator that affect requests. The names and rules are those of
/// c10/cuda/CUDACachingAllocator.cpp and c10/core/AllocatorConfig.cpp.
struct AllocatorSettings {
    bool expandable = false;
    std::uint64_t max_split = k_unlimited_bytes;  ///< Blocks with at least this many bytes are never split
    std::uint64_t non_split_rounding = k_large_segment_bytes;
    std::uint64_t large_segment = k_large_segment_bytes;
    SizeDivisions roundup{};
    double gc_threshold = 0;
    std::uint64_t capacity = 0;  ///< Maximum of the reserved memory in bytes; 0 means unlimited
    std::uint64_t padding = 0;   ///< Bytes that are added to every request: 32 for torch_npu, otherwise 0
    /// Alignment in bytes of large blocks in expandable segments: set for torch_npu, otherwise 0
    std::uint64_t alignment = 0;
    /// Turns expandable segments on and off at the events where the recording shows a switch. Not a setting of PyTorch.
    bool follows_switches = true;

    bool operator==(const AllocatorSettings&) const = default;

    /// Size of the block for a request, in bytes.
    std::uint64_t rounded(std::uint64_t requested_bytes) const {
        return block_bytes_for(requested_bytes + padding, roundup);
    }
    /// Size of a new segment for a block of this size, without expandable segments, in bytes.
    std::uint64_t segment_bytes(std::uint64_t block_bytes) const { return segment_bytes_for(block_bytes, large_segment); }
};

/// Changes a setting by the name and value that users of PyTorch write, as in change_setting(settings, "max_split_size_mb",
/// "512"). The error describes the valid names and values.
Status change_setting(AllocatorSettings& settings, std::string_view name, const std::string& value);

/// The settings in force during the recording, as the file states them. Settings that the file omits are inferred from its
/// segments and events.
AllocatorSettings recorded_allocator_settings(const Snapshot& snapshot, const DeviceTrace& trace);

/// A call from the model to its driver.
struct DriverEvent {
    Action call = Action::segment_alloc;
    std::uint64_t address = 0;
    std::uint64_t size_bytes = 0;
    auto operator<=>(const DriverEvent&) const = default;
};

/// The requests that can share segments: those of one pool, size class and stream.
struct RequestClass {
    PoolId pool;
    bool is_small = false;
    std::uint64_t stream = 0;  ///< Raw handle of the stream
    auto operator<=>(const RequestClass&) const = default;
};

/// The free blocks of one size class (small or large) of a pool.
struct ModelPool {
    /// Free and unmapped blocks of one stream. `free` is sorted so that the best fit comes first.
    struct Stream {
        /// Free blocks by (size, address), as indices into the model's blocks
        std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> free;
        std::map<std::uint64_t, std::uint32_t> holes;  ///< Unmapped blocks by address, as indices into the model's blocks
    };
    PoolId id;
    bool is_small = false;
    std::map<std::uint64_t, Stream> streams;  ///< Lists of each stream, by the stream's raw handle
    std::uint64_t searches = 0;
};

/// A part of a segment or of a reservation of addresses.
struct ModelBlock {
    static constexpr std::uint32_t k_none = UINT32_MAX;

    std::uint64_t address = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t asked_bytes = 0;
    std::uint64_t stream = 0;
    std::uint64_t segment = 0;  ///< Base address of the segment or reservation
    std::uint64_t page = 0;     ///< Page size of an expandable segment in bytes; 0 for a native segment
    std::uint64_t age = 0;      ///< Value of pool->searches when the block became free
    ModelPool* pool = nullptr;
    std::uint32_t before = k_none;
    std::uint32_t after = k_none;
    std::uint64_t serial = 0;  ///< Serial number of the block's allocation; 0 while the block is idle
    std::uint64_t ticket = 0;  ///< Position in the order of releases, while the block is pending
    bool is_used = false;
    bool is_pending = false;
    bool is_mapped = true;

    bool is_idle() const { return !is_used && !is_pending; }
    bool is_split() const { return before != k_none || after != k_none; }
    bool is_expandable() const { return page != 0; }
    bool is_whole_segment() const { return !is_split() && !is_expandable(); }
    std::uint64_t end() const { return address + size_bytes; }
};

/// A reference to an allocated block, valid until the block returns to its pool. The serial number detects a reused index.
struct BlockHandle {
    std::uint32_t index = ModelBlock::k_none;
    std::uint64_t serial = 0;
};

/// The addresses of new segments. In reality the driver decides, and the choice matters: of equally large free blocks, the
/// allocator takes the lowest.
enum class AddressOrder : std::uint8_t {
    recorded,  ///< the recorded address if the recording made a segment of that size for the same request, otherwise as `up`
    up,        ///< places each segment above all earlier ones
    down,      ///< places each segment below the previous one
};

/// Chooses addresses for new segments and reservations.
class AddressSource {
public:
    /// `top` is an address above every recorded address.
    AddressSource(std::uint64_t top, AddressOrder order);

    /// Addresses and sizes of the segments that were recorded for the current request.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> hints;
    /// Base addresses of reservations that appear later in the recording, in the order of their use
    using Bases = std::map<RequestClass, std::deque<std::uint64_t>>;
    Bases bases;
    /// Begin of every recorded segment and reservation, ascending. A reservation at a recorded base ends before the next
    /// one.
    std::vector<std::uint64_t> bounds;

    /// Size of each existing segment or reservation, by base address
    using Extents = std::map<std::uint64_t, std::uint64_t>;
    std::uint64_t segment(std::uint64_t size_bytes, const Extents& taken);
    /// Chooses a reservation; returns its base address and size in bytes.
    std::pair<std::uint64_t, std::uint64_t> reservation(const RequestClass& requests, std::uint64_t page,
                                                        std::uint64_t size_bytes, const Extents& taken);
    /// Bytes between a base and the next recorded segment or reservation.
    std::uint64_t room_above(std::uint64_t base) const;

private:
    std::uint64_t fresh(std::uint64_t size_bytes);

    std::uint64_t next_;
    bool is_falling_;
};

/// A model of PyTorch's caching allocator. Compare it with c10/cuda/CUDACachingAllocator.cpp. Not thread-safe. Every
/// operation except flush() is logarithmic in the number of free blocks.
///
///     AllocatorModel model(settings, AddressSource(1ULL << 40, AddressOrder::up));
///     const auto block = model.allocate(3 << 20, 0, {});  // nullopt: out of memory
///     model.release(*block);
///     model.complete(*block);
class AllocatorModel {
public:
    AllocatorModel(const AllocatorSettings& settings, AddressSource addresses);
    AllocatorModel(const AllocatorModel&) = delete;
    AllocatorModel& operator=(const AllocatorModel&) = delete;

    /// Serves a request. Returns nullopt if memory is out. With `is_retried`, the request has already searched the cache and
    /// flushed it, so the cache is not searched again, not even for blocks that the flush completed.
    std::optional<BlockHandle> allocate(std::uint64_t asked_bytes, std::uint64_t stream, PoolId pool,
                                        bool is_retried = false);
    /// Frees a block. The block stays out of its pool until complete(). No-op if it was freed before.
    void release(BlockHandle block);
    /// Returns a freed block to its pool. No-op if a flush has already returned it.
    void complete(BlockHandle block);
    /// True if the block is allocated and not freed yet.
    bool is_used(BlockHandle block) const;
    /// Models empty_cache(): completes all pending frees, then returns every free segment or page of the default pool and of
    /// the pools in `freeable` to the driver.
    void flush();
    /// Flushes only these private pools, as a MemPool does on destruction (PyTorch 2.7).
    void flush(const std::set<PoolId>& only);
    /// Returns one native segment to the driver: the one with this address and size, if it exists and is completely free.
    void release_exactly(std::uint64_t address, std::uint64_t size_bytes);
    /// Backs the first pages of the unmapped block at this address with memory. No-op if no unmapped block of that size
    /// begins there.
    void map_exactly(std::uint64_t address, std::uint64_t size_bytes);
    /// The free block that would serve a request of this rounded size, or nullptr if the cache has none.
    const ModelBlock* cached(std::uint64_t block_bytes, std::uint64_t stream, PoolId pool);

    /// Size of a new reservation, in bytes: that of the card and an eighth, or of 1 TiB if no capacity is set.
    std::uint64_t reservation_bytes(std::uint64_t page) const;

    // Functions that build the state at the start of a replay.
    ModelPool& pool(PoolId id, bool is_small);
    std::uint32_t add_block(const ModelBlock& block);
    BlockHandle hold(std::uint32_t block, std::uint64_t asked_bytes);
    /// Adds a free or an unmapped block to the lists of its pool.
    void insert_free(std::uint32_t block) { blocks_[block].is_mapped ? insert(block) : insert_hole(block); }
    /// Adds a segment or reservation. Its blocks are given in the order of addresses, and the first one begins at the base.
    void add_chain(const std::vector<std::uint32_t>& chain);
    /// Ends the construction of the start state: sets the reserved bytes, and both peaks to the current values.
    void begin(std::uint64_t reserved_bytes);

    struct SegmentUse {
        std::uint64_t bytes = 0;
        std::uint64_t used_bytes = 0;
        bool is_small = false;
    };
    std::vector<SegmentUse> segments() const;
    /// All blocks in the order of addresses, including unmapped ones.
    std::vector<ModelBlock> blocks() const;
    /// Fragmentation of the free memory: 1 - largest free block / all free memory; 0 if no memory is free.
    double fragmentation() const;
    std::uint64_t largest_free_bytes() const;

    const ModelBlock& block(BlockHandle handle) const { return blocks_[handle.index]; }
    const AllocatorSettings& settings() const { return settings_; }
    void change_settings(const AllocatorSettings& settings) { settings_ = settings; }
    AddressSource& addresses() { return addresses_; }

    std::set<PoolId> freeable;  ///< Private pools whose cache may be returned to the driver
    /// Pools that never grow by mapping pages: all private pools before PyTorch 2.5, and pools with their own allocator
    std::set<PoolId> native_pools;
    std::set<PoolId> unsplit_pools;  ///< Pools of MemPool(no_split=True), whose blocks are never split
    std::vector<DriverEvent> log;    ///< Driver calls since the caller last cleared the log
    std::uint64_t reserved_bytes = 0, allocated_bytes = 0, active_bytes = 0;
    std::uint64_t peak_reserved_bytes = 0, peak_allocated_bytes = 0;
    std::uint64_t driver_allocs = 0, driver_frees = 0, flushes = 0;

private:
    static constexpr std::uint32_t k_none = ModelBlock::k_none;

    void insert(std::uint32_t block);
    static ModelPool::Stream& lists_of(const ModelBlock& block) { return block.pool->streams[block.stream]; }
    void insert_hole(std::uint32_t block) { lists_of(blocks_[block]).holes.emplace(blocks_[block].address, block); }
    bool is_current(BlockHandle handle) const { return blocks_[handle.index].serial == handle.serial; }
    void complete_waiting(std::uint32_t block);
    std::uint32_t find(ModelPool& pool, std::uint64_t stream, std::uint64_t size_bytes) const;
    std::uint64_t available_size(std::uint32_t block) const;
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
    std::vector<std::uint32_t> whole_segments(const ModelPool& pool) const;
    std::uint32_t cut(std::uint32_t block, std::uint64_t size_bytes);
    void join(std::uint32_t block, std::uint32_t other);
    void remove(std::uint32_t block);
    void remove_hole(std::uint32_t block) { lists_of(blocks_[block]).holes.erase(blocks_[block].address); }
    bool fits(std::uint64_t size_bytes) const;
    void grow(Action call, std::uint64_t address, std::uint64_t size_bytes);
    void shrink(Action call, std::uint64_t address, std::uint64_t size_bytes);

    AllocatorSettings settings_;
    AddressSource addresses_;
    std::vector<ModelBlock> blocks_;
    std::vector<std::uint32_t> unused_;
    std::map<std::pair<PoolId, bool>, ModelPool> pools_;
    std::map<std::uint64_t, std::uint32_t> heads_;  ///< First block of each segment or reservation, by base address
    AddressSource::Extents extents_;
    std::map<std::uint64_t, std::uint32_t> waiting_;     ///< Released blocks that are still pending, by ticket
    std::uint64_t free_bytes_ = 0;                       ///< Bytes of all free blocks in the lists of the pools
    std::map<std::uint64_t, std::uint64_t> free_sizes_;  ///< Number of free blocks of each size
    std::uint64_t next_ticket_ = 1;
    std::uint64_t next_serial_ = 1;
};

}  // namespace snapviewer::replay
