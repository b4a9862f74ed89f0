#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/timeline/totals.h"

namespace snapviewer {

/// Short name of a stack for lists: its innermost line in the user's own code, such as "model.py:39 forward", or a
/// placeholder if there is no stack.
std::string stack_name(const Timeline& timeline, StackId stack);

/// Returns the short names of many stacks. Equal names are extended by the next line that differs: by a caller, as in
/// "model.py:39 forward < train.py:12 step", or if all callers are the same, by a callee, as in "model.py:39 forward >
/// conv.py:4 conv". A few microseconds per stack.
std::vector<std::string> stack_names(const Timeline& timeline, std::span<const StackTotal> totals);

}  // namespace snapviewer
