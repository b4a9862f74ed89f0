#include "core/base/large_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace snapviewer {
namespace {

constexpr std::size_t k_least_worth_it_bytes = std::size_t{128} << 20;
constexpr std::uintptr_t k_large_page_bytes = std::uintptr_t{2} << 20;

}  // namespace

void prefer_large_pages(std::span<const std::byte> memory) {
    if (memory.size() < k_least_worth_it_bytes) return;
    const auto start = reinterpret_cast<std::uintptr_t>(memory.data());
    const std::uintptr_t begin = (start + k_large_page_bytes - 1) / k_large_page_bytes * k_large_page_bytes;
    const std::uintptr_t end = (start + memory.size()) / k_large_page_bytes * k_large_page_bytes;
    ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace snapviewer
