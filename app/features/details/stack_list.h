#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/timeline/emphasis.h"
#include "core/timeline/live_totals.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Some allocations by stack, as a page lists them.
struct StackList {
    LiveShare sum;
    std::vector<StackTotal> totals;  ///< most bytes first
    std::vector<std::string> names;  ///< parallel to totals
};

StackList make_stack_list(const Timeline& timeline, std::span<const AllocationId> allocations);

/// A row that was clicked, or nothing.
using ClickedStack = std::optional<StackId>;

/// The rest of the current window: a row for each stack with its bytes and how many they are in. `chosen` is the stack that
/// stands out. Rows are reported as `rect_prefix` and their number.
ClickedStack draw_stack_list(const StackList& list, const std::optional<StackId>& chosen, const std::string& rect_prefix);

}  // namespace snapviewer
