#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/oom.h"

namespace snapviewer {

/// A piece of what a device has.
struct CapacityPart {
    const char* name;
    std::uint64_t bytes = 0;
    std::uint32_t colour = 0;  ///< as ImGui has them
    bool is_striped = false;
};

/// What a device's memory was used for when it ran out, from 0 to its capacity; parts of no size are left out.
std::vector<CapacityPart> capacity_parts(const OomVerdict& verdict);

/// A bar of these parts with what each is called, and the lines of the program that held most.
void draw_oom_card(const OomVerdict& verdict);

}  // namespace snapviewer
