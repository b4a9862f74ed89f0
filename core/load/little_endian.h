#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace snapviewer {

/// Returns the little-endian number that `bytes` contain, at most 8 of them. Zip and LZMA store numbers like this.
inline std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

}  // namespace snapviewer
