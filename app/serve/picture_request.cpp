#include "app/serve/picture_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "app/features/save_picture/picture_values.h"
#include "app/serve/html.h"
#include "core/base/number_text.h"
#include "core/base/request_target.h"

namespace snapviewer {
namespace {

constexpr std::int64_t k_most_pixels = std::int64_t{1} << 24;
/// All but what names a file of the user's, his preferences, and how it is drawn.
constexpr std::array<std::string_view, 12> k_offered = {"device", "view",   "axis",  "size",  "shows",  "colour-by",
                                                        "theme",  "search", "group", "stack", "select", "picture"};

/// Null where it is not offered.
const PictureOption* offered_option(std::string_view name) {
    if (std::ranges::find(k_offered, name) == k_offered.end()) return nullptr;
    const auto options = picture_options();
    const auto found = std::ranges::find_if(
        options, [&](const PictureOption& option) { return std::string_view(option.name) == "--" + std::string(name); });
    return found == options.end() ? nullptr : &*found;
}

std::vector<std::string> choices_of(const PictureOption& option) {
    return option.one_of == nullptr ? std::vector<std::string>() : option.one_of();
}

/// What is wrong with a text for an option, or nothing.
std::string why_not(const PictureOption& option, const std::string& value) {
    if (option.check != nullptr) return option.check(value);
    const std::vector<std::string> choices = choices_of(option);
    if (choices.empty() || std::ranges::find(choices, value) != choices.end()) return "";
    return fmt::format("'{}' is none of {}", value, fmt::join(choices, ", "));
}

Status set_field(const PictureOption& option, const std::string& value, PictureSpec& spec) {
    if (const std::string reason = why_not(option, value); !reason.empty()) return Error{ErrorCode::bad_query, reason};
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

std::string field_of(std::string_view name, const PictureOption& option, const std::string& value) {
    std::string html = fmt::format("<label title=\"{}\">{} ", html_text(option.about), name);
    const std::vector<std::string> choices = choices_of(option);
    if (choices.empty()) {
        return html + fmt::format("<input name=\"{}\" value=\"{}\" placeholder=\"{}\"></label>\n", name, html_text(value),
                                  html_text(option.type_name));
    }
    html += fmt::format("<select name=\"{}\"><option></option>", name);
    for (const std::string& choice : choices)
        html += fmt::format("<option{}>{}</option>", choice == value ? " selected" : "", html_text(choice));
    return html + "</select></label>\n";
}

/// The numbers of a link need not be finer than a picture is.
std::string range_text(double begin, double end) { return fmt::format("{:.0f}:{:.0f}", std::floor(begin), std::ceil(end)); }

}  // namespace

Result<PictureSpec> picture_asked_for(const Parameters& parameters) {
    PictureSpec spec;
    for (const auto& [name, value] : parameters) {
        const PictureOption* option = offered_option(name);
        if (option == nullptr || value.empty()) continue;
        if (const Status set = set_field(*option, value, spec); !set)
            return Error{ErrorCode::bad_query, name + ": " + set.error().message};
    }
    const auto size = parse_size(spec.size);
    if (size && std::int64_t{size->width_px} * size->height_px > k_most_pixels)
        return Error{ErrorCode::bad_query, "size: at most 16 million pixels are drawn here; snapviewer render draws more"};
    return spec;
}

Parameters picture_parameters(const Parameters& parameters) {
    Parameters kept;
    for (const auto& [name, value] : parameters) {
        if (!value.empty() && offered_option(name) != nullptr) kept.emplace(name, value);
    }
    return kept;
}

std::string picture_fields(const Parameters& parameters) {
    std::string html;
    for (const std::string_view name : k_offered) {
        const auto given = parameters.find(std::string(name));
        if (const PictureOption* option = offered_option(name))
            html += field_of(name, *option, given == parameters.end() ? "" : given->second);
    }
    return html;
}

std::string zoom_links(const Parameters& parameters, const PictureWidth& width) {
    Parameters next = picture_parameters(parameters);
    if (!next.contains("axis")) next["axis"] = width.steps > 0 ? "steps" : "time";
    const double whole = next["axis"] == "time" ? width.time_us : width.steps;
    if (whole <= 1) return "";
    const auto shown = parse_view(next["view"]);
    const double begin = shown ? std::clamp(shown->view.x_begin, 0.0, whole) : 0.0;
    const double end = shown ? std::clamp(shown->view.x_end, begin, whole) : whole;
    const double part = end - begin;
    const auto link = [&](const char* words, double from, double to) {
        from = std::clamp(from, 0.0, whole);
        to = std::clamp(to, 0.0, whole);
        next["view"] = to - from < 1 ? range_text(from, from + 1) : range_text(from, to);
        return fmt::format("<a href=\"{}\">{}</a>\n", html_text(query_of(next)), words);
    };
    const double half = std::max(part / 2, 1.0);
    const double left = std::max(begin - half, 0.0);
    const double right = std::min(end + half, whole);
    return "<p>" + link("zoom in", begin + part / 4, end - part / 4) + link("zoom out", begin - half, end + half) +
           link("left", left, left + part) + link("right", right - part, right) + link("all of it", 0, whole) + "</p>\n";
}

}  // namespace snapviewer
