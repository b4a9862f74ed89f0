#pragma once

#include "core/mesh/mesh.h"

namespace snapviewer {

/// The mesh of a timeline whose paths came with the file. Fails when stopped, where more than 8 million of them are there at
/// once, and where it needs more than the memory budget of `progress`. O(points).
Result<Mesh> build_path_mesh(const Timeline& timeline, Progress& progress);

}  // namespace snapviewer
