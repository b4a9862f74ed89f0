#include "core/load/utf16_reader.h"

#include <utility>

#include "core/load/failure.h"

namespace snapviewer {
namespace {

constexpr std::uint32_t k_replacement_character = 0xFFFD;
constexpr std::uint16_t k_byte_order_mark = 0xFEFF;
constexpr std::uint32_t k_high = 0xD800, k_low = 0xDC00, k_behind_low = 0xE000;
constexpr std::uint32_t k_first_pair = 0x10000;
constexpr std::size_t k_longest_character = 4;

bool is_high(std::uint32_t unit) { return unit >= k_high && unit < k_low; }
bool is_low(std::uint32_t unit) { return unit >= k_low && unit < k_behind_low; }

/// Writes a character as UTF-8 to `room`, which must have space for four bytes. Returns the number of bytes written.
std::size_t write_utf8(std::uint32_t character, std::span<char> room) {
    std::size_t size = 1;
    if (character < 0x80) {
        room[0] = static_cast<char>(character);
        return size;
    }
    size = character < 0x800 ? 2 : character < k_first_pair ? 3 : 4;
    for (std::size_t i = size - 1; i > 0; --i, character >>= 6) room[i] = static_cast<char>(0x80 | (character & 0x3F));
    constexpr std::uint32_t k_leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    room[0] = static_cast<char>(k_leads[size] | character);
    return size;
}

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

std::size_t Utf16Reader::read(std::span<char> room) {
    if (!has_begun_) begin();
    std::size_t size = 0;
    try {
        while (size + k_longest_character <= room.size()) {
            const auto unit = next_unit();
            if (!unit) break;
            std::uint32_t character = *unit;
            if (is_high(character)) {
                const auto low = next_unit();
                if (low && is_low(*low)) {
                    character = k_first_pair + ((character - k_high) << 10) + (*low - k_low);
                } else {
                    pending_ = low;
                }
            }
            if (is_high(character) || is_low(character)) character = k_replacement_character;
            size += write_utf8(character, room.subspan(size));
        }
    } catch (const Failure&) {
        if (size == 0) throw;  // else return the decoded bytes first; the next call throws again
    }
    return size;
}

}  // namespace snapviewer
