#include "core/base/number_text.h"

namespace snapviewer {

std::size_t read_number(std::string_view text, double& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() ? static_cast<std::size_t>(end - text.data()) : 0;
}

std::optional<std::uint64_t> parse_address(std::string_view text) {
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    if (is_hex) text.remove_prefix(2);
    return parse_number<std::uint64_t>(text, is_hex ? 16 : 10);
}

}  // namespace snapviewer
