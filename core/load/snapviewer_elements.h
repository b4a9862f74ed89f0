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

/// The properties of SnapViewer's elements by number, and the element of each polygon.
struct SnapviewerElements {
    std::unique_ptr<Snapshot> snapshot;  ///< one device, with an event per element unless there are but stacks
    std::vector<StackId> stacks;         ///< an element's stack; elements without events, from elements.db
    bool has_events = true;

    std::size_t size() const { return has_events ? snapshot->devices.front().events.size() : stacks.size(); }
};

/// A line of a stack as SnapViewer and the first viewer of PyTorch write it: "file:line:function", in SnapViewer's files
/// with
/// "(7) " before it. Any other text becomes the name of a function.
Frame parse_frame(std::string_view line, StringPool& strings);

/// Reads the elements in any of their forms. Throws Failure.
SnapviewerElements read_elements(SnapviewerParts& parts);

/// The element of each polygon, or Polygons::k_not_given if it is missing or ambiguous; the log says where and why.
/// SnapViewer lists polygons in drawing order but elements in the order of events. Without "elem", equal indexes match only
/// as long as the trace frees no block that it never saw allocated.
std::vector<std::uint64_t> elements_of(const Polygons& polygons, SnapviewerElements& elements);

}  // namespace snapviewer
