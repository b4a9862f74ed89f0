#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace snapviewer {

/// A JSON string, quotes included. Bytes that are not UTF-8 are passed on as they are.
std::string json_quoted(std::string_view text);

/// Appends one character, a code point up to U+10FFFF.
void append_utf8(std::string& out, std::uint32_t code);

}  // namespace snapviewer
