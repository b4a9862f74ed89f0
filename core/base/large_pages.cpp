#include "core/base/large_pages.h"

#include "core/system/memory.h"

namespace snapviewer {

void prefer_large_pages(std::span<const std::byte> memory) {
    constexpr std::size_t k_least_worth_it_bytes = std::size_t{128} << 20;
    if (memory.size() >= k_least_worth_it_bytes) wish_for_large_pages(memory);
}

}  // namespace snapviewer
