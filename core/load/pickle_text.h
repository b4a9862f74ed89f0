#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace snapviewer {

/// Parses values that pickle protocols 0 and 1 write as text. Returns nullopt for malformed text.

std::optional<std::uint64_t> parse_integer(std::string_view text);  ///< two's complement of -2^63 to 2^64 - 1
std::optional<double> parse_real(std::string_view text);
/// Returns UTF-8. The text is Latin-1 with \uXXXX and \UXXXXXXXX for other characters (Python's raw-unicode-escape).
std::optional<std::string> parse_raw_unicode(std::string_view text);

/// The integer in the bytes of LONG1 and LONG4, little end first in two's complement; nothing if 64 bits do not hold it.
std::optional<std::uint64_t> parse_long(std::string_view bytes);

/// The module and the name that GLOBAL and INST have in two lines, as "module.name"; empty if both are not there.
std::string dotted_lines(std::string_view text);
/// Whether a text can be the name of a Python object: "collections.OrderedDict".
bool is_dotted_name(std::string_view text);

}  // namespace snapviewer
