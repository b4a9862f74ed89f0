#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/features/timeline/allocation_text.h"
#include "core/base/result.h"

namespace snapviewer {

/// How a frame of a stack is shown.
enum class FrameLook : std::uint8_t {
    plain,
    folded,     ///< away, with its neighbours, until asked for
    important,  ///< never folded, and the first of them stands above the stack
};

/// A user's rules for how frames are shown. Immutable; copies share what they were made from.
class FrameRules {
public:
    FrameRules() = default;  ///< every frame is plain

    /// One rule a line: "fold" or "important", and what is looked for in file:line:function: a regular expression, either
    /// case; <interpreter> for what PyTorch's own viewer hides; <framework> for all that is not the program's own. What is
    /// important is never folded. Lines that are blank or begin with # are passed over; a blank text folds nothing. The
    /// error says which line is wrong.
    static Result<FrameRules> parse(std::string_view text);

    /// O(rules, length of the line).
    FrameLook look(const StackLine& line) const;

private:
    struct Rule;
    explicit FrameRules(std::shared_ptr<const std::vector<Rule>> rules) : rules_(std::move(rules)) {}
    std::shared_ptr<const std::vector<Rule>> rules_;  ///< null for none
};

}  // namespace snapviewer
