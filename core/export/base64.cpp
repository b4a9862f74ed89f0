#include "core/export/base64.h"

namespace snapviewer {
namespace {

constexpr std::string_view k_base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t k_text_at_once_bytes = std::size_t{64} << 10;

/// Appends three bytes as four digits.
void add_group(std::string_view bytes, std::string& text) {
    std::uint32_t bits = 0;
    for (const char byte : bytes) bits = bits << 8 | static_cast<unsigned char>(byte);
    for (const unsigned shift : {18U, 12U, 6U, 0U}) text += k_base64_digits[bits >> shift & 63];
}

}  // namespace

bool Base64Writer::put_out() {
    written_bytes_ += text_.size();
    const bool is_written = output_(text_);
    text_.clear();
    return is_written;
}

bool Base64Writer::write(std::string_view bytes) {
    while (!rest_.empty() && rest_.size() < 3 && !bytes.empty()) {
        rest_ += bytes.front();
        bytes.remove_prefix(1);
    }
    if (rest_.size() == 3) {
        add_group(rest_, text_);
        rest_.clear();
    }
    for (; bytes.size() >= 3; bytes.remove_prefix(3)) {
        add_group(bytes.substr(0, 3), text_);
        if (text_.size() >= k_text_at_once_bytes && !put_out()) return false;
    }
    rest_ += bytes;
    return true;
}

bool Base64Writer::end() {
    if (!rest_.empty()) {
        const std::size_t missing = 3 - rest_.size();
        rest_.resize(3, '\0');
        add_group(rest_, text_);
        text_.replace(text_.size() - missing, missing, missing, '=');
        rest_.clear();
    }
    return put_out();
}

}  // namespace snapviewer
