#include "core/base/text.h"

#include <algorithm>

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
    constexpr unsigned k_lead_bits[] = {0, 0xC0, 0xE0, 0xF0};  // by the number of bytes that follow
    const unsigned tail = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    out += static_cast<char>(k_lead_bits[tail] | code >> 6 * tail);
    for (unsigned i = tail; i-- > 0;) out += static_cast<char>(0x80 | (code >> 6 * i & 0x3F));
}

}  // namespace snapviewer
