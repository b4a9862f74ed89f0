#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace snapviewer {

inline constexpr std::uint8_t k_no_base64_value = 0xFF;

/// Value of each character as a base64 digit (RFC 4648), or k_no_base64_value if it is not one. The index is the character
/// as an unsigned char.
inline constexpr std::array<std::uint8_t, 256> k_base64_values = [] {
    std::array<std::uint8_t, 256> table{};
    table.fill(k_no_base64_value);
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < digits.size(); ++i)
        table[static_cast<unsigned char>(digits[i])] = static_cast<std::uint8_t>(i);
    return table;
}();

}  // namespace snapviewer
