#pragma once

#include <cstdint>
#include <string>

namespace snapviewer {

/// A part of the memory of a device, drawn as a segment of a bar.
struct CapacityPart {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint32_t colour = 0;  ///< colour as an ImU32 of ImGui
    bool is_striped = false;
};

}  // namespace snapviewer
