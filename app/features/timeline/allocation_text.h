#pragma once

#include <string>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/trace/detail_source.h"

namespace snapviewer {

/// The most important facts about a device, to append to its name: ", out of memory 2 times, leak, cut off"; mostly empty.
/// O(events).
std::string device_badges(const Timeline& timeline, bool leaks);

/// "1,234 allocations", "1 segment": what a timeline is made of.
std::string counted(const Timeline& timeline, std::size_t count);
/// True for the part of a private pool that it reserves but does not use.
bool is_unused_capacity(const DeviceTrace& trace, AllocationId id);
/// "segment", "unused capacity of pool (1, 2)"; empty for an allocation.
std::string what_it_is(const Timeline& timeline, AllocationId id);

/// Whose the stack of an allocation is: its own, or that of its free where only that was recorded.
struct StackRole {
    const char* before = "";  ///< a frame: "", "freed by ", "released by "
    const char* after = "";   ///< the word "stack": "", " of the free", " of the release"
};
StackRole stack_role(const DeviceTrace& trace, AllocationId id);

/// The texts of a tooltip about an allocation. Lines without content are empty.
struct AllocationSummary {
    std::string size;
    std::string what;  ///< only if it is no allocation
    std::string life;
    std::string origin;    ///< only if the trace does not hold its alloc
    std::string freed_by;  ///< "freed by " if the frame is of its free
    std::string own_line;
};
AllocationSummary summarise(const Timeline& timeline, AllocationId id);
/// The source line of its stack; "(no stack)" without one. "(allocated before the recording)" for none() and for an
/// allocation from before the recording whose own stack is unknown.
std::string allocated_by(const Timeline& timeline, AllocationId id);

/// One named fact about an allocation.
struct Fact {
    std::string name;
    std::string value;
};

/// Everything known of it except the stack, most wanted first, the middle of long values left out. O(segments).
std::vector<Fact> allocation_facts(const Timeline& timeline, AllocationId id);

enum class FrameKind { framework, user, top_user };

struct StackLine {
    std::string function;
    std::string place;       ///< "train.py:42"
    std::string full_text;   ///< "/home/me/train.py:42:step"
    std::string file;        ///< "/home/me/train.py"
    std::uint32_t line = 0;  ///< 0 = not known
    FrameKind kind = FrameKind::user;
    std::vector<std::string> fx;  ///< of code that torch.fx generated: its node, then the lines it was made from
};

/// A framework's line or a user's; never FrameKind::top_user, which takes a stack.
StackLine stack_line(const Snapshot& snapshot, FrameId id);
StackLine stack_line(const Snapshot& snapshot, const Frame& frame);

/// Innermost call first; of a deep stack as many as stack_text() has, and one that says how many more there are.
std::vector<StackLine> stack_lines(const Timeline& timeline, StackId stack);

/// The lines of the forward stack, as many as a stack may have; empty where the file keeps none.
std::vector<std::string> forward_stack_lines(const Timeline& timeline, AllocationId id);

/// The sections with as many rows as a stack may have, the middle of long values left out, and how many rows more there are.
std::vector<DetailSection> within_budget(std::vector<DetailSection> sections);

/// Facts and stack as plain text, for the clipboard.
std::string allocation_text(const std::vector<Fact>& facts, const std::vector<StackLine>& stack, const StackRole& role = {});
std::string stack_lines_text(const std::vector<StackLine>& stack);

}  // namespace snapviewer
