#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/trace/snapshot.h"
#include "core/trace/stack_table.h"

namespace snapviewer {

/// Properties of frames that depend on their file and function, computed once for each distinct text, because a few long
/// texts may belong to very many frames. Keeps a reference to the snapshot. Not thread-safe.
class FrameTexts {
public:
    explicit FrameTexts(const Snapshot& snapshot) : snapshot_(snapshot) {}

    struct File {
        bool is_hidden = false;
        bool is_python = false;
        bool is_own = false;
        /// Code that starts a program before the program's own code runs: runpy, threading, multiprocessing, torchrun and
        /// accelerate, the kernel of a notebook
        bool is_launcher = false;
        std::string path;    ///< result of normal_path()
        std::string hashed;  ///< form of the path in the key of a stack
    };
    struct Function {
        bool is_hidden = false;
        bool is_plumbing = false;
        std::uint8_t native_rank = 0;  ///< part of rank() for frames that are not Python
        std::string hashed;
    };
    /// Returned references are valid as long as this object.
    const File& file(FrameId frame);
    const Function& function(FrameId frame);

    /// True if the frame's file is part of the user's program, or if its code was generated from a line of the program.
    bool is_own(FrameId frame) { return snapshot_.stacks.frame(frame).original.file.is_some() || file(frame).is_own; }
    bool is_hidden(FrameId frame) { return file(frame).is_hidden || function(frame).is_hidden; }
    /// Rank of the frame as the name of a stack; the smallest rank is the best name.
    std::uint8_t rank(FrameId frame);
    /// The form of a frame in the key of a stack: path, line and function. The line is 0 if `with_number` is false.
    std::string normal_line(FrameId frame, bool with_number);
    /// The result of line_source().
    std::string source(FrameId frame);

private:
    const File& file(StringId name);
    const Function& function(StringId name);

    const Snapshot& snapshot_;
    std::unordered_map<std::uint32_t, File> files_;  ///< indexed by StringId
    std::unordered_map<std::uint32_t, Function> functions_;
};

/// True if a source file is Python: .py, .pyx, .ipynb, or a name that the interpreter made up, such as "<string>".
bool is_python_file(std::string_view file);
/// True if a source file belongs to the user's program: Python that is neither an installed package, nor the standard
/// library, nor generated, nor a made-up name (other than code typed into a notebook or at a prompt).
bool is_own_file(std::string_view file);
/// True if a frame belongs to the user's program: by its file, or because torch.fx generated it from a line of such a file.
bool is_own_frame(const StringPool& strings, const Frame& frame);
/// The frame that represents an allocation: for generated code the program line from which it was generated, if that is
/// known; otherwise `frame` itself.
Frame naming_frame(const Frame& frame);
/// True if PyTorch's own viewer hides such a frame: interpreter, unwinder, dispatcher.
bool is_hidden_frame(std::string_view file, std::string_view function);
/// A file name without the parts that differ between machines. Installed packages: the path inside the package folder.
/// Standard library: "python/...". Made-up names are unchanged. Other files: only the file name.
std::string normal_path(std::string_view file);
/// True if a character can be part of an identifier: ASCII letters, digits, underscore, and bytes of non-ASCII characters.
bool is_word_character(char c);

/// The 64-bit FNV-1a hash of `bytes`.
std::uint64_t fnv1a(std::string_view bytes);
/// Formats a key for JSON and SQL: 16 hexadecimal digits.
std::string key_text(std::uint64_t key);

/// The frame that represents a stack, among the frames that are not hidden unless all are: the innermost frame of the user's
/// program, where wrappers such as `_call_impl` have the lowest priority; otherwise the innermost Python frame; otherwise
/// the most informative C++ frame. none() for an empty stack. O(length).
FrameId own_line(const Snapshot& snapshot, StackId stack);
/// Formats a frame: `function@path:line` for Python; for C++ "MmBackward0", "at::_ops::mul", or the function without its
/// arguments.
std::string line_source(const Snapshot& snapshot, FrameId frame);
/// The formatted frame that represents a stack where there is space for only one; "(no stack)" for an empty stack.
/// O(length).
std::string stack_source(const Snapshot& snapshot, StackId stack);

/// The parts of two stacks that are compared to decide whether the stacks match.
enum class StackIdentity : std::uint8_t {
    lines,      ///< path, line and function of every shown frame
    functions,  ///< path and function of every shown frame
    python,     ///< path, line and function of the Python frames; of all shown frames if none is Python
};

/// Hashes stacks; prepares each frame only once. A key is the same for every file and machine; 0 for no stack. A name longer
/// than any real name (16 KiB) is replaced by its hash. Keeps a reference to the snapshot. Not thread-safe.
class StackKeys {
public:
    StackKeys(const Snapshot& snapshot, StackIdentity identity);
    std::uint64_t key(StackId stack);

private:
    /// The properties of a frame that its key needs.
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
    std::vector<Line> lines_;  ///< indexed by frame
};

/// Computes own_line() of many stacks; examines each frame only once. Keeps a reference to the snapshot. Not thread-safe.
class OwnLines {
public:
    explicit OwnLines(const Snapshot& snapshot)
        : snapshot_(snapshot), texts_(snapshot), frame_info_(snapshot.stacks.frame_count()) {}
    FrameId of(StackId stack);

private:
    struct CachedFrame {
        bool is_known = false;
        bool is_hidden = false;
        std::uint8_t rank = 0;
    };
    const CachedFrame& examine(FrameId frame);

    const Snapshot& snapshot_;
    FrameTexts texts_;
    std::vector<CachedFrame> frame_info_;  ///< indexed by frame
};

/// The key and the representative frame of every stack of a snapshot, computed once. Immutable; safe to read from many
/// threads; keeps no reference to the snapshot.
class StackLines {
public:
    /// Computes the result. Throws only if the work must stop. O(frames and text of all distinct stacks).
    static StackLines build(const Snapshot& snapshot);

    /// The key with StackIdentity::lines; 0 for StackId::none().
    std::uint64_t key(StackId stack) const { return stack.is_some() ? keys_[stack.value] : 0; }
    /// The result of stack_source(). The reference is valid as long as this object.
    const std::string& source(StackId stack) const;
    FrameId own_line(StackId stack) const { return stack.is_some() ? own_lines_[stack.value] : FrameId::none(); }

    bool is_hidden(FrameId frame) const { return frame_info_[frame.value].is_hidden; }
    bool is_python(FrameId frame) const { return frame_info_[frame.value].is_python; }
    bool is_own(FrameId frame) const { return frame_info_[frame.value].is_own; }
    bool is_launcher(FrameId frame) const { return frame_info_[frame.value].is_launcher; }

private:
    struct FrameInfo {
        bool is_hidden = false;
        bool is_python = false;
        bool is_own = false;
        bool is_launcher = false;
        std::uint8_t rank = 0;  ///< rank as the name of a stack; the smallest is the best
    };

    std::vector<FrameInfo> frame_info_;     ///< indexed by frame
    std::vector<std::uint64_t> keys_;       ///< indexed by stack
    std::vector<FrameId> own_lines_;        ///< indexed by stack
    std::vector<std::uint32_t> source_of_;  ///< index in sources_ by frame; 0 for frames that represent no stack
    std::vector<std::string> sources_ = {"(no stack)"};
};

}  // namespace snapviewer
