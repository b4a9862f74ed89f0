#pragma once

#include <string_view>

namespace snapviewer {

/// Whether bytes begin like what torch.profiler's export_memory_timeline writes: a page with one picture, or JSON with lists
/// of numbers. It holds amounts by category, no allocations.
bool looks_like_memory_timeline(std::string_view front);

/// Says what it is and what to record instead. Throws ReadFailure.
[[noreturn]] void fail_memory_timeline();

}  // namespace snapviewer
