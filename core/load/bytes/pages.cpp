#include "core/load/bytes/pages.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "core/base/text.h"

namespace snapviewer::bytes {
namespace {

constexpr std::uint8_t k_no_base64_value = 0xFF;

/// Value of each character as a base64 digit (RFC 4648), or k_no_base64_value if it is not one. The index is the character
/// as an unsigned char.
constexpr std::array<std::uint8_t, 256> k_base64_values = [] {
    std::array<std::uint8_t, 256> table{};
    table.fill(k_no_base64_value);
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < digits.size(); ++i)
        table[static_cast<unsigned char>(digits[i])] = static_cast<std::uint8_t>(i);
    return table;
}();

constexpr std::string_view k_data_key = "\"base64\"";
constexpr std::string_view k_view_call = "add_local_files(";
constexpr std::size_t k_max_rest_bytes = std::size_t{64} * 1024;  // maximum bytes of the page after its data
constexpr std::uint32_t k_max_digit = 63;

bool is_space(int c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

bool looks_like_html(std::string_view front) {
    if (front.starts_with("\xEF\xBB\xBF")) front.remove_prefix(3);
    while (!front.empty() && is_space(front.front())) front.remove_prefix(1);
    return front.starts_with('<');
}

bool HtmlReader::next_piece() {
    piece_offset_ += piece_.size();
    piece_ = {};
    at_ = 0;
    piece_ = page_.next_piece();
    return !piece_.empty();
}

/// Advances to the byte after the next `mark`, or to the end of the page.
void HtmlReader::skip_past(std::string_view mark) {
    std::size_t matched = 0;
    for (int c = next_char(); c >= 0; c = next_char()) {
        if (c == mark[matched]) {
            if (++matched == mark.size()) return;
        } else {
            // The search continues at this character. A partial match cannot begin earlier, because the first character of
            // `mark` occurs in it only once more, as its last one.
            matched = c == mark[0] ? 1 : 0;
        }
    }
}

void HtmlReader::find_data() {
    while (true) {
        skip_past(k_data_key);
        int c = next_char();
        while (is_space(c)) c = next_char();
        if (c == ':') c = next_char();
        while (is_space(c)) c = next_char();
        if (c == '"') return;
        if (c < 0)
            fail(
                "is an HTML page without the data of torch.cuda._memory_viz; expected \"base64\" in it; if it was "
                "downloaded, it may be a page about the file instead of the file");
    }
}

/// Returns the next base64 digit (six bits), or -1 at the closing quote. Skips white space and padding.
int HtmlReader::next_digit() {
    while (true) {
        const int c = next_char();
        if (c < 0) fail_cut("is an HTML page whose base64 data is cut short", piece_offset_ + at_, "of the page");
        if (c == '"') return -1;
        if (k_base64_values[static_cast<std::size_t>(c)] != k_no_base64_value)
            return k_base64_values[static_cast<std::size_t>(c)];
        if (c == '=' || is_space(c)) continue;
        --at_;
        fail_cut("is an HTML page whose base64 data is damaged", piece_offset_ + at_, "of the page");
    }
}

/// Decodes as many contiguous groups of four digits as the piece contains and `buffer` can hold.
std::size_t HtmlReader::decode_whole_groups(std::span<char> buffer) {
    const auto digit = [&](std::size_t i) {
        return std::uint32_t{k_base64_values[static_cast<unsigned char>(piece_[at_ + i])]};
    };
    std::size_t size = 0;
    for (; at_ + 4 <= piece_.size() && size + 3 <= buffer.size(); at_ += 4, size += 3) {
        const std::uint32_t a = digit(0), b = digit(1), c = digit(2), d = digit(3);
        if ((a | b | c | d) > k_max_digit) break;
        const std::uint32_t bits = a << 18 | b << 12 | c << 6 | d;
        buffer[size] = static_cast<char>(bits >> 16);
        buffer[size + 1] = static_cast<char>(bits >> 8 & 0xFF);
        buffer[size + 2] = static_cast<char>(bits & 0xFF);
    }
    return size;
}

std::size_t HtmlReader::read(std::span<char> buffer) {
    if (!std::exchange(has_begun_, true)) find_data();
    std::size_t size = 0;
    try {
        while (!at_end_ && size + 3 <= buffer.size()) {
            size += decode_whole_groups(buffer.subspan(size));
            if (size + 3 > buffer.size()) break;
            std::uint32_t bits = 0;
            int digits = 0;
            for (; digits < 4; ++digits) {
                const int digit = next_digit();
                if (digit < 0) break;
                bits = bits << 6 | static_cast<std::uint32_t>(digit);
            }
            at_end_ = digits < 4;
            bits <<= 6 * (4 - digits);
            for (int byte = 0; byte < digits - 1; ++byte) buffer[size++] = static_cast<char>(bits >> (16 - 8 * byte) & 0xFF);
        }
    } catch (const Failure&) {
        if (size == 0) throw;  // bytes decoded so far are returned first, and the next call throws
    }
    return size;
}

std::string HtmlReader::take_view_name() {
    std::string rest;
    try {
        for (int c = next_char(); c >= 0 && rest.size() < k_max_rest_bytes; c = next_char()) rest += static_cast<char>(c);
    } catch (const Failure& failure) {
        if (!failure.is_cut) throw;  // if the page breaks off here, its data is complete, and only the name is missing
    }
    const std::size_t call = rest.find(k_view_call);
    if (call == rest.npos) return {};
    const std::size_t open = rest.find_first_of("'\"", call);
    const std::size_t close = open == rest.npos ? open : rest.find(rest[open], open + 1);
    return close == rest.npos ? "" : rest.substr(open + 1, close - open - 1);
}

namespace {

constexpr std::size_t k_max_line_bytes = std::size_t{64} * 1024;
constexpr std::size_t k_max_header_bytes = std::size_t{64} * 1024;
constexpr std::size_t k_examined_mhtml_bytes = 4096;

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Returns the boundary that a Content-Type header names, without quotes. Returns "" if it names none.
std::string boundary_in(std::string_view headers) {
    constexpr std::string_view k_parameter = "boundary=";
    const std::size_t found = lower_case(headers).find(k_parameter);
    if (found == std::string::npos) return {};
    std::string_view value = headers.substr(found + k_parameter.size());
    if (value.starts_with('"')) {
        value.remove_prefix(1);
        return std::string(value.substr(0, value.find('"')));
    }
    return std::string(value.substr(0, value.find_first_of("; \t\r\n")));
}

}  // namespace

bool looks_like_mhtml(std::string_view front) {
    front = front.substr(0, k_examined_mhtml_bytes);
    const std::string_view name = front.substr(0, front.find(':'));
    const bool is_header = !name.empty() && name.size() < front.size() &&
                           std::ranges::all_of(name, [](char c) { return is_letter(c) || c == '-'; });
    return is_header && contains_in_any_case(front, "content-type: multipart/related");
}

bool MhtmlReader::next_line() {
    is_line_begin_ = was_line_end_;
    line_.clear();
    while (line_.size() < k_max_line_bytes) {
        if (piece_.empty()) piece_ = file_.next_piece();
        if (piece_.empty()) break;
        const std::size_t end = piece_.find('\n');
        const std::size_t size = std::min(end == piece_.npos ? piece_.size() : end + 1, k_max_line_bytes - line_.size());
        line_ += piece_.substr(0, size);
        piece_.remove_prefix(size);
        read_bytes_ += size;
        if (line_.back() == '\n') break;
    }
    was_line_end_ = line_.ends_with('\n');
    return !line_.empty();
}

/// Reads and returns the headers up to the next blank line. Skips that line.
std::string MhtmlReader::headers_until_blank() {
    std::string headers;
    while (next_line() && line_ != "\r\n" && line_ != "\n") {
        headers += line_;
        if (headers.size() > k_max_header_bytes) fail("is an MHTML file with longer headers than any browser writes");
    }
    return headers;
}

bool MhtmlReader::is_boundary() const { return is_line_begin_ && line_.starts_with(boundary_); }

void MhtmlReader::find_page() {
    const std::string boundary = boundary_in(headers_until_blank());
    if (boundary.empty()) fail("is an MHTML file that does not say what separates its parts");
    boundary_ = "--" + boundary;
    while (true) {
        while (next_line() && !is_boundary()) {
        }
        if (line_.empty()) fail("is an MHTML file without a page in it; expected a saved page of PyTorch's viewer");
        const std::string headers = headers_until_blank();
        if (!contains_in_any_case(headers, "content-type: text/html")) continue;
        if (contains_in_any_case(headers, "content-transfer-encoding: quoted-printable"))
            encoding_ = Encoding::quoted_printable;
        else if (contains_in_any_case(headers, "content-transfer-encoding: base64"))
            encoding_ = Encoding::base64;
        return;
    }
}

void MhtmlReader::decode_quoted_printable(std::string_view line) {
    held_back_ += line;
    std::string_view text = held_back_;
    const bool has_end = text.ends_with('\n');
    if (has_end) {
        // programs that transport the file may add spaces to the end of a line
        const std::size_t last = text.find_last_not_of(" \t\r\n");
        text = text.substr(0, last == text.npos ? 0 : last + 1);
    }
    const bool goes_on = has_end && text.ends_with('=');
    if (goes_on) text.remove_suffix(1);
    while (!text.empty()) {
        if (text.front() == '=' && text.size() < 3 && !has_end) break;
        const int high = text.size() < 3 ? -1 : hex_digit(text[1]);
        const int low = text.size() < 3 ? -1 : hex_digit(text[2]);
        const bool is_escape = text.front() == '=' && high >= 0 && low >= 0;
        decoded_ += is_escape ? static_cast<char>(high << 4 | low) : text.front();
        text.remove_prefix(is_escape ? 3 : 1);
    }
    std::string rest(text);
    if (has_end && !goes_on) decoded_ += '\n';
    held_back_ = std::move(rest);
}

void MhtmlReader::decode_base64(std::string_view line) {
    for (const char c : line) {
        const std::uint8_t digit = k_base64_values[static_cast<unsigned char>(c)];
        if (digit == k_no_base64_value) continue;
        digits_ = digits_ << 6 | digit;
        if (++digit_count_ < 4) continue;
        for (const int shift : {16, 8, 0}) decoded_ += static_cast<char>(digits_ >> shift & 0xFF);
        digits_ = 0;
        digit_count_ = 0;
    }
}

void MhtmlReader::decode_line() {
    decoded_.clear();
    returned_bytes_ = 0;
    if (!next_line()) fail_cut("is an MHTML file that is cut short", read_bytes_, "of the MHTML file");
    if (is_boundary()) {
        at_end_ = true;
        // two remaining base64 digits encode one more byte, three encode two
        for (int byte = 0; byte < digit_count_ - 1; ++byte)
            decoded_ += static_cast<char>(digits_ << (24 - 6 * digit_count_) >> (16 - 8 * byte) & 0xFF);
        return;
    }
    switch (encoding_) {
        case Encoding::none: decoded_ = line_; break;
        case Encoding::quoted_printable: decode_quoted_printable(line_); break;
        case Encoding::base64: decode_base64(line_); break;
    }
}

std::size_t MhtmlReader::read(std::span<char> buffer) {
    if (!has_begun_) {
        has_begun_ = true;
        find_page();
    }
    std::size_t size = 0;
    try {
        while (size < buffer.size()) {
            if (returned_bytes_ == decoded_.size()) {
                if (at_end_) break;
                decode_line();
                continue;
            }
            const std::size_t part = std::min(decoded_.size() - returned_bytes_, buffer.size() - size);
            std::memcpy(buffer.data() + size, decoded_.data() + returned_bytes_, part);
            returned_bytes_ += part;
            size += part;
        }
    } catch (const Failure&) {
        if (size == 0) throw;  // bytes decoded so far are returned first, and the next call throws
    }
    return size;
}

namespace {

constexpr std::uint32_t k_replacement_character = 0xFFFD;
constexpr std::uint16_t k_byte_order_mark = 0xFEFF;
constexpr std::uint32_t k_high_surrogate = 0xD800, k_low_surrogate = 0xDC00, k_surrogates_end = 0xE000;
constexpr std::uint32_t k_first_supplementary = 0x10000;
constexpr std::size_t k_max_character_bytes = 4;

bool is_high_surrogate(std::uint32_t unit) { return unit >= k_high_surrogate && unit < k_low_surrogate; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= k_low_surrogate && unit < k_surrogates_end; }

}  // namespace

bool looks_like_utf16(std::string_view front) {
    if (front.size() < 4) return false;
    const bool is_utf32 = front[2] == '\0' && front[3] == '\0';
    if (front.starts_with("\xFF\xFE")) return !is_utf32;
    if (front.starts_with("\xFE\xFF")) return true;
    const bool is_big_endian = front[0] == '\0';
    const char first = front[is_big_endian ? 1 : 0];
    return (first == '{' || first == '[' || first == '<') && front[is_big_endian ? 0 : 1] == '\0' && !is_utf32;
}

std::optional<std::uint8_t> Utf16Reader::next_byte() {
    if (piece_.empty()) piece_ = text_.next_piece();
    if (piece_.empty()) return std::nullopt;
    const auto byte = static_cast<std::uint8_t>(piece_.front());
    piece_.remove_prefix(1);
    ++read_bytes_;
    return byte;
}

std::optional<std::uint16_t> Utf16Reader::next_unit() {
    if (pending_) return std::exchange(pending_, std::nullopt);
    const auto first = next_byte();
    if (!first) return std::nullopt;
    const auto second = next_byte();
    if (!second) fail_cut("is text in UTF-16 that is cut short", read_bytes_, "of the text");
    return static_cast<std::uint16_t>(is_big_endian_ ? *first << 8 | *second : *second << 8 | *first);
}

void Utf16Reader::begin() {
    has_begun_ = true;
    const auto first = next_unit();
    if (!first) return;
    // `first` was read as little-endian: a big-endian mark has swapped bytes, and big-endian JSON begins with a zero byte
    is_big_endian_ = *first == 0xFFFE || (*first & 0xFF) == 0;
    if (*first == 0xFFFE || *first == k_byte_order_mark) return;
    pending_ = static_cast<std::uint16_t>(is_big_endian_ ? *first >> 8 | *first << 8 : *first);
}

std::size_t Utf16Reader::read(std::span<char> buffer) {
    if (!has_begun_) begin();
    std::string utf8;
    std::size_t size = 0;
    try {
        while (size + k_max_character_bytes <= buffer.size()) {
            const auto unit = next_unit();
            if (!unit) break;
            std::uint32_t character = *unit;
            if (is_high_surrogate(character)) {
                const auto low = next_unit();
                if (low && is_low_surrogate(*low)) {
                    character = k_first_supplementary + ((character - k_high_surrogate) << 10) + (*low - k_low_surrogate);
                } else {
                    pending_ = low;
                }
            }
            if (is_high_surrogate(character) || is_low_surrogate(character)) character = k_replacement_character;
            utf8.clear();
            append_utf8(utf8, character);
            size += utf8.copy(buffer.data() + size, utf8.size());
        }
    } catch (const Failure&) {
        if (size == 0) throw;  // bytes decoded so far are returned first, and the next call throws
    }
    return size;
}

}  // namespace snapviewer::bytes
