#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "core/base/ids.h"
#include "core/trace/snapshot.h"

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
        bool is_launcher = false;  ///< result of is_launcher_path()
        std::string path;          ///< result of normal_path()
        std::string hashed;        ///< form of the path in the key of a stack
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

}  // namespace snapviewer
