#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace snapviewer {

/// Asks the system to put large memory on large pages: a table of hundreds of megabytes that is looked up here and there has
/// more small pages than the processor remembers the places of, and each is cleared by a call of its own. Does nothing with
/// less than 128 MiB, for which it takes the system longer to make large pages than they save. To be called before the
/// memory is written for the first time; a system that has no large pages goes on without.
void prefer_large_pages(std::span<const std::byte> memory);

/// The same for all the room that a column has.
template <typename T>
void prefer_large_pages(const std::vector<T>& column) {
    prefer_large_pages({reinterpret_cast<const std::byte*>(column.data()), column.capacity() * sizeof(T)});
}

}  // namespace snapviewer
