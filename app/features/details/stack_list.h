#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/timeline/emphasis.h"
#include "core/timeline/timeline.h"
#include "core/timeline/totals.h"

namespace snapviewer {

/// A list of allocations grouped by stack.
struct StackList {
    LiveShare sum;
    std::vector<StackTotal> totals;  ///< total of each stack, in descending order of bytes
    std::vector<std::string> names;  ///< names of the stacks, parallel to `totals`
};

StackList make_stack_list(const Timeline& timeline, std::span<const AllocationId> allocations);

/// The stack whose row was clicked, or nullopt.
using ClickedStack = std::optional<StackId>;

/// Fills the rest of the current window with a row for each stack: its bytes and its number of allocations. `chosen` is the
/// highlighted stack. Reports the rectangle of each row to tests as `rect_prefix` followed by the row number.
ClickedStack draw_stack_list(const StackList& list, const std::optional<StackId>& chosen, const std::string& rect_prefix);

}  // namespace snapviewer
