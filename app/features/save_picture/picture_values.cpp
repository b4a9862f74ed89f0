#include "app/features/save_picture/picture_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/timeline/search.h"

namespace snapviewer {
namespace {

constexpr int k_smallest_px = 64;
constexpr int k_largest_px = 16384;

std::optional<int> parse_length(std::string_view text) {
    const auto length = parse_number<int>(text);
    return length && *length >= k_smallest_px && *length <= k_largest_px ? length : std::nullopt;
}

using ParsePlace = std::optional<double> (*)(std::string_view text);

bool parse_range(std::string_view text, ParsePlace parse, double& begin, double& end) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return false;
    const auto first = parse(text.substr(0, colon));
    const auto last = parse(text.substr(colon + 1));
    if (!first || !last || !std::isfinite(*first) || !std::isfinite(*last) || !(*first < *last)) return false;
    begin = *first;
    end = *last;
    return true;
}

}  // namespace

std::optional<SizePx> parse_size(const std::string& text) {
    const std::string_view view = text;
    const std::size_t times = view.find('x');
    if (times == std::string_view::npos) return std::nullopt;
    const auto width = parse_length(view.substr(0, times));
    const auto height = parse_length(view.substr(times + 1));
    if (!width || !height) return std::nullopt;
    return SizePx{*width, *height};
}

std::optional<ViewRange> parse_view(const std::string& text) {
    const std::string_view whole = text;
    const std::size_t comma = whole.find(',');
    ViewRange range;
    range.has_y = comma != std::string_view::npos;
    if (!parse_range(whole.substr(0, comma), parse_number<double>, range.view.x_begin, range.view.x_end))
        return std::nullopt;
    if (range.has_y && !parse_range(whole.substr(comma + 1), parse_byte_size, range.view.y_begin, range.view.y_end))
        return std::nullopt;
    return range;
}

// fmt's default for double: the shortest decimal numbers that parse to the same values.
std::string view_text(const View& view) {
    return fmt::format("{}:{},{}:{}", view.x_begin, view.x_end, view.y_begin, view.y_end);
}

std::string is_size(const std::string& text) {
    if (parse_size(text)) return "";
    return "'" + text + "' is not a size; expected WIDTHxHEIGHT with both from " + std::to_string(k_smallest_px) + " to " +
           std::to_string(k_largest_px);
}

std::string is_view(const std::string& text) {
    if (parse_view(text)) return "";
    return "'" + text +
           "' is not a part of the picture; expected X0:X1 or X0:X1,Y0:Y1 with increasing numbers, such as "
           "0:5000,50MiB:1GiB";
}

std::string is_picture_path(const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension().string();
    const std::string lowered = lower_case(ending);
    if (ending.empty() || lowered == ".png" || lowered == ".svg") return "";
    return "'" + path + "' ends in " + ending + ", but a picture is a PNG or an SVG; expected .png or .svg";
}

std::string is_search(const std::string& text) {
    const auto terms = parse_search(text);
    return terms ? "" : terms.error().message;
}

}  // namespace snapviewer
