#include "core/base/number_text.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>

namespace snapviewer {

#if defined(__cpp_lib_to_chars)

std::size_t read_number(std::string_view text, double& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() ? static_cast<std::size_t>(end - text.data()) : 0;
}

#else  // std::from_chars of libc++ has no overload for double before version 20

/// std::strtod() accepts everything that std::from_chars() accepts, but also leading blanks, a leading plus and hexadecimal
/// numbers, which this function excludes.
std::size_t read_number(std::string_view text, double& number) {
    const std::size_t sign = text.starts_with('-') ? 1 : 0;
    if (text.size() == sign || std::string_view(" \t\n\v\f\r+-").find(text[sign]) != std::string_view::npos) return 0;
    const bool is_hexadecimal = text.substr(sign, 2) == "0x" || text.substr(sign, 2) == "0X";
    const std::string_view numerals = "+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_()";
    const std::string copy(text.substr(0, is_hexadecimal ? sign + 1 : text.find_first_not_of(numerals)));
    char* end = nullptr;
    errno = 0;
    const double value = std::strtod(copy.c_str(), &end);
    const auto size = static_cast<std::size_t>(end - copy.c_str());
    const bool is_out_of_range = errno == ERANGE && (value == 0 || std::isinf(value));
    if (size == 0 || is_out_of_range) return 0;
    number = value;
    return size;
}

#endif

std::optional<double> parse_byte_size(std::string_view text) {
    double bytes = 0;
    const std::string_view unit = text.substr(read_number(text, bytes));
    if (unit.size() == text.size() || !std::isfinite(bytes)) return std::nullopt;
    if (unit.empty() || unit == "B") return bytes;
    const std::size_t power = std::string_view("KMGT").find(unit[0] == 'k' ? 'K' : unit[0]);
    const std::string_view rest = unit.substr(1);
    if (power == std::string_view::npos || (!rest.empty() && rest != "iB" && rest != "B")) return std::nullopt;
    return bytes * std::pow(rest == "B" ? 1000.0 : 1024.0, static_cast<double>(power + 1));
}

std::optional<std::uint64_t> parse_address(std::string_view text) {
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    if (is_hex) text.remove_prefix(2);
    return parse_number<std::uint64_t>(text, is_hex ? 16 : 10);
}

}  // namespace snapviewer
