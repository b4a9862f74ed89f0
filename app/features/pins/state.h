#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/stack_table.h"

namespace snapviewer {

/// Id of the page; see DockRow::id.
inline constexpr std::string_view k_pins_page = "pins";

/// A block that prevents the return of reserved memory to the driver.
struct PinRow {
    AllocationId allocation;  ///< the allocation in the block; none() if the file does not record it
    std::string name;         ///< source line that allocated the block
    std::uint64_t size_bytes = 0;
    std::uint64_t released_bytes = 0;   ///< bytes that would return to the driver without this block
    std::uint64_t hole_without_it = 0;  ///< size in bytes of the free range that would exist without this block
};

/// Rows of the page of pins at the current moment.
struct PinsState {
    std::string why_empty;   ///< why the page has no rows, as a sentence; empty if it has rows or if nothing is pinned
    std::uint32_t tick = 0;  ///< the moment, as a tick of the timeline
    std::uint32_t worst_tick = 0;
    std::string title;     ///< heading that names the moment
    std::string sentence;  ///< sentence with the pinned amount
    std::vector<PinRow> rows;
    bool has_new_rows = false;  ///< `rows` are new and not sorted by the table's column yet
};

}  // namespace snapviewer
