#pragma once

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Moves the allocator's own tag out of the user's texts, where PyTorch before 2.15 put it. O(metadata).
void separate_allocators_own(Snapshot& snapshot);

/// Gives every `annotate` event to the allocation that is live at its address, also to one from before the recording; where
/// there is none, to nobody. Fills the trace's notes and note_texts, once its allocations are there. O(events).
void attach_notes(Snapshot& snapshot, DeviceTrace& trace);

}  // namespace snapviewer
