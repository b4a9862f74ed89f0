#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace snapviewer {

/// What a number counts, which says the units that may follow it.
enum class Measure : std::uint8_t {
    count,     ///< none; also "0x7f3c00000000"
    bytes,     ///< B, KiB, MiB, GiB, TiB, also K or KB and so on, all of them binary
    duration,  ///< us, ms, s, min; without one microseconds
};

/// All numbers from `least` to `most`; none where `most` is below `least`.
struct NumberRange {
    std::uint64_t least = 0;
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

    bool contains(std::uint64_t number) const { return least <= number && number <= most; }
    bool operator==(const NumberRange&) const = default;
};

/// "512", "= 512", "> 100 MiB", ">= 1.5 GiB", "< 4K", "<= 2 s" or "1 MiB..2 MiB", both ends included. Blanks may stand
/// anywhere but within a number or a unit. nullopt for any other text.
std::optional<NumberRange> parse_number_range(std::string_view text, Measure measure);

}  // namespace snapviewer
