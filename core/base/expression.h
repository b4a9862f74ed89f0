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

/// A compiled regular expression in the syntax of RE2 (no lookahead, no back-references), for searching untrusted text. The
/// time is linear in the length of the text for any expression, mostly about a nanosecond per character. Thread-safe; copies
/// share the compiled program.
///
///     const auto layer = Expression::compile("layer\\.\\d+", Expression::Letters::exact);
///     if (layer && layer->is_in("model.layer.12")) ...
class Expression {
public:
    enum class Letters { exact, either_case };
    static constexpr std::size_t k_longest = 1000;
    /// Maximum number of instructions of the compiled program. A repeated part counts once for each repetition: "(ab?){100}"
    /// compiles to some 300 instructions.
    static constexpr int k_most_instructions = 10'000;
    /// Maximum product of the instructions and the characters of the text; a search of this size takes at most a second or
    /// two.
    static constexpr std::size_t k_most_work = std::size_t{1} << 28U;

    /// Compiles an expression. The error message is a sentence about `text` without a subject: "is not a regular expression:
    /// missing )".
    static Result<Expression> compile(std::string_view text, Letters letters);

    /// True if a search could exceed k_most_work: a text of megabytes and an expression of hundreds of parts.
    bool is_too_much_for(std::string_view text) const;
    /// True if the expression matches somewhere in `text`. Returns false without a search if is_too_much_for(text).
    bool is_in(std::string_view text) const;

private:
    explicit Expression(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
    std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace snapviewer
