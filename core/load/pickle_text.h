#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace snapviewer {

/// Parsers for values that pickle protocols 0 and 1 write as text. They return nullopt for malformed text.

std::optional<std::uint64_t> parse_integer(std::string_view text);  ///< -2^63 to 2^64 - 1, in two's complement
std::optional<double> parse_real(std::string_view text);
/// Returns the string in UTF-8. `text` is Latin-1 with \uXXXX and \UXXXXXXXX for other characters (Python's
/// raw-unicode-escape).
std::optional<std::string> parse_raw_unicode(std::string_view text);

/// Parses the argument of LONG1 and LONG4: a little-endian integer in two's complement. Returns nullopt if it needs more
/// than 64 bits.
std::optional<std::uint64_t> parse_long(std::string_view bytes);

/// Joins the argument of GLOBAL and INST, a line with the module and a line with the name, to "module.name". Returns ""
/// unless both lines are complete.
std::string dotted_lines(std::string_view text);
/// True if a text can be the name of a Python object: "collections.OrderedDict".
bool is_dotted_name(std::string_view text);

}  // namespace snapviewer
