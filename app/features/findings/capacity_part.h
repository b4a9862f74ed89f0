#pragma once

#include <cstdint>
#include <string>

namespace snapviewer {

/// A piece of what a device has.
struct CapacityPart {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint32_t colour = 0;  ///< as ImGui has them
    bool is_striped = false;
};

}  // namespace snapviewer
