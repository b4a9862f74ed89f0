#include "core/system/memory.h"

#include <emscripten/heap.h>
#include <malloc.h>

namespace snapviewer {

/// What may be added to the page's memory, and what of it has been given back.
std::uint64_t available_memory_bytes() {
    const struct mallinfo used = ::mallinfo();
    return ::emscripten_get_heap_max() - ::emscripten_get_heap_size() + static_cast<std::uint64_t>(used.fordblks);
}

std::uint64_t held_memory_bytes() {
    const struct mallinfo used = ::mallinfo();
    return static_cast<std::uint64_t>(used.uordblks);
}

/// The memory of a page never becomes smaller.
std::uint64_t peak_memory_bytes() { return ::emscripten_get_heap_size(); }

std::size_t allocated_bytes(void* block) { return ::malloc_usable_size(block); }

bool make_resident(std::span<const std::byte> /*memory*/) { return false; }

void wish_for_large_pages(std::span<const std::byte> /*memory*/) {}

}  // namespace snapviewer
