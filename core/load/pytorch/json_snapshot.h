#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/base/context.h"
#include "core/load/bytes/sources.h"
#include "core/load/pytorch/object_builder.h"
#include "core/trace/snapshot.h"

namespace snapviewer::pytorch {

/// The damage that ended the reading of JSON text, if any.
struct JsonEnd {
    std::optional<Failure> damage;  ///< Failure at the place where the text breaks off or is not valid JSON
    std::optional<Failure> behind;  ///< Damage that the source reports behind that place, or behind the text
};

/// Reads JSON text into `builder` and returns the outermost value. Throws Failure with the byte offset in the text. However,
/// if the text is damaged and `end` is not null, closes all open values, returns the outermost one and describes the damage
/// in `end`. Duplicate keys, NaN and infinities are read as Python reads them, and reported in the import log.
Value read_json_objects(bytes::ByteSource& text, ObjectBuilder& builder, JsonEnd* end = nullptr);

/// True if bytes begin like a JSON object or array.
bool looks_like_json(std::string_view front);

/// Reads a memory snapshot that was written as JSON: the whole dict, or only its list of segments. If the text breaks off,
/// returns the part before that place if at least one event or segment is complete. Does not collect the allocations;
/// complete_snapshot() (core/timeline) does. Throws Failure.
std::unique_ptr<Snapshot> read_json_snapshot(bytes::ByteSource& text);

// The files that export_memory_timeline() of torch.profiler writes, in PyTorch's and in Ascend's version. They contain bytes
// by category over time, but no single allocations. A file is JSON in one of two layouts, or an HTML page that contains only
// an image.

/// True if bytes begin like the JSON layouts: a list whose first element is a list of numbers.
bool looks_like_memory_timeline(std::string_view front);

/// True if bytes begin like the HTML page.
bool looks_like_memory_timeline_page(std::string_view front);

/// Throws a Failure that says what the page is and what to do instead.
[[noreturn]] void fail_memory_timeline_page();

/// Reads either layout into a device without allocations: a stacked curve for each category that is ever above 0, in
/// PyTorch's order, and a curve of their total. If the text breaks off, keeps the points before that place. Throws Failure.
///     [times in us, [[0, bytes of each category] for each time]]         .json
///     [[time in ns, action, change in bytes, category], ...]             .raw.json; time -1 = before the profile began
std::unique_ptr<Snapshot> read_memory_timeline(bytes::ByteSource& text);

}  // namespace snapviewer::pytorch
