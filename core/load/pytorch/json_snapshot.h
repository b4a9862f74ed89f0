#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/base/context.h"
#include "core/load/bytes/byte_source.h"
#include "core/load/pytorch/object_builder.h"
#include "core/trace/snapshot.h"

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

/// True if bytes begin like a JSON object or array.
bool looks_like_json(std::string_view front);

/// Reads a memory snapshot that was written as JSON: the whole dict, or only its list of segments. If the text breaks off,
/// returns the part before that place if at least one event or segment is complete. Does not collect the allocations;
/// complete_snapshot() (core/timeline) does. Throws Failure.
std::unique_ptr<Snapshot> read_json_snapshot(ByteSource& text);

}  // namespace snapviewer
