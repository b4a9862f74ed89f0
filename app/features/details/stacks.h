#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/features/timeline/allocation_text.h"
#include "core/base/result.h"
#include "core/timeline/emphasis.h"
#include "core/timeline/timeline.h"
#include "core/timeline/totals.h"

namespace snapviewer::details {

/// Appearance of a stack frame.
enum class FrameDisplay : std::uint8_t {
    plain,
    folded,     ///< hidden in a run of folded frames until the user opens it
    important,  ///< never folded; the first important frame is the headline of the stack
};

/// The user's rules for displaying stack frames. Immutable; copies share their data.
class FrameRules {
public:
    FrameRules() = default;  ///< rules that leave every frame plain

    /// Parses rules, one per line: "fold" or "important", followed by a pattern. A pattern is a case-insensitive regular
    /// expression that is searched in file:line:function, or <interpreter> for the frames that PyTorch's own viewer hides,
    /// or <framework> for all frames outside the user's program. "important" takes precedence over "fold". Blank lines and
    /// lines that start with # are ignored. A blank text has no rules. The error names the line.
    static Result<FrameRules> parse(std::string_view text);

    /// The appearance of a frame. O(rules * length of the line).
    FrameDisplay look(const StackLine& line) const;

private:
    struct Rule;
    explicit FrameRules(std::shared_ptr<const std::vector<Rule>> rules) : rules_(std::move(rules)) {}
    std::shared_ptr<const std::vector<Rule>> rules_;  ///< the parsed rules; null for none
};

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
    std::vector<FrameDisplay> looks;  ///< appearance of each frame
    std::vector<StackItem> items;     ///< items in order; together they cover all frames
    std::vector<StackPart> parts;     ///< parts in order; together they cover all items
    /// The frame that most users look for: the first important frame, else the first of the user's program.
    std::optional<std::size_t> headline;
};

/// Applies `rules` to a stack. `lines` has the innermost frame first, as returned by stack_lines(). If the rules would fold
/// every frame, no frame is folded. O(frames), plus the cost of the rules for each frame.
FoldedStack fold_stack(const std::vector<StackLine>& lines, const FrameRules& rules);

/// The frame that represents a folded run: its innermost Python frame, or else its innermost frame.
std::size_t line_for(const std::vector<StackLine>& lines, const StackItem& folded);

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
/// highlighted stack. Each row is observed as `rect_prefix` followed by its number.
ClickedStack draw_stack_list(const StackList& list, const std::optional<StackId>& chosen, const std::string& rect_prefix);

}  // namespace snapviewer::details
