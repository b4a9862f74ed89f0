#pragma once

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "core/base/columns.h"

namespace snapviewer {

/// Empties a vector and frees its memory. `items = {}` does not free it: the braces become an empty initializer list, whose
/// assignment keeps the capacity.
template <typename T>
void free_memory(std::vector<T>& items) {
    std::vector<T>().swap(items);
}

/// Pre-faults memory on a background thread, so that the thread that fills it does not wait while the kernel clears each new
/// page, which takes as long as filling it. The contents do not change, so the memory may be in use meanwhile. A no-op if
/// the machine has a single core or the system cannot pre-fault.
class MemoryAhead {
public:
    MemoryAhead() = default;
    /// Drops the memory that is not yet pre-faulted. Waits for about a millisecond.
    ~MemoryAhead();
    MemoryAhead(const MemoryAhead&) = delete;
    MemoryAhead& operator=(const MemoryAhead&) = delete;

    /// Queues memory for pre-faulting. The first call starts the thread. Memory may be freed before its turn comes.
    void prepare(std::span<const std::byte> memory);

private:
    void work();

    std::mutex mutex_;  ///< guards the members below
    std::condition_variable changed_;
    std::deque<std::span<const std::byte>> waiting_;
    bool is_ending_ = false;
    bool is_disabled_ = false;
    std::thread thread_;
};

/// Pre-faults the reserved capacity of several columns as they grow: each call prepares twice as many elements as the column
/// grew by since the previous call.
template <std::size_t count>
class GrowthAhead {
public:
    /// Checks the growth of the columns. Pass the same columns, in the same order, in every call.
    template <typename... Column>
    void prefault_growth(const Column&... columns) {
        static_assert(sizeof...(columns) == count);
        auto seen = seen_.begin();
        (prefault_column(*seen++, columns), ...);
    }

private:
    struct Seen {
        std::size_t size = 0;
        std::size_t prepared = 0;
    };

    template <typename T>
    void prefault_column(Seen& seen, const std::vector<T>& column) {
        const std::size_t wanted = std::min(column.capacity(), column.size() + 2 * (column.size() - seen.size));
        seen.size = column.size();
        seen.prepared = std::max(seen.prepared, seen.size);
        if (wanted <= seen.prepared) return;
        ahead_.prepare(std::as_bytes(std::span(column.data() + seen.prepared, wanted - seen.prepared)));
        seen.prepared = wanted;
    }

    template <typename T>
    void prefault_column(Seen& seen, const UniformColumn<T>& column) {
        prefault_column(seen, column.held());
    }

    std::array<Seen, count> seen_;
    MemoryAhead ahead_;
};

}  // namespace snapviewer
