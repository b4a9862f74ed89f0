#pragma once

#include <optional>

#include "core/load/byte_source.h"
#include "core/load/object_builder.h"

namespace snapviewer {

/// The damage that ended the reading of JSON text, if any.
struct JsonEnd {
    std::optional<Failure> damage;  ///< Failure at the place where the text breaks off or is not valid JSON
    std::optional<Failure> behind;  ///< Damage that the source reports behind that place, or behind the text
};

/// Reads JSON text into `builder` and returns the outermost value. Throws Failure with the byte offset in the text. However,
/// if the text is damaged and `end` is not null, closes all open values, returns the outermost one and describes the damage
/// in `end`. Duplicate keys, NaN and infinities are read as Python reads them, and reported in the import log.
Value read_json_objects(ByteSource& text, ObjectBuilder& builder, JsonEnd* end = nullptr);

}  // namespace snapviewer
