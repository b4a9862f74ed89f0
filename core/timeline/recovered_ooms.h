#pragma once

#include <cstdint>
#include <set>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// The oom events after which the run went on: it later allocated a block of at least 1 MiB, or of the size that was
/// refused if that is smaller. What an exception's handlers allocate on their way out is mostly smaller. O(events).
std::set<std::uint32_t> recovered_ooms(const EventColumns& events);

}  // namespace snapviewer
