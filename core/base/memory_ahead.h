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

#include "core/base/uniform_column.h"

namespace snapviewer {

/// Has the system put memory in its place before it is written, on a thread of its own: whoever fills a new page would
/// wait until the system has cleared it, which takes as long as to fill it. What the memory holds stays as it is, so that it
/// may be in use meanwhile. Does nothing where there is one core alone, or the system cannot.
class MemoryAhead {
public:
    MemoryAhead() = default;
    /// What was not done yet is left; waits for about a millisecond.
    ~MemoryAhead();
    MemoryAhead(const MemoryAhead&) = delete;
    MemoryAhead& operator=(const MemoryAhead&) = delete;

    /// To be in its place soon. Starts the thread at the first call. Memory that is given back before its turn comes does no
    /// harm.
    void prepare(std::span<const std::byte> memory);

private:
    void work();

    std::mutex mutex_;  ///< guards what follows
    std::condition_variable changed_;
    std::deque<std::span<const std::byte>> waiting_;
    bool is_ending_ = false;
    bool is_of_no_use_ = false;
    std::thread thread_;
};

/// The same for columns that have room and grow into it, all at once: prepares twice as much ahead as each grew since the
/// last look.
template <std::size_t count>
class GrowthAhead {
public:
    /// The same columns each time.
    template <typename... Column>
    void look(const Column&... columns) {
        static_assert(sizeof...(columns) == count);
        auto seen = seen_.begin();
        (look_at(*seen++, columns), ...);
    }

private:
    struct Seen {
        std::size_t size = 0;
        std::size_t prepared = 0;
    };

    template <typename T>
    void look_at(Seen& seen, const std::vector<T>& column) {
        const std::size_t wanted = std::min(column.capacity(), column.size() + 2 * (column.size() - seen.size));
        seen.size = column.size();
        seen.prepared = std::max(seen.prepared, seen.size);
        if (wanted <= seen.prepared) return;
        ahead_.prepare(std::as_bytes(std::span(column.data() + seen.prepared, wanted - seen.prepared)));
        seen.prepared = wanted;
    }

    template <typename T>
    void look_at(Seen& seen, const UniformColumn<T>& column) {
        look_at(seen, column.held());
    }

    std::array<Seen, count> seen_;
    MemoryAhead ahead_;
};

}  // namespace snapviewer
