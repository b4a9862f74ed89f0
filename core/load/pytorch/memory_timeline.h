#pragma once

#include <memory>
#include <string_view>

#include "core/load/bytes/byte_source.h"
#include "core/trace/snapshot.h"

/// Reads the files that export_memory_timeline() of torch.profiler writes, in PyTorch's and in Ascend's version. They
/// contain bytes by category over time, but no single allocations. A file is JSON in one of two layouts, or an HTML page
/// that contains only an image.
namespace snapviewer {

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
std::unique_ptr<Snapshot> read_memory_timeline(ByteSource& text);

}  // namespace snapviewer
