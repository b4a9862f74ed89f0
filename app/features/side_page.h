#pragma once

#include <cstdint>
#include <optional>

#include "core/base/ids.h"

namespace snapviewer {

/// A page of the right column.
enum class SidePage : std::uint8_t { findings, growth, pins, live, moments, allocation };

/// The right column between two frames.
struct SidePagesState {
    SidePage shown = SidePage::findings;
    std::optional<SidePage> next = SidePage::findings;  ///< comes to the front in the next frame
    AllocationId followed;                              ///< the selection whose page was brought to the front

    /// Another moment was chosen: a page that speaks of it comes to the front, and Pins stays there.
    void show_moment() { next = shown == SidePage::pins ? SidePage::pins : SidePage::live; }
};

}  // namespace snapviewer
