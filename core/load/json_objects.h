#pragma once

#include <optional>

#include "core/load/byte_source.h"
#include "core/load/object_builder.h"

namespace snapviewer {

/// How JSON text ended.
struct JsonEnd {
    std::optional<Failure> damage;  ///< where it breaks off or stops being JSON
    std::optional<Failure> behind;  ///< damage of the source behind that place
};

/// Reads JSON text into `builder` and returns the outermost value. Throws Failure with the byte in the text; but if the
/// text is damaged and there is an `end` to say so, everything that had begun is closed and returned. A key that comes
/// twice, NaN and infinities are taken as Python takes them and go into the log.
Value read_json_objects(ByteSource& text, ObjectBuilder& builder, JsonEnd* end = nullptr);

}  // namespace snapviewer
