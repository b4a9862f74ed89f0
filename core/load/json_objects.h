#pragma once

#include <optional>

#include "core/load/byte_source.h"
#include "core/load/object_builder.h"

namespace snapviewer {

/// Reads JSON text into `builder` and returns the outermost value. Throws ReadFailure with the byte in the text; but where
/// the text breaks off and there is a `cut` to say so, everything that had begun is closed and returned. A key that comes
/// twice, NaN and infinities are taken as Python takes them and go into the log.
Value read_json_objects(ByteSource& text, ObjectBuilder& builder, std::optional<ReadFailure>* cut = nullptr);

}  // namespace snapviewer
