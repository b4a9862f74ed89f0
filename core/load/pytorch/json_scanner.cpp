#include "core/load/pytorch/json_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>

#include "core/base/text.h"

namespace snapviewer::pytorch {
namespace {

/// True if a byte of a string needs no decoding.
bool is_plain(unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; }

/// Returns the first byte that is not plain, or `end`. Tests eight bytes at a time: a subtraction that borrows sets the high
/// bit of its byte. The borrow may also set the bit of a higher byte, so only the lowest set bit is reliable.
const char* skip_plain(const char* at, const char* end) {
    constexpr std::uint64_t each = 0x0101010101010101;
    for (; end - at >= 8; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        const std::uint64_t quote = word ^ (each * '"');
        const std::uint64_t backslash = word ^ (each * '\\');
        const std::uint64_t found = ((word - each * 0x20) | (quote - each) | (backslash - each) | word) & (each * 0x80);
        if (found == 0) continue;
        if constexpr (std::endian::native == std::endian::little) return at + std::countr_zero(found) / 8;
        break;
    }
    while (at != end && is_plain(static_cast<unsigned char>(*at))) ++at;
    return at;
}

/// True if the absolute value of a number that does not fit into a double is too small, false if it is too large. Compares
/// the exponent with the place of the first digit other than 0.
bool is_tiny(std::string_view number) {
    const std::size_t e = std::min(number.find_first_of("eE"), number.size());
    const std::string_view digits = number.substr(0, e);
    std::int64_t exponent = 0;
    if (e < number.size()) {
        const bool has_plus = number[e + 1] == '+';
        const std::string_view written = number.substr(e + (has_plus ? 2 : 1));
        if (read_number(written, exponent) == 0) return written.starts_with('-');
    }
    const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
    const auto first = static_cast<std::int64_t>(std::min(digits.find_first_of("123456789"), digits.size()));
    return exponent < first - point;
}

/// Returns a byte as error messages show it.
std::string shown(int c) {
    if (c > ' ' && c < 0x7F) return "'" + std::string(1, static_cast<char>(c)) + "'";
    return "byte " + std::to_string(c);
}

}  // namespace

// ---------------------------------------------------------------------------------------------------- reading bytes

int JsonText::next_piece() {
    piece_offset_ = offset();
    piece_ = source_.next_piece();
    at_ = piece_.data();
    end_ = at_ + piece_.size();
    return piece_.empty() ? -1 : static_cast<unsigned char>(*at_);
}

void JsonText::reject(const std::string& what) const { bytes::fail_damaged("is not valid JSON (" + what + ")", offset()); }

void JsonText::refuse(std::string_view expected) {
    const int c = peek();
    if (c < 0) bytes::fail_cut("is JSON that is cut short", offset());
    reject("expected " + std::string(expected) + ", found " + shown(c));
}

void JsonText::keep(std::string_view bytes) {
    if (text_.size() + bytes.size() > limits::k_word_bytes) reject("a string or number longer than in any real snapshot");
    text_ += bytes;
}

void JsonText::keep_next() {
    keep({at_, 1});
    ++at_;
}

void JsonText::skip_byte_order_mark() {
    if (peek() != 0xEF) return;
    for (const char c : {'\xEF', '\xBB', '\xBF'}) {
        if (peek() != static_cast<unsigned char>(c)) refuse("a value");
        ++at_;
    }
}

void JsonText::skip_peeked() {
    assert(at_ != end_);
    ++at_;
}

void JsonText::take_word(std::string_view word) {
    for (const char c : word) {
        if (peek() != c) refuse(fmt::format("'{}'", word));
        ++at_;
    }
}

// ---------------------------------------------------------------------------------------------------- reading strings

std::string_view JsonText::take_string() {
    skip_peeked();
    const char* plain = skip_plain(at_, end_);
    if (plain != end_ && *plain == '"') {
        const std::string_view whole(at_, static_cast<std::size_t>(plain - at_));
        at_ = plain + 1;
        return whole;
    }
    text_.clear();
    while (true) {
        const int c = peek();
        if (c == '"') {
            ++at_;
            return text_;
        }
        if (c == '\\') {
            ++at_;
            take_escape();
        } else if (c >= 0x80) {
            take_multibyte();
        } else if (c >= 0x20) {
            plain = skip_plain(at_, end_);
            keep({at_, static_cast<std::size_t>(plain - at_)});
            at_ = plain;
        } else {
            refuse("the rest of a string");
        }
    }
}

void JsonText::take_escape() {
    const int c = peek();
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
    const std::size_t known = c < 0 ? letters.npos : letters.find(static_cast<char>(c));
    if (known != letters.npos) {
        keep(meant.substr(known, 1));
        ++at_;
        return;
    }
    if (c != 'u') refuse("one of \"\\/bfnrtu after a backslash");
    std::uint32_t code = take_hex();
    if (code >= 0xDC00 && code <= 0xDFFF) reject("the second half of a surrogate pair without the first");
    if (code >= 0xD800 && code <= 0xDBFF) {
        if (peek() != '\\') refuse("the second half of a surrogate pair");
        ++at_;
        if (peek() != 'u') refuse("the second half of a surrogate pair");
        const std::uint32_t low = take_hex();
        if (low < 0xDC00 || low > 0xDFFF) reject("the first half of a surrogate pair without the second");
        code = 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF));
    }
    std::string utf8;
    append_utf8(utf8, code);
    keep(utf8);
}

/// Reads `u` and four hexadecimal digits.
std::uint32_t JsonText::take_hex() {
    ++at_;
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i) {
        const int c = peek();
        const int lower = c | 0x20;
        if (!is_digit(c) && (c < 0 || lower < 'a' || lower > 'f')) refuse("four hexadecimal digits");
        code = code << 4 | static_cast<std::uint32_t>(is_digit(c) ? c - '0' : lower - 'a' + 10);
        ++at_;
    }
    return code;
}

/// Reads a character beyond ASCII. Table 3-7 of the Unicode standard lists the valid bytes.
void JsonText::take_multibyte() {
    const int lead = peek();
    const int more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    int low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    int high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (lead < 0xC2 || lead > 0xF4) refuse("UTF-8");
    keep_next();
    for (int i = 0; i < more; ++i) {
        const int c = peek();
        if (c < low || c > high) refuse("UTF-8");
        keep_next();
        low = 0x80;
        high = 0xBF;
    }
}

// ---------------------------------------------------------------------------------------------------- reading numbers

JsonNumber JsonText::take_number() {
    constexpr std::ptrdiff_t k_certain_digits = 19;  // a number of 19 digits always fits into 64 bits
    const char* at = at_;
    const char* const limit = end_ - at > k_certain_digits ? at + k_certain_digits : end_;
    std::uint64_t value = 0;
    while (at != limit && is_digit(*at)) value = value * 10 + static_cast<std::uint64_t>(*at++ - '0');
    const bool is_whole = at != at_ && at != end_ && (*at == ',' || *at == ']' || *at == '}');
    if (!is_whole || (*at_ == '0' && at - at_ > 1)) return take_any_number();
    at_ = at;
    return {JsonNumber::Kind::whole, value, 0};
}

JsonNumber JsonText::take_any_number() {
    text_.clear();
    const auto take_one_of = [&](std::string_view bytes) {
        const int c = peek();
        if (c < 0 || bytes.find(static_cast<char>(c)) == bytes.npos) return false;
        keep_next();
        return true;
    };
    const bool is_negative = take_one_of("-");
    if (peek() == 'I' || (peek() == 'N' && !is_negative)) return take_non_number(is_negative);
    if (!is_digit(peek())) refuse(is_negative ? "a digit" : "a value");
    if (!take_one_of("0")) take_digits();
    const bool has_fraction = take_one_of(".");
    if (has_fraction) take_digits();
    const bool has_exponent = take_one_of("eE");
    if (has_exponent) {
        take_one_of("+-");
        take_digits();
    }

    if (!has_fraction && !has_exponent) {
        std::int64_t negative = 0;
        std::uint64_t whole = 0;
        if (is_negative && read_number(text_, negative) > 0)
            return {JsonNumber::Kind::negative, static_cast<std::uint64_t>(negative), 0};
        if (!is_negative && read_number(text_, whole) > 0) return {JsonNumber::Kind::whole, whole, 0};
    }
    double real = 0;
    if (read_number(text_, real) == 0) {
        if (!is_tiny(text_)) reject("a number outside the range of a double");
        real = is_negative ? -0.0 : 0.0;
    }
    return {JsonNumber::Kind::real, 0, real};
}

JsonNumber JsonText::take_non_number(bool is_negative) {
    ++non_numbers_;
    const bool is_infinity = peek() == 'I';
    take_word(is_infinity ? "Infinity" : "NaN");
    const double value = is_infinity ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    return {JsonNumber::Kind::real, 0, is_negative ? -value : value};
}

void JsonText::take_digits() {
    if (!is_digit(peek())) refuse("a digit");
    while (is_digit(peek())) keep_next();
}

}  // namespace snapviewer::pytorch
