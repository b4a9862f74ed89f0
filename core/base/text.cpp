#include "core/base/text.h"

namespace snapviewer {

std::string json_quoted(std::string_view text) {
    static constexpr std::string_view k_digits = "0123456789abcdef";
    std::string quoted = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (byte < 0x20) {
            quoted += "\\u00";
            quoted += k_digits[byte >> 4];
            quoted += k_digits[byte & 15];
        } else {
            quoted += c;
        }
    }
    return quoted += '"';
}

void append_utf8(std::string& out, std::uint32_t code) {
    const auto put = [&](std::uint32_t bits) { out += static_cast<char>(bits); };
    const auto put_tail = [&](int shift) { put(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) {
        put(code);
        return;
    }
    if (code < 0x800) {
        put(0xC0 | code >> 6);
    } else if (code < 0x10000) {
        put(0xE0 | code >> 12);
    } else {
        put(0xF0 | code >> 18);
        put_tail(12);
    }
    if (code >= 0x800) put_tail(6);
    put_tail(0);
}

}  // namespace snapviewer
