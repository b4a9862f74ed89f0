#include "app/serve/picture_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "app/features/save_picture/picture_values.h"
#include "app/serve/html.h"
#include "core/base/addresses.h"

namespace snapviewer {
namespace {

constexpr std::int64_t k_most_pixels = std::int64_t{1} << 24;

std::vector<std::string> choices_of(const PictureOption& option) {
    return option.one_of == nullptr ? std::vector<std::string>() : option.one_of();
}

std::string field_of(const PictureOption& option, const std::string& value) {
    const std::string_view name = name_in_links(option);
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

/// Formats a range for a link. Rounds outwards to whole numbers, because a picture shows nothing finer.
std::string range_text(double begin, double end) { return fmt::format("{:.0f}:{:.0f}", std::floor(begin), std::ceil(end)); }

}  // namespace

Result<PictureSpec> picture_asked_for(const Parameters& parameters) {
    Result<PictureSpec> spec = picture_of(parameters);
    if (!spec) return spec.error();
    const auto size = parse_size(spec->size);
    if (size && std::int64_t{size->width_px} * size->height_px > k_most_pixels)
        return Error{ErrorCode::bad_query, "size: at most 16 million pixels are drawn here; snapviewer render draws more"};
    return spec;
}

Parameters picture_parameters(const Parameters& parameters) {
    Parameters kept;
    for (const auto& [name, value] : parameters) {
        if (!value.empty() && option_in_links(name) != nullptr) kept.emplace(name, value);
    }
    return kept;
}

std::string picture_fields(const Parameters& parameters) {
    std::string html;
    for (const PictureOption& option : picture_options()) {
        if (!option.is_in_links) continue;
        const auto given = parameters.find(std::string(name_in_links(option)));
        html += field_of(option, given == parameters.end() ? "" : given->second);
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
