#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/features/details/frame_rules.h"

namespace snapviewer {

/// A displayed item of a stack: a single visible frame, or a folded run of frames.
struct StackItem {
    std::size_t begin = 0, end = 0;  ///< range of frames of the stack
    bool is_folded = false;
    bool operator==(const StackItem&) const = default;
};

/// A sequence of items that occurs once, or several times in a row with the same frames.
struct StackPart {
    std::size_t begin = 0, end = 0;  ///< range of items of the first occurrence
    std::size_t times = 1;
    bool operator==(const StackPart&) const = default;
};

/// A stack as it is displayed: frames of the user's program are visible, other frames are folded, and repeated parts appear
/// once.
struct FoldedStack {
    std::vector<FrameLook> looks;  ///< appearance of each frame
    std::vector<StackItem> items;  ///< items in order; together they cover all frames
    std::vector<StackPart> parts;  ///< parts in order; together they cover all items
    /// The frame that most users look for: the first important frame, else the first of the user's program.
    std::optional<std::size_t> headline;
};

/// Applies `rules` to a stack. `lines` has the innermost frame first, as returned by stack_lines(). If the rules would fold
/// every frame, no frame is folded. O(frames), plus the cost of the rules for each frame.
FoldedStack fold_stack(const std::vector<StackLine>& lines, const FrameRules& rules);

/// The frame that represents a folded run: its innermost Python frame, or else its innermost frame.
std::size_t line_for(const std::vector<StackLine>& lines, const StackItem& folded);

}  // namespace snapviewer
