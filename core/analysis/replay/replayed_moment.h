#pragma once

#include <cstdint>

#include "core/analysis/address_space.h"
#include "core/analysis/replay/replay_run.h"

namespace snapviewer {

/// The memory of a replay once so many events of the recording have happened, as AddressSpace::at() gives that of the
/// recording; `recorded` is that moment of it, and tells whose a block is. Ends at a request that cannot be served, when
/// all was given back for it that could be. Empty where the start does not fit. Throws a Failure only when stopped. As long
/// as a replay of these events.
AddressMoment replayed_moment(const RecordedRun& run, const AllocatorSettings& settings, ReplayMode mode,
                              std::uint32_t event_count, const AddressMoment& recorded);

}  // namespace snapviewer
