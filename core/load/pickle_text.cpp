#include "core/load/pickle_text.h"

#include <algorithm>

#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/load/little_endian.h"

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

std::optional<std::uint64_t> parse_long(std::string_view bytes) {
    const bool is_negative = !bytes.empty() && (static_cast<unsigned char>(bytes.back()) & 0x80) != 0;
    const char filler = is_negative ? '\xFF' : '\0';
    const std::size_t size = std::min<std::size_t>(bytes.size(), sizeof(std::uint64_t));
    if (bytes.substr(size).find_first_not_of(filler) != bytes.npos) return std::nullopt;
    const std::uint64_t value = little_endian(bytes.substr(0, size));
    return is_negative && size < sizeof(std::uint64_t) ? value | ~std::uint64_t{0} << (8 * size) : value;
}

std::string dotted_lines(std::string_view text) {
    const std::size_t module_end = text.find('\n');
    const std::size_t name_end = module_end == text.npos ? text.npos : text.find('\n', module_end + 1);
    if (name_end == text.npos) return {};
    return std::string(text.substr(0, module_end)) + '.' +
           std::string(text.substr(module_end + 1, name_end - module_end - 1));
}

bool is_dotted_name(std::string_view text) {
    const auto is_of_name = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '.'; };
    return !text.empty() && std::ranges::all_of(text, is_of_name);
}

}  // namespace snapviewer
