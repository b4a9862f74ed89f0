#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/timeline/emphasis.h"
#include "core/timeline/search_patterns.h"

namespace snapviewer {

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
