#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace snapviewer {

/// A text as the content or an attribute of XML: what means something there is written otherwise, what XML has no sign for
/// is a question mark.
std::string xml_text(std::string_view text);
/// A length in pixels, to the hundredth, as short as it can be written.
std::string svg_number(double value);
/// "12.5,30".
std::string svg_point(double x, double y);
/// `fill="#12a0ff"`, with its opacity where it has one; of 0xAABBGGRR. `name` may be "stroke" as well.
std::string svg_paint(const char* name, std::uint32_t colour);

}  // namespace snapviewer
