#pragma once

#include <memory>

#include "core/trace/snapshot.h"
#include "tests/fuzz/byte_feed.h"

namespace snapviewer::fuzz {

/// Makes a snapshot with any sequence of events and some segments, as a reader leaves it before complete_snapshot(). It has
/// few addresses, so that blocks are allocated twice, freed twice, and freed without an allocation.
std::shared_ptr<Snapshot> made_up_snapshot(ByteFeed& feed);

}  // namespace snapviewer::fuzz
