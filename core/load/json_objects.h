#pragma once

#include <string>
#include <vector>

#include "core/load/object_builder.h"
#include "core/load/zip_archive.h"

namespace snapviewer {

/// Reads JSON text from a zip member into `builder` and returns the outermost value. Throws ReadFailure with the member's
/// name and the byte in it.
Value read_json_objects(ZipMemberReader& member, ObjectBuilder& builder);

}  // namespace snapviewer
