#pragma once

#include "core/mesh/mesh.h"

namespace snapviewer {

/// Builds the mesh of a timeline whose paths came with the file. Throws stopped(), and an error if more than 8 million paths
/// are there at once or the thread's account has too little memory. O(points).
Mesh build_path_mesh(const Timeline& timeline);

}  // namespace snapviewer
