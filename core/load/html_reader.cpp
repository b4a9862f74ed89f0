#include "core/load/html_reader.h"

#include <cstdint>
#include <utility>

#include "core/load/base64_values.h"
#include "core/load/failure.h"

namespace snapviewer {
namespace {

constexpr std::string_view k_data_key = "\"base64\"";
constexpr std::string_view k_view_call = "add_local_files(";
constexpr std::size_t k_longest_rest = std::size_t{64} * 1024;  // maximum bytes of the page after its data
constexpr std::uint32_t k_largest_digit = 63;

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
            // restart at this character: a mark contains its first character only once more, as its last one
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

/// Decodes as many contiguous groups of four digits as the piece contains and `room` can hold.
std::size_t HtmlReader::decode_whole_groups(std::span<char> room) {
    const auto digit = [&](std::size_t i) {
        return std::uint32_t{k_base64_values[static_cast<unsigned char>(piece_[at_ + i])]};
    };
    std::size_t size = 0;
    for (; at_ + 4 <= piece_.size() && size + 3 <= room.size(); at_ += 4, size += 3) {
        const std::uint32_t a = digit(0), b = digit(1), c = digit(2), d = digit(3);
        if ((a | b | c | d) > k_largest_digit) break;
        const std::uint32_t bits = a << 18 | b << 12 | c << 6 | d;
        room[size] = static_cast<char>(bits >> 16);
        room[size + 1] = static_cast<char>(bits >> 8 & 0xFF);
        room[size + 2] = static_cast<char>(bits & 0xFF);
    }
    return size;
}

std::size_t HtmlReader::read(std::span<char> room) {
    if (!std::exchange(has_begun_, true)) find_data();
    std::size_t size = 0;
    try {
        while (!at_end_ && size + 3 <= room.size()) {
            size += decode_whole_groups(room.subspan(size));
            if (size + 3 > room.size()) break;
            std::uint32_t bits = 0;
            int digits = 0;
            for (; digits < 4; ++digits) {
                const int digit = next_digit();
                if (digit < 0) break;
                bits = bits << 6 | static_cast<std::uint32_t>(digit);
            }
            at_end_ = digits < 4;
            bits <<= 6 * (4 - digits);
            for (int byte = 0; byte < digits - 1; ++byte) room[size++] = static_cast<char>(bits >> (16 - 8 * byte) & 0xFF);
        }
    } catch (const Failure&) {
        if (size == 0) throw;  // else return the decoded bytes first; the next call throws again
    }
    return size;
}

std::string HtmlReader::take_view_name() {
    std::string rest;
    try {
        for (int c = next_char(); c >= 0 && rest.size() < k_longest_rest; c = next_char()) rest += static_cast<char>(c);
    } catch (const Failure& failure) {
        if (!failure.is_cut) throw;  // else the data is complete, and only the name is missing
    }
    const std::size_t call = rest.find(k_view_call);
    if (call == rest.npos) return {};
    const std::size_t open = rest.find_first_of("'\"", call);
    const std::size_t close = open == rest.npos ? open : rest.find(rest[open], open + 1);
    return close == rest.npos ? "" : rest.substr(open + 1, close - open - 1);
}

}  // namespace snapviewer
