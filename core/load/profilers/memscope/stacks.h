#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/keyed_hash.h"
#include "core/trace/snapshot.h"

namespace snapviewer::memscope {

/// A line of a call stack: "path(line): function" as Python's are written, or "library(function+0x10) [0x...]" as C's. What
/// is neither is a function without a file. The views last as long as the line.
struct StackLine {
    std::string_view file;
    std::string_view function;
    std::uint32_t line = 0;  ///< 0 = not known
};
StackLine stack_line(std::string_view text);

/// The lines of a stack as the table has it, innermost first; none for an empty one and for "N/A".
std::vector<std::string_view> stack_lines(std::string_view text);

/// Turns the texts of stacks into stacks of a snapshot. A text that came before costs a look-up.
class StackTexts {
public:
    explicit StackTexts(Snapshot& snapshot) : snapshot_(snapshot) {}
    StackId intern(std::string_view text);

private:
    struct Hash {
        using is_transparent = void;
        KeyedHash hash;
        std::size_t operator()(std::string_view text) const { return hash(text.data(), text.size()); }
    };

    Snapshot& snapshot_;
    std::unordered_map<std::string, StackId, Hash, std::equal_to<>> known_;
    std::size_t known_bytes_ = 0;
    std::vector<FrameId> frames_;
};

}  // namespace snapviewer::memscope
