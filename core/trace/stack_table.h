#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/base/keyed_hash.h"
#include "core/base/string_pool.h"

namespace snapviewer {

/// One line of a call stack.
/// The number of a line that a file writes as 2^64 - 1, which is the -1 of PyTorch for a line that it does not know.
constexpr std::uint32_t k_line_minus_one = 0xFFFFFFFF;

/// What Frame::line holds for a number that stands in a file. 0 for numbers that no source file can have.
std::uint32_t frame_line(std::uint64_t written);

/// A line of the program from which torch.fx generated code. No file: none is known.
struct OriginalLine {
    StringId file = {};
    StringId function = {};
    std::uint32_t line = 0;  ///< as Frame::line
    bool operator==(const OriginalLine&) const = default;
};

/// A line of a call stack. Both ids are none() where the file tells neither.
struct Frame {
    StringId file;
    StringId function;
    std::uint32_t line = 0;  ///< 0 and k_line_minus_one: not known
    StringId fx = {};        ///< of code that torch.fx generated: its node, as JSON; none() elsewhere
    OriginalLine original = {};

    bool knows_line() const { return line != 0 && line != k_line_minus_one; }
    /// The number as the file writes it.
    std::uint64_t written_line() const { return line == k_line_minus_one ? ~std::uint64_t{0} : line; }
    bool operator==(const Frame&) const = default;
};

/// Frames and call stacks kept once each, by content: real traces hold a few hundred stacks for tens of thousands of events.
/// Frame 0 of a stack is the innermost call. Not thread-safe while interning; safe to read from many threads afterwards.
class StackTable {
public:
    FrameId intern_frame(const Frame& frame);
    /// Innermost first. Amortised O(length).
    StackId intern_stack(std::span<const FrameId> frames);

    const Frame& frame(FrameId id) const { return frames_[id.value]; }
    /// Empty for StackId::none().
    std::span<const FrameId> stack(StackId id) const;
    std::size_t frame_count() const { return frames_.size(); }
    std::size_t stack_count() const { return stack_ends_.size(); }
    std::size_t memory_bytes() const;

private:
    std::size_t frame_slot(const Frame& frame) const;
    std::size_t stack_slot(std::span<const FrameId> frames) const;

    KeyedHash hash_;
    std::vector<Frame> frames_;
    std::vector<FrameId> stack_frames_;       ///< all stacks, one after another
    std::vector<std::uint64_t> stack_ends_;   ///< end of stack i in stack_frames_
    std::vector<std::uint32_t> frame_slots_;  ///< open addressing; index + 1, 0 = empty
    std::vector<std::uint32_t> stack_slots_;
};

/// "file:line:function", as memory_viz writes a frame; the function alone where neither file nor line is known. The middle
/// of a name beyond limits::k_most_frame_bytes is left out.
std::string frame_text(const StringPool& strings, const Frame& frame);

/// The frames of a stack, one a line, innermost first; of a deep one as many as limits::k_most_path_frames and
/// k_most_stack_bytes allow, and how many more there are.
std::string stack_text(const StringPool& strings, const StackTable& stacks, StackId stack);

/// A number made of a stack's text alone: the same for the same stack in every file and every run. 0 for no stack.
std::uint64_t stack_fingerprint(const StringPool& strings, const StackTable& stacks, StackId stack);

}  // namespace snapviewer
