#pragma once

#include <cstdint>
#include <optional>

#include "core/base/ids.h"

namespace snapviewer {

/// A page of the right column.
enum class SidePage : std::uint8_t { findings, growth, live, moments, allocation };

/// The right column between two frames.
struct SidePagesState {
    SidePage shown = SidePage::findings;
    std::optional<SidePage> next = SidePage::findings;  ///< comes to the front in the next frame
    AllocationId followed;                              ///< the selection whose page was brought to the front
};

}  // namespace snapviewer
