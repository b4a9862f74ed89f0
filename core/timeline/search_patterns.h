#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
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
    enum class Letters { exact, ignore_case };
    static constexpr std::size_t k_max_pattern_bytes = 1000;
    /// Maximum number of instructions of the compiled program. A repeated part counts once for each repetition: "(ab?){100}"
    /// compiles to some 300 instructions.
    static constexpr int k_max_instructions = 10'000;
    /// Maximum product of the instructions and the characters of the text; a search of this size takes at most a second or
    /// two.
    static constexpr std::size_t k_max_work = std::size_t{1} << 28U;

    /// Compiles an expression. The error message is a sentence about `text` without a subject: "is not a regular expression:
    /// missing )".
    static Result<Expression> compile(std::string_view text, Letters letters);

    /// True if a search could exceed k_max_work: a text of megabytes and an expression of hundreds of parts.
    bool is_too_expensive_for(std::string_view text) const;
    /// True if the expression matches somewhere in `text`. Returns false without a search if is_too_expensive_for(text).
    bool is_in(std::string_view text) const;

private:
    explicit Expression(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
    std::shared_ptr<const re2::RE2> compiled_;
};

/// The quantity that a number stands for. It determines which units may follow the number.
enum class Measure : std::uint8_t {
    count,     ///< no unit; hexadecimal numbers are allowed: "0x7f3c00000000"
    bytes,     ///< B, KiB, MiB, GiB, TiB; K and KB also mean KiB, and so on
    duration,  ///< us, ms, s, min; microseconds if there is no unit
};

/// All numbers from `low` to `high`, both included; empty if `high` is below `low`.
struct NumberRange {
    std::uint64_t low = 0;
    std::uint64_t high = std::numeric_limits<std::uint64_t>::max();

    bool contains(std::uint64_t number) const { return low <= number && number <= high; }
    bool operator==(const NumberRange&) const = default;
};

/// Parses "512", "= 512", "> 100 MiB", ">= 1.5 GiB", "< 4K", "<= 2 s" or "1 MiB..2 MiB" (both ends included). Blanks are
/// allowed everywhere except inside a number or a unit. nullopt for any other text.
std::optional<NumberRange> parse_number_range(std::string_view text, Measure measure);

}  // namespace snapviewer
