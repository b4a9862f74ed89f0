#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/load/byte_source.h"
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

}  // namespace snapviewer
