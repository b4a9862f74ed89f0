#pragma once

#include <memory>
#include <string_view>

#include "core/load/byte_source.h"
#include "core/trace/snapshot.h"

/// What torch.profiler's export_memory_timeline writes, PyTorch's and Ascend's: bytes by category over time, without a
/// single allocation. As JSON, in two layouts, or as a page that holds nothing but a picture.
namespace snapviewer {

/// Whether bytes begin like the JSON: a list whose first element is a list of numbers.
bool looks_like_memory_timeline(std::string_view front);

/// Whether bytes begin like the page.
bool looks_like_memory_timeline_page(std::string_view front);

/// Says what the page is, and what to do instead.
[[noreturn]] void fail_memory_timeline_page();

/// Reads either layout into a device without allocations: a stacked curve for each category that is ever above 0, in
/// PyTorch's order, and their total. Where the text breaks off, the points before that. Throws Failure.
///     [times in us, [[0, bytes of each category] for each time]]         .json
///     [[time in ns, action, bytes more or less, category], ...]          .raw.json; a time of -1: before the profile began
std::unique_ptr<Snapshot> read_memory_timeline(ByteSource& text);

}  // namespace snapviewer
