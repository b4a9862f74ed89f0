#pragma once

#include <cstddef>
#include <functional>
#include <regex>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace snapviewer {

/// A regular expression (ECMAScript) to look for in texts that a stranger wrote: linear in the text unless it looks ahead,
/// and without recursion along it, so that no file can exhaust either. Some tens of nanoseconds a character for each part
/// of the expression.
class Expression {
public:
    enum class Letters { exact, either_case };
    static constexpr std::size_t k_longest = 1000;
    /// What is repeated counts as often as that: "(ab?){100}" has some 300 parts.
    static constexpr std::size_t k_most_parts = 2000;

    /// The error is a sentence about `text`, without a name for it: "is not a regular expression".
    static Result<Expression> compile(const std::string& text, Letters letters);

    /// `must_end`, if given, is asked every few milliseconds at most; once it says so, nothing is found.
    bool is_in(std::string_view text, const std::function<bool()>& must_end = {}) const;

private:
    explicit Expression(std::regex compiled) : compiled_(std::move(compiled)) {}
    std::regex compiled_;
};

}  // namespace snapviewer
