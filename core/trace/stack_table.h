#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"

namespace snapviewer {

/// An index into one particular table. The types of ids for different tables do not convert to each other; `none()` means
/// "unknown".
template <typename Tag>
struct Id {
    std::uint32_t value = std::numeric_limits<std::uint32_t>::max();

    static constexpr Id none() { return Id{}; }
    constexpr bool is_some() const { return value != std::numeric_limits<std::uint32_t>::max(); }
    constexpr auto operator<=>(const Id&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 takes it for a 0
};

using StringId = Id<struct StringTag>;          ///< index into Snapshot::strings
using FrameId = Id<struct FrameTag>;            ///< index into StackTable's frames
using StackId = Id<struct StackTag>;            ///< index into StackTable's stacks
using MetadataId = Id<struct MetadataTag>;      ///< index into Snapshot::metadata
using EventId = Id<struct EventTag>;            ///< index into the events of one device
using AllocationId = Id<struct AllocationTag>;  ///< index into the allocations of one device, in drawing order

/// Interned strings. Views stay valid until the pool is changed or destroyed; ids stay valid as long as the pool. Not
/// thread-safe while interning; safe to read from many threads afterwards.
class StringPool {
public:
    /// Returns the id of `text`; adds the text if it is new. Amortised O(length).
    StringId intern(std::string_view text);
    /// Returns the id of `text`, or none() if it was never interned.
    StringId find(std::string_view text) const;
    /// The text of an id; "" for StringId::none().
    std::string_view view(StringId id) const {
        if (id.value >= ends_.size()) return {};
        const auto begin = static_cast<std::size_t>(id.value == 0 ? 0 : ends_[id.value - 1]);
        return {bytes_.data() + begin, static_cast<std::size_t>(ends_[id.value]) - begin};
    }
    std::size_t size() const { return ends_.size(); }
    std::size_t memory_bytes() const;

private:
    std::vector<char> bytes_;
    std::vector<std::uint64_t> ends_;  ///< end of each string in bytes_, by id
    HashIndex ids_;
};

/// Value of Frame::line if the file contains 2^64 - 1, PyTorch's -1 for an unknown line.
constexpr std::uint32_t k_line_minus_one = 0xFFFFFFFF;

/// Converts the line number in a file to Frame::line. Returns 0 for numbers that no source file can have.
std::uint32_t frame_line(std::uint64_t written);

/// The line of the program from which torch.fx generated a frame. `file` is none() if it is unknown.
struct OriginalLine {
    StringId file = {};
    StringId function = {};
    std::uint32_t line = 0;  ///< line number, encoded as Frame::line
    bool operator==(const OriginalLine&) const = default;
};

/// A frame of a call stack. `file` and `function` are none() if the file contains neither.
struct Frame {
    StringId file;
    StringId function;
    std::uint32_t line = 0;  ///< line number; 0 and k_line_minus_one mean unknown
    StringId fx = {};        ///< torch.fx node in JSON if torch.fx generated the code; else none()
    OriginalLine original = {};

    bool knows_line() const { return line != 0 && line != k_line_minus_one; }
    /// The line number as in the file.
    std::uint64_t written_line() const { return line == k_line_minus_one ? ~std::uint64_t{0} : line; }
    bool operator==(const Frame&) const = default;
};

/// Interned frames and call stacks: real traces contain a few hundred stacks for tens of thousands of events. Frame 0 of a
/// stack is the innermost call. Not thread-safe while interning; safe to read from many threads afterwards.
class StackTable {
public:
    FrameId intern_frame(const Frame& frame);
    /// Returns the id of a stack; adds the stack if it is new. `frames` are innermost first. Amortised O(length).
    StackId intern_stack(std::span<const FrameId> frames);

    const Frame& frame(FrameId id) const { return frames_[id.value]; }
    /// The frames of a stack, innermost first; empty for StackId::none().
    std::span<const FrameId> stack(StackId id) const;
    std::size_t frame_count() const { return frames_.size(); }
    std::size_t stack_count() const { return stack_ends_.size(); }
    std::size_t memory_bytes() const;

private:
    std::vector<Frame> frames_;
    std::vector<FrameId> stack_frames_;      ///< frames of all stacks, one stack after another
    std::vector<std::uint64_t> stack_ends_;  ///< end of each stack in stack_frames_, by id
    HashIndex frame_ids_;
    HashIndex stack_ids_;
};

/// Formats a frame as memory_viz does, "file:line:function"; only the function if neither file nor line is known. Names
/// longer than limits::k_max_frame_bytes are shortened in the middle.
std::string frame_text(const StringPool& strings, const Frame& frame);

/// Formats the frames of a stack, one per line, innermost first. Deep stacks are cut at limits::k_max_path_frames and
/// k_max_stack_bytes; the last line then states how many frames follow.
std::string stack_text(const StringPool& strings, const StackTable& stacks, StackId stack);

/// A hash of the text of each stack: the same for the same stack in every file and every run. Reads each text once, however
/// many frames have it.
std::vector<std::uint64_t> stack_fingerprints(const StringPool& strings, const StackTable& stacks);

/// Sets Frame::original of a frame of generated code to the line of the program from which it was generated. `trace` is a
/// traceback as Python prints it, outermost call first ('File "net.py", line 12, in forward', then the source line); PyTorch
/// writes it as fx_original_trace. The innermost line of the user's own program is used. Does not change the frame if the
/// trace contains no such line. O(length).
void set_original_line(Frame& frame, StringPool& strings, std::string_view trace);

/// Calls set_original_line() with the trace in a torch.fx node in JSON, the format of Frame::fx.
void set_original_line_of_node(Frame& frame, StringPool& strings, std::string_view node_json);

}  // namespace snapviewer
