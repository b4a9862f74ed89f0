#pragma once

#include <cstdint>

#include "core/analysis/address_space.h"
#include "core/analysis/replay/replay_run.h"

namespace snapviewer {

/// The memory of a replay after `event_count` events of the recording, in the form of AddressSpace::at(). `recorded` is the
/// same moment of the recording and identifies the allocations of the blocks. The replay ends at a request that cannot be
/// served, after it has returned all possible memory to the driver. Empty if the start does not fit. Throws a Failure only
/// when stopped. Takes as long as a replay of these events.
AddressMoment replayed_moment(const RecordedRun& run, const AllocatorSettings& settings, ReplayMode mode,
                              std::uint32_t event_count, const AddressMoment& recorded);

}  // namespace snapviewer
