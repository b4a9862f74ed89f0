#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace snapviewer {
namespace {

constexpr std::string_view k_hex_digits = "0123456789abcdef";
constexpr std::string_view k_replacement = "\xEF\xBF\xBD";  // U+FFFD

/// A UTF-8 character, or a run of invalid bytes.
struct Character {
    std::uint32_t code = 0;
    std::size_t size = 1;  ///< size in bytes
    bool is_valid = true;
};

/// Decodes the character at `at`. An incomplete character counts as one run of invalid bytes, as Unicode recommends and
/// Python does.
Character character_at(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const std::uint32_t lead = byte(at);
    if (lead < 0x80) return {lead, 1, true};
    if (lead < 0xC2 || lead > 0xF4) return {lead, 1, false};
    const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    // Excludes overlong encodings, surrogates and codes above U+10FFFF.
    const std::uint32_t lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const std::uint32_t highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    std::uint32_t code = lead & (0x7FU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        const std::uint32_t next = byte(at + i);
        if (next < (i == 1 ? lowest : 0x80) || next > (i == 1 ? highest : 0xBF)) return {lead, i, false};
        code = code << 6 | (next & 0x3F);
    }
    return {code, size, true};
}

/// True for control characters, and for characters that change the direction of writing or end a line.
bool is_terminal_control(std::uint32_t code) {
    if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return true;
    return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

void append_hex(std::string& out, std::uint32_t value, int digits) {
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += k_hex_digits[value >> shift & 15];
}

/// Appends a JSON escape sequence. `code` must be below U+10000, as all codes are for which is_terminal_control() is true.
void append_escaped(std::string& out, std::uint32_t code) {
    if (code == '\n' || code == '\t') {
        out += code == '\n' ? "\\n" : "\\t";
        return;
    }
    out += "\\u";
    append_hex(out, code, 4);
}

/// True for whitespace that .NET trims at the beginning of a line. The servers of CI services are written in .NET.
bool is_blank(char32_t code) {
    return code == ' ' || code == '\t' || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
           code == 0x202F || code == 0x205F || code == 0x3000;
}

bool begins_command(std::string_view text) {
    if (!text.starts_with("##")) return false;
    text.remove_prefix(2);
    return text.starts_with('[') || lower_case(text.substr(0, 4)) == "vso[";
}

/// The position of the first "::" that begins a line (after blanks) at or after `at`; the end of the text if there is none.
std::size_t find_line_command(std::string_view text, std::size_t at) {
    for (at = text.find("::", at); at != text.npos; at = text.find("::", at + 1)) {
        std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
        while (begin < at && is_blank(character_at(text, begin).code)) begin += character_at(text, begin).size;
        if (begin == at) return at;
        at = std::min(text.find('\n', at), text.size() - 1);
    }
    return text.size();
}

/// Escapes the commands of CI services, see terminal_text(). O(length).
std::string without_commands(std::string text, LineFeeds line_feeds) {
    const bool has_lines = line_feeds == LineFeeds::kept;
    std::size_t mark = std::min(text.find("##"), text.size());
    std::size_t colons = has_lines ? find_line_command(text, 0) : text.size();
    if (mark == text.size() && colons == text.size()) return text;
    std::string out;
    std::size_t done = 0;
    while (mark < text.size() || colons < text.size()) {
        const std::size_t at = std::min(mark, colons);
        out.append(text, done, at - done);
        done = at;
        if (at == colons || begins_command(std::string_view(text).substr(at))) {
            append_escaped(out, static_cast<unsigned char>(text[at]));
            done = at + 1;
        }
        if (at == mark) mark = std::min(text.find("##", at + 1), text.size());
        if (at == colons) colons = find_line_command(text, at + 2);
    }
    return out.append(text, done);
}

constexpr std::string_view k_json_escapes = "\"\\\b\f\n\r\t";
constexpr std::string_view k_json_escape_letters = "\"\\bfnrt";

bool is_plain(char c) { return c >= 0x20 && c < 0x7F; }
bool is_plain_in_json(char c) { return is_plain(c) && c != '"' && c != '\\'; }

/// Appends the run of plain characters that starts at `at`, all at once because names and stacks are long. Returns the end
/// of the run.
template <bool is_plain_character(char)>
std::size_t append_plain(std::string& out, std::string_view text, std::size_t at) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = std::find_if_not(begin, text.end(), is_plain_character);
    out.append(begin, end);
    return static_cast<std::size_t>(end - text.begin());
}

std::string_view without_zeros(std::string_view digits) {
    return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

template <typename Json>
Json parse(std::string_view text) {
    bool is_too_deep = false;
    const auto look = [&](int depth, typename Json::parse_event_t, Json&) {
        is_too_deep |= depth > k_json_depth_limit;
        return !is_too_deep;
    };
    Json value = Json::parse(text, look, false);
    return is_too_deep ? Json(nlohmann::detail::value_t::discarded) : value;
}

template <typename Json>
std::string text_of(const Json& value, int spaces) {
    return value.dump(spaces, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string json_quoted(std::string_view text) {
    std::string quoted = "\"";
    quoted.reserve(text.size() + text.size() / 32 + 2);
    for (std::size_t at = 0; at < text.size();) {
        at = append_plain<is_plain_in_json>(quoted, text, at);
        if (at == text.size()) break;
        const Character character = character_at(text, at);
        if (!character.is_valid) {
            quoted += k_replacement;
        } else if (const std::size_t escape = k_json_escapes.find(text[at]); escape != k_json_escapes.npos) {
            quoted.append({'\\', k_json_escape_letters[escape]});
        } else if (is_terminal_control(character.code)) {
            append_escaped(quoted, character.code);
        } else {
            quoted += text.substr(at, character.size);
        }
        at += character.size;
    }
    quoted += '"';
    return quoted.find("##") == quoted.npos ? quoted : without_commands(std::move(quoted), LineFeeds::escaped);
}

std::string valid_utf8(std::string_view text) {
    if (std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) >= 0; })) return std::string(text);
    std::string valid;
    for (std::size_t at = 0; at < text.size();) {
        const Character character = character_at(text, at);
        valid += character.is_valid ? text.substr(at, character.size) : k_replacement;
        at += character.size;
    }
    return valid;
}

std::string terminal_text(std::string_view text, LineFeeds line_feeds) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        at = append_plain<is_plain>(out, text, at);
        if (at == text.size()) break;
        const Character character = character_at(text, at);
        const bool keeps = line_feeds == LineFeeds::kept;
        if (!character.is_valid) {
            for (const char c : text.substr(at, character.size)) {
                out += "\\x";
                append_hex(out, static_cast<unsigned char>(c), 2);
            }
        } else if (!is_terminal_control(character.code) || (keeps && character.code == '\n')) {
            out += text.substr(at, character.size);
        } else if (!keeps || !text.substr(at).starts_with("\r\n")) {
            append_escaped(out, character.code);
        }
        at += character.size;
    }
    return without_commands(std::move(out), line_feeds);
}

std::string one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        const bool is_control = static_cast<unsigned char>(c) < 0x20;
        if (!is_control || !line.ends_with(' ')) line += is_control ? ' ' : c;
    }
    return line;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view k_blank = " \t\r\n";
    const std::size_t first = text.find_first_not_of(k_blank);
    return first == text.npos ? std::string_view{} : text.substr(first, text.find_last_not_of(k_blank) - first + 1);
}

std::string_view digits_at(std::string_view text, std::size_t begin) {
    const std::string_view rest = text.substr(begin);
    return rest.substr(0, rest.find_first_not_of("0123456789"));
}

bool contains_in_any_case(std::string_view text, std::string_view part) {
    const auto same = [](char a, char b) { return lower_case(a) == lower_case(b); };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) c = lower_case(c);
    return lower;
}

int compare_names(std::string_view a, std::string_view b, LetterCase letter_case) {
    const auto letter = [&](char c) {
        return static_cast<unsigned char>(letter_case == LetterCase::ignored ? lower_case(c) : c);
    };
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        const std::string_view a_digits = digits_at(a, i);
        const std::string_view b_digits = digits_at(b, j);
        if (!a_digits.empty() && !b_digits.empty()) {
            const std::string_view a_number = without_zeros(a_digits);
            const std::string_view b_number = without_zeros(b_digits);
            if (a_number.size() != b_number.size()) return a_number.size() < b_number.size() ? -1 : 1;
            if (const int order = a_number.compare(b_number); order != 0) return order;
            i += a_digits.size();
            j += b_digits.size();
        } else {
            const auto left = letter(a[i++]);
            const auto right = letter(b[j++]);
            if (left != right) return left < right ? -1 : 1;
        }
    }
    if (i < a.size() || j < b.size()) return i < a.size() ? 1 : -1;
    return a.compare(b);
}

std::string shortened(std::string_view text, std::size_t max_bytes, std::string_view left_out) {
    if (text.size() <= max_bytes) return std::string(text);
    const auto is_within = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
    const std::size_t half = (max_bytes - std::min(max_bytes, left_out.size())) / 2;
    std::size_t front = half, back = text.size() - half;
    for (int i = 0; i < 3 && front > 0 && is_within(front); ++i) --front;
    for (int i = 0; i < 3 && back < text.size() && is_within(back); ++i) ++back;
    return std::string(text.substr(0, front)).append(left_out).append(text.substr(back));
}

void append_utf8(std::string& out, std::uint32_t code) {
    constexpr unsigned k_lead_bits[] = {0, 0xC0, 0xE0, 0xF0};  // bits that mark a first byte, by number of further bytes
    const unsigned tail = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    out += static_cast<char>(k_lead_bits[tail] | code >> 6 * tail);
    for (unsigned i = tail; i-- > 0;) out += static_cast<char>(0x80 | (code >> 6 * i & 0x3F));
}

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

nlohmann::json parse_json(std::string_view text) { return parse<nlohmann::json>(text); }
nlohmann::ordered_json parse_ordered_json(std::string_view text) { return parse<nlohmann::ordered_json>(text); }
std::string json_text(const nlohmann::json& value, int spaces) { return text_of(value, spaces); }
std::string json_text(const nlohmann::ordered_json& value, int spaces) { return text_of(value, spaces); }

}  // namespace snapviewer
