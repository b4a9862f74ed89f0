#pragma once

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Moves the allocator's own tag from the user metadata, where PyTorch before 2.15 writes it, to the internal metadata.
/// O(metadata).
void separate_allocators_own(Snapshot& snapshot);

/// Assigns every `annotate` event to the allocation that is live at its address, which may be one from before the recording.
/// An event without such an allocation is assigned to none. Fills the trace's notes and note_texts. Precondition: the
/// trace's allocations are complete. O(events).
void attach_notes(Snapshot& snapshot, DeviceTrace& trace);

}  // namespace snapviewer
