#include "core/base/number_text.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>

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

namespace {

/// Formats three significant digits: "4.20", "12.3" or "950".
std::string three_digits(double value) { return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0); }

}  // namespace

std::string format_bytes(std::uint64_t size_bytes, int decimals) {
    constexpr std::array k_units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (size_bytes < 1024) return fmt::format("{} B", size_bytes);
    const double half_of_last_digit = 0.5 * std::pow(10.0, -decimals);
    auto value = static_cast<double>(size_bytes);
    std::size_t unit = 0;
    // Choose the next unit also if the value would round up to 1024.
    while (value >= 1024 - half_of_last_digit && unit + 1 < k_units.size()) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{:.{}f} {}", value, decimals, k_units[unit]);
}

std::string format_signed_bytes(std::int64_t size_bytes, int decimals) {
    const auto size = static_cast<std::uint64_t>(size_bytes);
    return fmt::format("{}{}", size_bytes < 0 ? "-" : "", format_bytes(size_bytes < 0 ? 0 - size : size, decimals));
}

std::string format_difference(std::int64_t size_bytes, int decimals) {
    return fmt::format("{}{}", size_bytes > 0 ? "+" : "", format_signed_bytes(size_bytes, decimals));
}

std::string format_bytes_exactly(std::uint64_t size_bytes) {
    if (size_bytes < 1024) return size_bytes == 1 ? "1 byte" : fmt::format("{} bytes", size_bytes);
    return fmt::format("{} ({} bytes)", format_bytes(size_bytes), format_count(size_bytes));
}

std::string format_wire_bytes(std::uint64_t wire_bytes, std::uint64_t content_bytes) {
    constexpr double k_worth_saying = 1.5;
    const std::string over = format_bytes(wire_bytes) + " over the network";
    const double ratio = static_cast<double>(content_bytes) / static_cast<double>(wire_bytes);
    return wire_bytes == 0 || ratio < k_worth_saying ? over : fmt::format("{}, compressed {:.0f} times", over, ratio);
}

std::string format_count(std::uint64_t count) {
    std::string digits = fmt::format("{}", count);
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

std::string format_share(std::uint64_t part, std::uint64_t whole, int decimals) {
    const double percent = whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
    const double least = std::pow(10.0, -decimals);
    return part > 0 && percent < least / 2 ? fmt::format("under {:.{}f} %", least, decimals)
                                           : fmt::format("{:.{}f} %", percent, decimals);
}

std::string format_duration_us(std::int64_t duration_us) {
    const bool is_negative = duration_us < 0;
    // Unsigned negation does not overflow for the smallest integer.
    const std::uint64_t us =
        is_negative ? 0 - static_cast<std::uint64_t>(duration_us) : static_cast<std::uint64_t>(duration_us);
    const std::string sign = is_negative ? "-" : "";
    const auto value = static_cast<double>(us);
    if (us < 1000) return fmt::format("{}{} us", sign, us);
    if (value < 999.5e3) return fmt::format("{}{} ms", sign, three_digits(value / 1e3));
    if (value < 59.95e6) return fmt::format("{}{} s", sign, three_digits(value / 1e6));
    const std::uint64_t seconds = (us + 500'000) / 1'000'000;
    if (seconds < 3600) return fmt::format("{}{} min {:02} s", sign, seconds / 60, seconds % 60);
    const std::uint64_t minutes = (seconds + 30) / 60;
    return fmt::format("{}{} h {:02} min", sign, format_count(minutes / 60), minutes % 60);
}

std::string format_wall_clock_us(std::int64_t time_us) {
    using namespace std::chrono;
    constexpr std::int64_t k_year_0000_us = -62'167'219'200'000'000;
    constexpr std::int64_t k_year_10000_us = 253'402'300'800'000'000;
    if (time_us < k_year_0000_us || time_us >= k_year_10000_us) return fmt::format("{} us", time_us);
    const sys_time<microseconds> time{microseconds{time_us}};
    const auto day = floor<days>(time);
    const year_month_day date{day};
    const hh_mm_ss clock{time - day};
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                       clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

std::string counted(std::uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

double rounded(double value, int decimals) {
    std::array<char, 400> text{};  // the largest double has 309 digits
    const auto written = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
    double result = value;
    read_number({text.data(), written.ptr}, result);
    return result;
}

}  // namespace snapviewer
