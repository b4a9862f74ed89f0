#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/load/snapviewer_parts.h"
#include "core/load/snapviewer_polygons.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// The properties of SnapViewer's elements. An element's number is its index.
struct SnapviewerElements {
    std::unique_ptr<Snapshot> snapshot;  ///< Snapshot with one device, which has one event per element if has_events
    std::vector<StackId> stacks;         ///< Stack of each element if there are no events (elements.db)
    bool has_events = true;

    std::size_t size() const { return has_events ? snapshot->devices.front().events.size() : stacks.size(); }
};

/// Parses a line of a stack as SnapViewer and PyTorch's first viewer write it: "file:line:function", in SnapViewer's files
/// after a prefix such as "(7) ". Any other text becomes the name of a function.
Frame parse_frame(std::string_view line, StringPool& strings);

/// Reads the elements from elements.json, from its shards or from elements.db. Throws Failure.
SnapviewerElements read_elements(SnapviewerParts& parts);

/// Returns the element of each polygon, or Polygons::k_not_given if it is missing or ambiguous; the import log says why.
/// SnapViewer lists polygons in drawing order but elements in the order of events. Without the field "elem", a polygon and
/// an element of the same index belong together only if the trace frees no block that was allocated before the recording.
std::vector<std::uint64_t> elements_of(const Polygons& polygons, SnapviewerElements& elements);

}  // namespace snapviewer
