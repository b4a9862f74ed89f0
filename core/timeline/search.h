#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/timeline/emphasis.h"

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

/// The quantity that a number measures. It determines which units may follow the number.
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

/// True if `text` contains the pattern. Works like SQL's LIKE '%pattern%': case-insensitive for ASCII letters, and '%'
/// matches any text. Unlike in SQL, an underscore matches only itself, because names are full of them.
bool contains_pattern(std::string_view text, std::string_view pattern);

/// Highlights the allocations that match a text: a frame of the stack ("file:line:function") or the user metadata contains
/// it, or the text is an address within the allocation. Ignores blanks around the text. An empty text matches nothing.
/// Checks each frame and each metadata text once, not once per allocation, so a million allocations take milliseconds.
Emphasis find_text(const Timeline& timeline, std::string_view text);

/// One condition of a search. An allocation must meet all conditions.
struct SearchTerm {
    enum class Kind : std::uint8_t {
        text,        ///< text that find_text() searches
        function,    ///< part of a frame's function name, see contains_pattern()
        file,        ///< part of a frame's file name, see contains_pattern()
        expression,  ///< case-insensitive regular expression that matches within "file:line:function" of a frame
        address,     ///< a single address matches allocations that contain it; a range matches allocations that begin in it
        size,        ///< size in bytes
        stream,      ///< number of the stream as displayed, or its raw handle
        age_steps,   ///< lifetime in steps
        age_time,    ///< lifetime in microseconds; matches only allocations whose alloc and free both have a time
    };
    Kind kind = Kind::text;
    std::string text;   ///< value of `text`, `function`, `file` and `expression`
    NumberRange range;  ///< value of all other kinds, which compare numbers
    bool operator==(const SearchTerm&) const = default;
};

/// Parses a search such as "forward size > 100 MiB stream:3 function:conv file:model.py age > 5 ms address:0x7f...
/// re:layer\.\d+". A comparison without a key before it compares the size. A value after a colon may be in double quotes.
/// All remaining words form one text term, in their order. The result is empty for a blank text. The error message is a
/// sentence for the user.
Result<std::vector<SearchTerm>> parse_search(std::string_view text);

/// True if find_terms() may be slow: regular expressions take a tenth of a second for ten thousand frames.
bool is_slow(const std::vector<SearchTerm>& terms);

/// Highlights the allocations that meet all terms; none if `terms` is empty. Takes milliseconds for a million allocations,
/// unless is_slow(). Throws stopped().
Emphasis find_terms(const Timeline& timeline, const std::vector<SearchTerm>& terms);

}  // namespace snapviewer
