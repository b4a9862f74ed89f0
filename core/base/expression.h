#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"

namespace re2 {
class RE2;
}

namespace snapviewer {

/// A regular expression (RE2's: no looking ahead and no \1) to look for in texts that a stranger wrote. What it takes grows
/// with the text alone, whatever the expression: mostly a nanosecond a character. Any thread; copies share what was
/// compiled.
///
///     const auto layer = Expression::compile("layer\\.\\d+", Expression::Letters::exact);
///     if (layer && layer->is_in("model.layer.12")) ...
class Expression {
public:
    enum class Letters { exact, either_case };
    static constexpr std::size_t k_longest = 1000;
    /// Instructions of what is compiled. What is repeated counts as often as that: "(ab?){100}" has some 300.
    static constexpr int k_most_instructions = 10'000;
    /// Instructions times characters of a text: at worst a second or two.
    static constexpr std::size_t k_most_work = std::size_t{1} << 28U;

    /// The error is a sentence about `text`, without a name for it: "is not a regular expression: missing )".
    static Result<Expression> compile(std::string_view text, Letters letters);

    /// Whether finding out could take more than k_most_work: texts of megabytes, with an expression of hundreds of parts.
    bool is_too_much_for(std::string_view text) const;
    /// False also where it is too much for the text.
    bool is_in(std::string_view text) const;

private:
    explicit Expression(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
    std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace snapviewer
