#include "app/picture/svg_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace snapviewer {
namespace {

/// Coordinates are clamped to this value. Points beyond it are invisible, and SVG viewers compute with floats.
constexpr double k_farthest_px = 100'000;

}  // namespace

std::string xml_text(std::string_view text) {
    std::string written;
    std::string valid = valid_utf8(text);
    for (const char* noncharacter : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
        for (std::size_t at = 0; (at = valid.find(noncharacter, at)) != valid.npos;) valid.replace(at, 3, "?");
    }
    for (const char c : valid) {
        switch (c) {
            case '&': written += "&amp;"; break;
            case '<': written += "&lt;"; break;
            case '>': written += "&gt;"; break;
            case '"': written += "&quot;"; break;
            default: written += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
        }
    }
    return written;
}

std::string svg_number(double value) {
    std::string text = fmt::format("{:.2f}", std::clamp(value, -k_farthest_px, k_farthest_px));
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string svg_point(double x, double y) { return svg_number(x) + "," + svg_number(y); }

std::string svg_paint(const char* name, std::uint32_t colour) {
    const std::uint32_t red = colour & 0xffU, green = colour >> 8U & 0xffU, blue = colour >> 16U & 0xffU;
    const std::uint32_t alpha = colour >> 24U;
    const std::string solid = fmt::format("{}=\"#{:02x}{:02x}{:02x}\"", name, red, green, blue);
    return alpha == 0xff ? solid : solid + fmt::format(" {}-opacity=\"{}\"", name, svg_number(alpha / 255.0));
}

}  // namespace snapviewer
