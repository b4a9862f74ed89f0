#include "app/features/save_picture/picture_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "app/features/timeline/colouring.h"
#include "core/base/text.h"
#include "core/document/document.h"
#include "core/timeline/search.h"

namespace snapviewer::save_picture {
namespace {

std::vector<std::string> axis_names() { return {"steps", "time"}; }
std::vector<std::string> theme_names() { return {"light", "dark"}; }

constexpr std::array k_options = {
    PictureOption{
        .name = "FILE", .field = &PictureSpec::file, .about = "The snapshot", .is_required = true, .is_file = true},
    PictureOption{.name = "--out",
                  .field = &PictureSpec::out,
                  .about = "The picture to write; the ending decides: .svg or .png",
                  .type_name = "FILE",
                  .check = is_picture_path,
                  .is_required = true},
    PictureOption{.name = "--size",
                  .field = &PictureSpec::size,
                  .about = "Size in pixels; 1600x900 by default",
                  .type_name = "WIDTHxHEIGHT",
                  .check = is_size,
                  .is_in_links = true},
    PictureOption{.name = "--part", .field = &PictureSpec::part, .about = k_part_about, .type_name = "N"},
    PictureOption{.name = "--with", .field = &PictureSpec::with, .about = k_with_about, .is_file = true},
    PictureOption{
        .name = "--device", .field = &PictureSpec::device, .about = k_device_about, .type_name = "N", .is_in_links = true},
    PictureOption{.name = "--picture",
                  .field = &PictureSpec::picture,
                  .about = "For a Skyline or DeepView report: iteration, or the name of an icicle",
                  .type_name = "NAME",
                  .is_in_links = true},
    PictureOption{.name = "--shows",
                  .field = &PictureSpec::shows,
                  .about = "What to draw of the device; allocations by default",
                  .one_of = view_kind_names,
                  .is_in_links = true},
    PictureOption{.name = "--theme",
                  .field = &PictureSpec::theme,
                  .about = "Background of the picture; dark by default",
                  .one_of = theme_names,
                  .is_in_links = true},
    PictureOption{.name = "--axis",
                  .field = &PictureSpec::axis,
                  .about = "What the horizontal axis shows; steps, unless the file suggests time",
                  .one_of = axis_names,
                  .is_in_links = true},
    PictureOption{
        .name = "--colour-by",
        .field = &PictureSpec::colour_by,
        .about =
            "What the colours mean, with a legend if they have names; stacks by default, or categories for a memory report",
        .one_of = colour_names,
        .is_in_links = true},
    PictureOption{.name = "--remembered",
                  .field = &PictureSpec::remembered,
                  .about = "Use the window's preferences: the notes for this file, your rules for kinds, and the overlays "
                           "and tracks that are switched on"},
    PictureOption{
        .name = "--search",
        .field = &PictureSpec::search,
        .about =
            "What to highlight, as in the window's search: text, function:NAME, size > 100 MiB, ... Everything else is grey",
        .type_name = "TEXT",
        .check = is_search,
        .is_in_links = true},
    PictureOption{.name = "--stack",
                  .field = &PictureSpec::stack,
                  .about = "What to highlight: everything allocated by a stack, given as its stack_id in SQL",
                  .type_name = "N",
                  .is_in_links = true},
    PictureOption{.name = "--group",
                  .field = &PictureSpec::group,
                  .about = "What to highlight: a row of the colour legend",
                  .type_name = "NAME",
                  .is_in_links = true},
    PictureOption{.name = "--select",
                  .field = &PictureSpec::select,
                  .about = "The allocation to outline, by its id in the table allocations; for segments and pools, its "
                           "position in the picture",
                  .type_name = "ID",
                  .is_in_links = true},
    PictureOption{.name = "--view",
                  .field = &PictureSpec::view,
                  .about = "The part to draw: steps (or microseconds) and bytes",
                  .type_name = "X0:X1[,Y0:Y1]",
                  .check = is_view,
                  .is_in_links = true},
    PictureOption{.name = "--rules",
                  .field = &PictureSpec::rules,
                  .about = "Your own rules for kinds of memory, as JSON; see docs/analyses.md",
                  .type_name = "FILE"},
};

std::optional<std::string> written(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }
std::optional<std::string> written(bool is_on) { return is_on ? std::optional(std::string()) : std::nullopt; }
template <typename Number>
std::optional<std::string> written(const std::optional<Number>& number) {
    return number ? std::optional(std::to_string(*number)) : std::nullopt;
}

}  // namespace

std::span<const PictureOption> picture_options() { return k_options; }

std::optional<std::string> value_text(const PictureSpec& spec, const PictureOption& option) {
    return std::visit([&spec](auto field) { return written(spec.*field); }, option.field);
}

std::vector<std::string> command_words(const PictureSpec& spec) {
    std::vector<std::string> words = {"snapviewer", "render"};
    for (const PictureOption& option : k_options) {
        const auto value = value_text(spec, option);
        if (!value) continue;
        const std::string name = option.name;
        if (!name.starts_with("--")) {
            words.push_back(*value);
        } else if (value->starts_with('-')) {
            // As a separate word, the value would be parsed as an option.
            words.push_back(name + "=" + *value);
        } else {
            words.push_back(name);
            if (!value->empty()) words.push_back(*value);
        }
    }
    return words;
}

namespace {

/// Returns why `value` is invalid for an option, or "" if it is valid.
std::string why_no_value(const PictureOption& option, const std::string& value) {
    if (option.check != nullptr) return option.check(value);
    if (option.one_of == nullptr) return "";
    const std::vector<std::string> choices = option.one_of();
    if (std::ranges::find(choices, value) != choices.end()) return "";
    return fmt::format("'{}' is none of {}", value, fmt::join(choices, ", "));
}

Status set_field(const PictureOption& option, const std::string& value, PictureSpec& spec) {
    if (const std::string reason = why_no_value(option, value); !reason.empty()) return Error{ErrorCode::bad_query, reason};
    return std::visit(
        [&](auto field) -> Status {
            using Field = std::remove_reference_t<decltype(spec.*field)>;
            if constexpr (std::is_same_v<Field, std::string>) {
                spec.*field = value;
            } else if constexpr (!std::is_same_v<Field, bool>) {
                const auto number = parse_number<typename Field::value_type>(value);
                if (!number) return Error{ErrorCode::bad_query, fmt::format("'{}' is not a number", value)};
                spec.*field = *number;
            }
            return {};
        },
        option.field);
}

}  // namespace

std::string_view name_in_links(const PictureOption& option) { return std::string_view(option.name).substr(2); }

const PictureOption* option_in_links(std::string_view name) {
    const auto found = std::ranges::find_if(
        k_options, [&](const PictureOption& option) { return option.is_in_links && name_in_links(option) == name; });
    return found == k_options.end() ? nullptr : &*found;
}

Result<PictureSpec> picture_of(const Parameters& parameters) {
    PictureSpec spec;
    for (const auto& [name, value] : parameters) {
        const PictureOption* option = option_in_links(name);
        if (option == nullptr || value.empty()) continue;
        if (const Status set = set_field(*option, value, spec); !set)
            return Error{ErrorCode::bad_query, name + ": " + set.error().message};
    }
    return spec;
}

Parameters parameters_of(const PictureSpec& spec) {
    Parameters parameters;
    for (const PictureOption& option : picture_options()) {
        if (!option.is_in_links) continue;
        if (const auto value = value_text(spec, option)) parameters.emplace(name_in_links(option), *value);
    }
    return parameters;
}

namespace {

constexpr int k_smallest_px = 64;
constexpr int k_max_px = 16384;

std::optional<int> parse_length(std::string_view text) {
    const auto length = parse_number<int>(text);
    return length && *length >= k_smallest_px && *length <= k_max_px ? length : std::nullopt;
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
           std::to_string(k_max_px);
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

}  // namespace snapviewer::save_picture
