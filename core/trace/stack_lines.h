#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/answer_limits.h"
#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/trace/frame_texts.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Whether a source file is Python: .py, .pyx, .ipynb, or made up by the interpreter, such as "<string>".
bool is_python_file(std::string_view file);
/// Whether a source file is the program's own: Python, and neither installed, nor the standard library, nor made up.
bool is_own_file(std::string_view file);
/// Whether a frame is the program's own: by its file, or because torch.fx generated it from such a line.
bool is_own_frame(const StringPool& strings, const Frame& frame);
/// The frame that names an allocation: for generated code the program line that it was made from, if that is known,
/// otherwise the frame itself.
Frame naming_frame(const Frame& frame);
/// Whether PyTorch's own viewer hides such a frame: interpreter, unwinder, dispatcher.
bool is_hidden_frame(std::string_view file, std::string_view function);
/// A file name without what differs between machines: the path inside its package or the standard library ("python/..."),
/// made-up names as they are, otherwise the file's own name.
std::string normal_path(std::string_view file);
/// Whether a file, named by its normal_path(), belongs to what starts a program before the program's own code runs: runpy,
/// threading, multiprocessing, torchrun and accelerate, the kernel of a notebook.
bool is_launcher_path(std::string_view path);
/// True if a character can be part of a name. Letters outside ASCII count.
bool is_word_character(char c);

/// The 64-bit FNV-1a hash of some bytes.
std::uint64_t fnv1a(std::string_view bytes);
/// The form of a key in JSON and SQL: 16 hexadecimal digits.
std::string key_text(std::uint64_t key);

/// The frames left without the hidden ones, innermost first; if that leaves none, all of them.
std::vector<FrameId> shown_frames(const Snapshot& snapshot, StackId stack);
/// The frame that names a stack: the program's innermost own frame, where plumbing such as `_call_impl` comes last;
/// otherwise the innermost Python frame; otherwise the most informative C++ frame. none() for an empty stack. O(length).
FrameId own_line(const Snapshot& snapshot, StackId stack);
/// `function@path:line` of Python; of C++ "MmBackward0", "at::_ops::mul", or the function without its arguments.
std::string line_source(const Snapshot& snapshot, FrameId frame);
/// The source line that represents a stack where there is space for only one; "(no stack)" for an empty stack. O(length).
std::string stack_source(const Snapshot& snapshot, StackId stack);

/// The parts of two stacks that must be equal for the stacks to match.
enum class StackIdentity : std::uint8_t {
    lines,      ///< path, line and function of every shown frame
    functions,  ///< the same without line numbers
    python,     ///< path, line and function of the Python frames alone, if there are any
};
/// A hash that is the same in every file and on every machine, or 0 for no stack. O(text). Of a name that is longer than
/// limits::k_most_frame_bytes, a hash is hashed.
std::uint64_t stack_key(const Snapshot& snapshot, StackId stack, StackIdentity identity);

/// Computes the keys of many stacks, with the parts that frames have in common only once. Keeps the snapshot. Not
/// thread-safe.
class StackKeys {
public:
    StackKeys(const Snapshot& snapshot, StackIdentity identity);
    std::uint64_t key(StackId stack);

private:
    /// The parts of a frame in a key.
    struct Line {
        bool is_known = false;
        bool is_hidden = false;
        bool is_python = false;
        std::string text;
    };
    const Line& line(FrameId frame);

    const Snapshot& snapshot_;
    StackIdentity identity_;
    FrameTexts texts_;
    std::vector<Line> lines_;  ///< by frame
};

/// own_line() of many stacks: each frame is looked at once. Keeps the snapshot. One thread.
class OwnLines {
public:
    explicit OwnLines(const Snapshot& snapshot)
        : snapshot_(snapshot), texts_(snapshot), looks_(snapshot.stacks.frame_count()) {}
    FrameId of(StackId stack);

private:
    struct Look {
        bool is_known = false;
        bool is_hidden = false;
        std::uint8_t rank = 0;
    };
    const Look& look(FrameId frame);

    const Snapshot& snapshot_;
    FrameTexts texts_;
    std::vector<Look> looks_;  ///< by frame
};

/// Key and own line of every stack of a snapshot, each worked out once. Immutable; safe to read from many threads; does not
/// keep the snapshot.
class StackLines {
public:
    /// Fails only when stopped. O(frames and text of all distinct stacks).
    static StackLines build(const Snapshot& snapshot);

    /// The identity by lines; 0 for StackId::none().
    std::uint64_t key(StackId stack) const { return stack.is_some() ? keys_[stack.value] : 0; }
    /// The result of stack_source(). Valid as long as this object.
    const std::string& source(StackId stack) const;
    FrameId own_line(StackId stack) const { return stack.is_some() ? own_lines_[stack.value] : FrameId::none(); }

    bool is_hidden(FrameId frame) const { return looks_[frame.value].is_hidden; }
    bool is_python(FrameId frame) const { return looks_[frame.value].is_python; }
    bool is_own(FrameId frame) const { return looks_[frame.value].is_own; }
    bool is_launcher(FrameId frame) const { return looks_[frame.value].is_launcher; }

private:
    struct FrameLook {
        bool is_hidden = false;
        bool is_python = false;
        bool is_own = false;
        bool is_launcher = false;
        std::uint8_t rank = 0;  ///< the smaller, the better it names a stack
    };

    std::vector<FrameLook> looks_;          ///< by frame
    std::vector<std::uint64_t> keys_;       ///< by stack
    std::vector<FrameId> own_lines_;        ///< by stack
    std::vector<std::uint32_t> source_of_;  ///< by frame, into sources_; only of frames that name a stack
    std::vector<std::string> sources_ = {"(no stack)"};
};

}  // namespace snapviewer
