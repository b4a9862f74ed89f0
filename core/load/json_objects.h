#pragma once

#include "core/load/object_builder.h"
#include "core/load/text_source.h"

namespace snapviewer {

/// Reads JSON text into `builder` and returns the outermost value. Throws ReadFailure with the byte in the text.
Value read_json_objects(TextSource& text, ObjectBuilder& builder);

}  // namespace snapviewer
