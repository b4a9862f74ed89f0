#include "core/load/mhtml_reader.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/text.h"
#include "core/load/base64_values.h"
#include "core/load/failure.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_longest_line = std::size_t{64} * 1024;
constexpr std::size_t k_longest_headers = std::size_t{64} * 1024;
constexpr std::size_t k_looked_at = 4096;

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
    front = front.substr(0, k_looked_at);
    const std::string_view name = front.substr(0, front.find(':'));
    const bool is_header = !name.empty() && name.size() < front.size() &&
                           std::ranges::all_of(name, [](char c) { return is_letter(c) || c == '-'; });
    return is_header && contains_in_any_case(front, "content-type: multipart/related");
}

bool MhtmlReader::next_line() {
    is_line_begin_ = was_line_end_;
    line_.clear();
    while (line_.size() < k_longest_line) {
        if (piece_.empty()) piece_ = file_.next_piece();
        if (piece_.empty()) break;
        const std::size_t end = piece_.find('\n');
        const std::size_t size = std::min(end == piece_.npos ? piece_.size() : end + 1, k_longest_line - line_.size());
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
        if (headers.size() > k_longest_headers) fail("is an MHTML file with longer headers than any browser writes");
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
    given_ = 0;
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

std::size_t MhtmlReader::read(std::span<char> room) {
    if (!has_begun_) {
        has_begun_ = true;
        find_page();
    }
    std::size_t size = 0;
    try {
        while (size < room.size()) {
            if (given_ == decoded_.size()) {
                if (at_end_) break;
                decode_line();
                continue;
            }
            const std::size_t part = std::min(decoded_.size() - given_, room.size() - size);
            std::memcpy(room.data() + size, decoded_.data() + given_, part);
            given_ += part;
            size += part;
        }
    } catch (const Failure&) {
        if (size == 0) throw;  // else return the decoded bytes first; the next call throws again
    }
    return size;
}

}  // namespace snapviewer
