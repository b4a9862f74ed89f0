#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace snapviewer {

/// The quantity that a number stands for. It determines which units may follow the number.
enum class Measure : std::uint8_t {
    count,     ///< no unit; hexadecimal numbers are allowed: "0x7f3c00000000"
    bytes,     ///< B, KiB, MiB, GiB, TiB; K and KB also mean KiB, and so on
    duration,  ///< us, ms, s, min; microseconds if there is no unit
};

/// All numbers from `least` to `most`, both included; empty if `most` is below `least`.
struct NumberRange {
    std::uint64_t least = 0;
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

    bool contains(std::uint64_t number) const { return least <= number && number <= most; }
    bool operator==(const NumberRange&) const = default;
};

/// Parses "512", "= 512", "> 100 MiB", ">= 1.5 GiB", "< 4K", "<= 2 s" or "1 MiB..2 MiB" (both ends included). Blanks are
/// allowed everywhere except inside a number or a unit. nullopt for any other text.
std::optional<NumberRange> parse_number_range(std::string_view text, Measure measure);

}  // namespace snapviewer
