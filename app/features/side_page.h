#pragma once

#include <cstdint>
#include <optional>

#include "core/trace/stack_table.h"

namespace snapviewer {

/// A page of the right column.
enum class SidePage : std::uint8_t { findings, growth, pins, live, moments, allocation };

/// State of the right column that persists between frames.
struct SidePagesState {
    SidePage shown = SidePage::findings;
    std::optional<SidePage> next = SidePage::findings;  ///< page to show in the next frame
    AllocationId followed;                              ///< the selected allocation whose page was last brought to the front

    /// Called when another moment is chosen. Shows the page of that moment, or keeps the Pins page, which depends on the
    /// moment too.
    void show_moment() { next = shown == SidePage::pins ? SidePage::pins : SidePage::live; }
};

}  // namespace snapviewer
