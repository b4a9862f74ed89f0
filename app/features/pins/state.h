#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"

namespace snapviewer {

/// A block that keeps reserved memory from the driver.
struct PinRow {
    AllocationId allocation;  ///< none() where the file does not tell whose it is
    std::string name;         ///< its line of code
    std::uint64_t size_bytes = 0;
    std::uint64_t released_bytes = 0;   ///< that the driver would get back without it
    std::uint64_t hole_without_it = 0;  ///< bytes that would lie idle in one piece
};

/// What pins reserved memory at the moment of the window, between two frames.
struct PinsState {
    std::string why_empty;   ///< a sentence; there are rows, or nothing is pinned, where there is none
    std::uint32_t tick = 0;  ///< of the moment
    std::uint32_t worst_tick = 0;
    std::string title;     ///< the moment
    std::string sentence;  ///< how much is pinned then
    std::vector<PinRow> rows;
    bool has_new_rows = false;  ///< they are not sorted yet as the table is
};

}  // namespace snapviewer
