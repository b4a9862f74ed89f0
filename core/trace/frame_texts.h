#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "core/base/ids.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Facts about frames that depend on their file and function, computed once for each distinct text: a few long texts may
/// belong to very many frames. Keeps the snapshot. Not thread-safe.
class FrameTexts {
public:
    explicit FrameTexts(const Snapshot& snapshot) : snapshot_(snapshot) {}

    struct File {
        bool is_hidden = false;
        bool is_python = false;
        bool is_own = false;
        bool is_launcher = false;  ///< is_launcher_path()
        std::string path;          ///< normal_path()
        std::string hashed;        ///< what of it goes into a key
    };
    struct Function {
        bool is_hidden = false;
        bool is_plumbing = false;
        std::uint8_t native_rank = 0;  ///< of a frame that is not Python's, see rank()
        std::string hashed;
    };
    /// Valid as long as this is.
    const File& file(FrameId frame);
    const Function& function(FrameId frame);

    /// True if the frame's file is the program's own, or if its code was generated from a line of the program.
    bool is_own(FrameId frame) { return snapshot_.stacks.frame(frame).original.file.is_some() || file(frame).is_own; }
    bool is_hidden(FrameId frame) { return file(frame).is_hidden || function(frame).is_hidden; }
    /// The smaller, the better it names a stack.
    std::uint8_t rank(FrameId frame);
    /// Path, line and function, as far as they go into a key; with 0 for the line unless it counts.
    std::string normal_line(FrameId frame, bool with_number);
    /// The result of line_source().
    std::string source(FrameId frame);

private:
    const File& file(StringId name);
    const Function& function(StringId name);

    const Snapshot& snapshot_;
    std::unordered_map<std::uint32_t, File> files_;  ///< by StringId
    std::unordered_map<std::uint32_t, Function> functions_;
};

}  // namespace snapviewer
