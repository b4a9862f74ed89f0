#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace snapviewer {

/// Escapes a text for the content or an attribute of XML. Characters that XML cannot represent become question marks.
std::string xml_text(std::string_view text);
/// Formats a length in pixels, rounded to hundredths, in its shortest form.
std::string svg_number(double value);
/// Formats a point as "12.5,30".
std::string svg_point(double x, double y);
/// Formats a colour in the form 0xAABBGGRR as an attribute: `fill="#12a0ff"`, with its opacity if it is not opaque. `name`
/// may also be "stroke".
std::string svg_paint(const char* name, std::uint32_t colour);

}  // namespace snapviewer
