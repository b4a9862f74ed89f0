#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/number_range.h"
#include "core/base/result.h"
#include "core/timeline/emphasis.h"

namespace snapviewer {

/// One condition of a search; all of them have to hold.
struct SearchTerm {
    enum class Kind : std::uint8_t {
        text,        ///< as find_text() reads it
        function,    ///< a part of a frame's function, as contains_pattern()
        file,        ///< a part of a frame's file
        expression,  ///< a regular expression, either case, somewhere in "file:line:function" of a frame
        address,     ///< one: what held it; a range: what begins there
        size,        ///< bytes
        stream,      ///< the number people know it by, or its raw handle
        age_steps,   ///< how long it lived, in steps
        age_time,    ///< in microseconds; nothing that was not seen to come and go
    };
    Kind kind = Kind::text;
    std::string text;   ///< of the first four
    NumberRange range;  ///< of the others
    bool operator==(const SearchTerm&) const = default;
};

/// Reads "forward size > 100 MiB stream:3 function:conv file:model.py age > 5 ms address:0x7f... re:layer\.\d+". A
/// comparison without a word before it is one of sizes; what stands after a colon may be in double quotes; all other words
/// are together one text, as they stand. Empty for a blank text. The error is a sentence for who is typing.
Result<std::vector<SearchTerm>> parse_search(std::string_view text);

/// Whether looking for them may take long: regular expressions take a tenth of a second for ten thousand frames.
bool is_slow(const std::vector<SearchTerm>& terms);

/// Only what all terms name; nothing without terms. Milliseconds for a million, except if is_slow(); then it can be stopped.
Emphasis find_terms(const Timeline& timeline, const std::vector<SearchTerm>& terms);

}  // namespace snapviewer
