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

}  // namespace snapviewer
