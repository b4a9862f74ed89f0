#include "app/ui/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "core/base/text.h"

namespace snapviewer {
namespace {

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

/// The first character of a text and its length in bytes; 0 and 1 if the first byte starts no valid character.
struct Decoded {
    char32_t character = 0;
    std::size_t length = 1;
};

Decoded decode(std::string_view text) {
    // the smallest character that needs this number of bytes; shorter ones are overlong encodings
    constexpr char32_t k_min[] = {0, 0, 0x80, 0x800, 0x10000};
    const auto first = static_cast<std::uint8_t>(text[0]);
    const auto length = static_cast<std::size_t>(std::countl_one(first));
    if (length < 2 || length > 4 || length > text.size()) return {};
    char32_t character = first & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto byte = static_cast<std::uint8_t>(text[i]);
        if ((byte & 0xC0U) != 0x80U) return {};
        character = character << 6U | (byte & 0x3FU);
    }
    const bool is_surrogate = character >= 0xD800 && character < 0xE000;
    if (character < k_min[length] || character > 0x10FFFF || is_surrogate) return {};
    return {character, length};
}

}  // namespace

void CharacterSet::add(char32_t character) {
    if (character >= is_in_.size()) is_in_.resize(character + 1);
    if (is_in_[character]) return;
    is_in_[character] = true;
    characters_.push_back(character);
}

void CharacterSet::add(std::string_view text) {
    while (true) {
        text.remove_prefix(static_cast<std::size_t>(std::ranges::find_if_not(text, is_ascii) - text.begin()));
        if (text.empty()) return;
        const Decoded next = decode(text);
        if (next.character != 0) add(next.character);
        text.remove_prefix(next.length);
    }
}

bool CharacterSet::contains(char32_t character) const { return character < is_in_.size() && is_in_[character]; }

CharacterSet characters_of(const Document& document) {
    CharacterSet characters;
    characters.add(document.path);
    characters.add(document.with);
    const Snapshot& snapshot = *document.snapshot;
    for (std::uint32_t i = 0; i < snapshot.strings.size(); ++i) characters.add(snapshot.strings.view(StringId{i}));
    for (const DeviceTrace& device : snapshot.devices) {
        characters.add(device.part);
        characters.add(device.rank);
    }
    for (const auto& [key, value] : snapshot.settings) {
        characters.add(key);
        characters.add(value);
    }
    for (const ImportEntry& entry : snapshot.log.entries()) characters.add(entry.message);
    for (const stacks::Icicle& icicle : document.icicles) {
        for (const stacks::IcicleNode& node : icicle.nodes) {
            characters.add(node.label);
            characters.add(node.place.file);
        }
    }
    return characters;
}

std::string shell_word(const std::string& text) {
    const auto is_plain = [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               (c != 0 && std::string_view("/._-+=:,@%").find(static_cast<char>(c)) != std::string_view::npos);
    };
    if (!text.empty() && text.front() != '-' && std::ranges::all_of(text, is_plain)) return text;
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

namespace {

/// Upper limit: larger doubles are inexact in bytes, and rounding them could overflow a 64-bit integer.
constexpr double k_max = 9e18;

std::uint64_t whole(double magnitude) { return static_cast<std::uint64_t>(std::llround(std::min(magnitude, k_max))); }

std::string number_text(double magnitude) {
    return magnitude >= 100 || magnitude == std::floor(magnitude) ? format_count(whole(magnitude))
                                                                  : fmt::format("{:.1f}", magnitude);
}

std::string magnitude_text(Unit unit, double magnitude) {
    switch (unit) {
        case Unit::bytes: return format_bytes(whole(magnitude));
        case Unit::bytes_per_second: return format_bytes(whole(magnitude)) + "/s";
        case Unit::packets_per_second: return number_text(magnitude) + " packets/s";
        case Unit::megahertz: return number_text(magnitude) + " MHz";
        case Unit::percent: return number_text(magnitude) + " %";
        case Unit::nanoseconds:
            return magnitude < 1000 ? number_text(magnitude) + " ns"
                                    : format_duration_us(static_cast<std::int64_t>(whole(magnitude / 1000)));
        case Unit::milliseconds: return format_duration_us(static_cast<std::int64_t>(whole(magnitude * 1000)));
        case Unit::count: return number_text(magnitude);
    }
    return "";
}

}  // namespace

std::string value_text(Unit unit, double value) {
    if (!std::isfinite(value)) return "not a number";
    return (value < 0 ? "-" : "") + magnitude_text(unit, std::abs(value));
}

}  // namespace snapviewer
