#include "core/system/memory.h"

#include <emscripten/heap.h>
#include <malloc.h>

namespace snapviewer {

/// The memory by which the page's heap can grow, plus freed memory within the heap.
std::uint64_t available_memory_bytes() {
    const struct mallinfo used = ::mallinfo();
    return ::emscripten_get_heap_max() - ::emscripten_get_heap_size() + static_cast<std::uint64_t>(used.fordblks);
}

std::uint64_t held_memory_bytes() {
    const struct mallinfo used = ::mallinfo();
    return static_cast<std::uint64_t>(used.uordblks);
}

/// The heap of a page never shrinks, so its present size is the peak.
std::uint64_t peak_memory_bytes() { return ::emscripten_get_heap_size(); }

void limit_memory_of_process(std::uint64_t /*bytes*/) {}

std::size_t allocated_bytes(void* block) { return ::malloc_usable_size(block); }

bool make_resident(std::span<const std::byte> /*memory*/) { return false; }

void wish_for_large_pages(std::span<const std::byte> /*memory*/) {}

}  // namespace snapviewer
