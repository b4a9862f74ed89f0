#include "core/mesh/greyed.h"

#include <cassert>

namespace snapviewer {

std::uint32_t darkest_grey(Ground ground) { return ground == Ground::dark ? 36 : 204; }

std::uint32_t greyed(std::uint32_t colour, Ground ground) {
    const std::uint32_t red = colour & 0xFF, green = colour >> 8 & 0xFF, blue = colour >> 16 & 0xFF;
    const std::uint32_t brightness = (54 * red + 183 * green + 19 * blue) / 256;
    const std::uint32_t grey = darkest_grey(ground) + brightness / 8;
    return (colour & 0xFF000000U) | grey << 16 | grey << 8 | grey;
}

void grey_others(std::vector<std::uint32_t>& colours, const Emphasis& emphasis, Ground ground) {
    assert(colours.size() == emphasis.allocation_count());
    for (std::uint32_t i = 0; i < colours.size(); ++i) {
        if (!emphasis.contains(AllocationId{i})) colours[i] = greyed(colours[i], ground);
    }
}

}  // namespace snapviewer
