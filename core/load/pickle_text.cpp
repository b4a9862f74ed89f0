#include "core/load/pickle_text.h"

#include "core/base/number_text.h"
#include "core/base/text.h"

namespace snapviewer {

std::optional<std::uint64_t> parse_integer(std::string_view text) {
    if (!text.starts_with('-')) return parse_number<std::uint64_t>(text);
    const std::optional<std::int64_t> negative = parse_number<std::int64_t>(text);
    return negative ? std::optional(static_cast<std::uint64_t>(*negative)) : std::nullopt;
}

std::optional<double> parse_real(std::string_view text) { return parse_number<double>(text); }

std::optional<std::string> parse_raw_unicode(std::string_view text) {
    std::string utf8;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        const char next = at + 1 < text.size() ? text[at + 1] : '\0';
        if (c != '\\' || (next != 'u' && next != 'U')) {
            append_utf8(utf8, static_cast<unsigned char>(c));
            ++at;
            continue;
        }
        const std::size_t digits = next == 'u' ? 4 : 8;
        const std::string_view hex = text.substr(at + 2, digits);
        const std::optional<std::uint32_t> code = parse_number<std::uint32_t>(hex, 16);
        if (hex.size() != digits || !code || *code > 0x10FFFF) return std::nullopt;
        append_utf8(utf8, *code);
        at += 2 + digits;
    }
    return utf8;
}

}  // namespace snapviewer
