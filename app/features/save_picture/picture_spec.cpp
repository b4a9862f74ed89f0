#include "app/features/save_picture/picture_spec.h"

#include <array>
#include <type_traits>

#include "app/features/save_picture/picture_values.h"
#include "app/features/timeline/colour_names.h"
#include "core/document/document.h"

namespace snapviewer {
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
        } else if (value->starts_with('-')) {  // as a separate word, the value would be parsed as an option
            words.push_back(name + "=" + *value);
        } else {
            words.push_back(name);
            if (!value->empty()) words.push_back(*value);
        }
    }
    return words;
}

}  // namespace snapviewer
