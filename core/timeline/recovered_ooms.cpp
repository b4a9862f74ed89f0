#include "core/timeline/recovered_ooms.h"

#include <algorithm>

namespace snapviewer {

std::set<std::uint32_t> recovered_ooms(const EventColumns& events) {
    constexpr std::uint64_t k_telling_bytes = std::uint64_t{1} << 20;
    std::set<std::uint32_t> recovered;
    std::uint64_t largest_later = 0;
    for (auto event = static_cast<std::uint32_t>(events.size()); event-- > 0;) {
        const std::uint64_t size_bytes = events.size_bytes[event];
        if (events.action[event] == Action::alloc) largest_later = std::max(largest_later, size_bytes);
        if (events.is_oom(event) && largest_later > 0 && largest_later >= std::min(size_bytes, k_telling_bytes))
            recovered.insert(event);
    }
    return recovered;
}

}  // namespace snapviewer
