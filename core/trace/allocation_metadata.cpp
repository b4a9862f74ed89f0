#include "core/trace/allocation_metadata.h"

#include <algorithm>

namespace snapviewer {

std::span<const AllocationNote> notes_of(const DeviceTrace& trace, AllocationId id) {
    return std::ranges::equal_range(trace.notes, id, {}, &AllocationNote::allocation);
}

std::string_view note_text(const Snapshot& snapshot, const DeviceTrace& trace, const AllocationNote& note) {
    const MetadataId metadata = trace.events.metadata[note.event.value];
    return metadata.is_some() ? snapshot.strings.view(snapshot.metadata[metadata.value].user_metadata) : std::string_view();
}

StringId notes_text_of(const DeviceTrace& trace, AllocationId id) {
    const auto found = std::ranges::lower_bound(trace.note_texts, id, {}, &AllocationNotesText::allocation);
    return found != trace.note_texts.end() && found->allocation == id ? found->text : StringId::none();
}

AllocatorsOwn::AllocatorsOwn(const Snapshot& snapshot) {
    const StringId tag = snapshot.strings.find(k_allocators_own_tag);
    if (!tag.is_some()) return;
    is_own_.reserve(snapshot.metadata.size());
    for (const EventMetadata& metadata : snapshot.metadata) is_own_.push_back(metadata.internal_metadata == tag);
}

}  // namespace snapviewer
