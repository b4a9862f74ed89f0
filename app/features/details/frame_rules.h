#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/features/timeline/allocation_text.h"
#include "core/base/result.h"

namespace snapviewer {

/// Appearance of a stack frame.
enum class FrameLook : std::uint8_t {
    plain,
    folded,     ///< hidden in a run of folded frames until the user opens it
    important,  ///< never folded; the first important frame is the headline of the stack
};

/// The user's rules for displaying stack frames. Immutable; copies share their data.
class FrameRules {
public:
    FrameRules() = default;  ///< rules that leave every frame plain

    /// Parses rules, one per line: "fold" or "important", followed by a pattern. A pattern is a case-insensitive regular
    /// expression that is searched in file:line:function, or <interpreter> for the frames that PyTorch's own viewer hides,
    /// or <framework> for all frames outside the user's program. "important" takes precedence over "fold". Blank lines and
    /// lines that start with # are ignored. A blank text has no rules. The error names the line.
    static Result<FrameRules> parse(std::string_view text);

    /// The appearance of a frame. O(rules * length of the line).
    FrameLook look(const StackLine& line) const;

private:
    struct Rule;
    explicit FrameRules(std::shared_ptr<const std::vector<Rule>> rules) : rules_(std::move(rules)) {}
    std::shared_ptr<const std::vector<Rule>> rules_;  ///< the parsed rules; null for none
};

}  // namespace snapviewer
