#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace snapviewer {

/// Asks the system to back large memory with large pages. A table of hundreds of megabytes with random accesses has more
/// small pages than the TLB of the processor holds, and every small page costs a page fault. A no-op below 128 MiB, where
/// creating large pages takes longer than they save. Call it before the first write to the memory. Has no effect if the
/// system has no large pages.
void prefer_large_pages(std::span<const std::byte> memory);

/// Calls prefer_large_pages() for the whole capacity of a column.
template <typename T>
void prefer_large_pages(const std::vector<T>& column) {
    prefer_large_pages({reinterpret_cast<const std::byte*>(column.data()), column.capacity() * sizeof(T)});
}

}  // namespace snapviewer
