#pragma once

#include <string>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/trace/profile_data.h"

namespace snapviewer {

/// Returns short warnings about a device, to append to its name: ", out of memory 2 times, leak, cut off"; usually empty.
/// O(events).
std::string device_badges(const Timeline& timeline, bool leaks);

/// Formats a number of items of a timeline: "1,234 allocations", "1 segment".
std::string counted(const Timeline& timeline, std::size_t count);
/// True for the part of a private pool that it reserves but does not use.
bool is_unused_capacity(const DeviceTrace& trace, AllocationId id);
/// Describes an item of another kind than an allocation: "segment", "unused capacity of pool (1, 2)"; empty for an
/// allocation.
std::string what_it_is(const Timeline& timeline, AllocationId id);

/// The event that the stack of an allocation comes from: its alloc, or its free if only that was recorded.
struct StackRole {
    const char* before = "";  ///< prefix of a frame: "", "freed by ", "released by "
    const char* after = "";   ///< suffix of the word "stack": "", " of the free", " of the release"
};
StackRole stack_role(const DeviceTrace& trace, AllocationId id);

/// The texts of a tooltip about an allocation. Lines without content are empty.
struct AllocationSummary {
    std::string size;
    std::string what;  ///< kind of the item; empty for an allocation
    std::string life;
    std::string origin;    ///< origin of the allocation; empty if the trace contains its alloc event
    std::string freed_by;  ///< prefix of `own_line`: "freed by " if the line comes from the stack of the free
    std::string own_line;
};
AllocationSummary summarise(const Timeline& timeline, AllocationId id);
/// Returns the source line that allocated an item; "(no stack)" without a stack. Returns "(allocated before the recording)"
/// for none() and for an allocation from before the recording whose own stack is unknown.
std::string allocated_by(const Timeline& timeline, AllocationId id);

/// A named fact about an allocation.
struct Fact {
    std::string name;
    std::string value;
};

/// Returns all known facts about an allocation except its stack, most useful first. Cuts the middle out of long values.
/// O(segments).
std::vector<Fact> allocation_facts(const Timeline& timeline, AllocationId id);

enum class FrameKind { framework, user, top_user };

struct StackLine {
    std::string function;
    std::string place;       ///< source line, such as "train.py:42"
    std::string full_text;   ///< complete text, such as "/home/me/train.py:42:step"
    std::string file;        ///< path, such as "/home/me/train.py"
    std::uint32_t line = 0;  ///< line number; 0 if unknown
    FrameKind kind = FrameKind::user;
    std::vector<std::string> fx;  ///< for code that torch.fx generated: its node, then the source lines of the node
};

/// Converts a frame to a line. The kind is framework or user, never top_user, which depends on the whole stack.
StackLine stack_line(const Snapshot& snapshot, FrameId id);
StackLine stack_line(const Snapshot& snapshot, const Frame& frame);

/// Returns the lines of a stack, innermost call first. A deep stack is cut as in stack_text(), and a last line has the
/// number of lines left out.
std::vector<StackLine> stack_lines(const Timeline& timeline, StackId stack);

/// Returns the lines of the forward stack, as many as a stack may have; empty if the file does not record it.
std::vector<std::string> forward_stack_lines(const Timeline& timeline, AllocationId id);

/// Limits sections to the maximum number of rows of a stack, cuts the middle out of long values, and adds the number of
/// rows left out.
std::vector<DetailSection> within_budget(std::vector<DetailSection> sections);

/// Formats facts and stack as plain text, for the clipboard.
std::string allocation_text(const std::vector<Fact>& facts, const std::vector<StackLine>& stack, const StackRole& role = {});
std::string stack_lines_text(const std::vector<StackLine>& stack);

}  // namespace snapviewer
