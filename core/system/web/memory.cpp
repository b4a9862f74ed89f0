#include <emscripten/heap.h>
#include <malloc.h>
#include <wasm_simd128.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/system/memory.h"

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

namespace {

std::uint64_t word_at(const unsigned char* from) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, sizeof(word));
    return word;
}

v128_t difference(const unsigned char* left, const unsigned char* right) {
    return wasm_v128_xor(wasm_v128_load(left), wasm_v128_load(right));
}

}  // namespace

// Replaces the C library's memcmp() in the whole program. Emscripten's version compares byte by byte unless both sides begin
// at a multiple of four, and comparing stacks with earlier ones takes a good part of the time in which a snapshot is read
// (core/load/pytorch/memo.h).
extern "C" int memcmp(const void* left, const void* right, std::size_t size_bytes) {
    const auto* a = static_cast<const unsigned char*>(left);
    const auto* b = static_cast<const unsigned char*>(right);
    for (; size_bytes >= 32; a += 32, b += 32, size_bytes -= 32)
        if (wasm_v128_any_true(wasm_v128_or(difference(a, b), difference(a + 16, b + 16)))) break;
    for (; size_bytes >= 8; a += 8, b += 8, size_bytes -= 8)
        if (word_at(a) != word_at(b)) break;
    for (; size_bytes > 0; ++a, ++b, --size_bytes)
        if (*a != *b) return *a - *b;
    return 0;
}
