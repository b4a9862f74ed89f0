#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/number_range.h"
#include "core/base/result.h"
#include "core/timeline/emphasis.h"

namespace snapviewer {

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
