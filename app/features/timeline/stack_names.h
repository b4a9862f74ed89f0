#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/timeline/live_totals.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// What a list calls a stack: its innermost line that is somebody's own code, "model.py:39 forward", or what there is in
/// place of a stack.
std::string stack_name(const Timeline& timeline, StackId stack);

/// The same for many. Those that would be called alike get the next line that tells them apart: of the callers, outwards,
/// "model.py:39 forward < train.py:12 step", or where these are the same, of what was called, "model.py:39 forward >
/// conv.py:4 conv". A few microseconds each.
std::vector<std::string> stack_names(const Timeline& timeline, std::span<const StackTotal> totals);

}  // namespace snapviewer
