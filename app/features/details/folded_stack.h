#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/features/details/frame_rules.h"

namespace snapviewer {

/// Neighbouring frames of a stack: one that is shown, or a run that is folded away.
struct StackItem {
    std::size_t begin = 0, end = 0;  ///< frames
    bool is_folded = false;
    bool operator==(const StackItem&) const = default;
};

/// Items that follow each other once or more; what they hold is the same each time.
struct StackPart {
    std::size_t begin = 0, end = 0;  ///< items, of the first time
    std::size_t times = 1;
    bool operator==(const StackPart&) const = default;
};

/// A stack as it is to be read: the program's own lines, the rest folded, what repeats once.
struct FoldedStack {
    std::vector<FrameLook> looks;         ///< by frame
    std::vector<StackItem> items;         ///< cover all frames
    std::vector<StackPart> parts;         ///< cover all items
    std::optional<std::size_t> headline;  ///< the frame most people look for: the first important or own one
};

/// Where the rules would fold every frame they fold none. Innermost frame first, as stack_lines() gives them. O(frames), and
/// as much as the rules take for each.
FoldedStack fold_stack(const std::vector<StackLine>& lines, const FrameRules& rules);

/// The line that stands for a folded run: its innermost of Python, or its innermost.
std::size_t line_for(const std::vector<StackLine>& lines, const StackItem& folded);

}  // namespace snapviewer
