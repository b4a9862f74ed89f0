#include "core/base/number_text.h"

namespace snapviewer {

std::size_t read_number(std::string_view text, double& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() ? static_cast<std::size_t>(end - text.data()) : 0;
}

}  // namespace snapviewer
