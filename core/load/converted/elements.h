#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/context.h"
#include "core/load/bytes/byte_source.h"
#include "core/load/converted/reader.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// The polygons in SnapViewer's allocations.json as columns, in the order of the file.
struct Polygons {
    static constexpr std::uint64_t k_not_given = std::numeric_limits<std::uint64_t>::max();

    std::vector<PathPoint> points;
    std::vector<std::uint64_t> ends;
    std::vector<std::uint64_t> size_bytes;
    std::vector<std::uint64_t> element;  ///< Number of the polygon's element, or k_not_given

    std::size_t size() const { return ends.size(); }
    std::uint64_t begin_of(std::size_t i) const { return i == 0 ? 0 : ends[i - 1]; }
    std::uint64_t first_step(std::size_t i) const { return points[begin_of(i)].step; }
    std::uint64_t last_step(std::size_t i) const { return points[ends[i] - 1].step; }
};

/// True if bytes begin like allocations.json.
bool looks_like_polygons(std::string_view front);

/// Reads allocations.json: a list of objects with the keys "timesteps", "offsets", "size" and often "elem", the number of
/// the element. Throws Failure.
Polygons read_polygons(ByteSource& text);

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
