#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace snapviewer {

/// The number that a text is, all of it, without blanks; none if it is anything else or out of bounds. `format` as
/// std::from_chars takes it: the base of a whole number.
template <typename Number, typename... Format>
std::optional<Number> parse_number(std::string_view text, Format... format) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, format...);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace snapviewer
