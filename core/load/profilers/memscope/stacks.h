#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/keyed_hash.h"
#include "core/trace/snapshot.h"

namespace snapviewer::memscope {

/// A parsed line of a call stack: "path(line): function" from Python, or "library(function+0x10) [0x...]" from C. Any other
/// line is taken for a function without a file. The views refer to the parsed text.
struct StackLine {
    std::string_view file;
    std::string_view function;
    std::uint32_t line = 0;  ///< line number; 0 if unknown
};
StackLine stack_line(std::string_view text);

/// Splits the text of a stack into lines, innermost first. Empty for an empty text and for "N/A".
std::vector<std::string_view> stack_lines(std::string_view text);

/// Interns the texts of stacks as stacks of a snapshot. A repeated text costs one hash look-up.
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
