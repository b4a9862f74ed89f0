#include "app/features/save_picture/picture_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/number_text.h"

namespace snapviewer {
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
    const auto options = picture_options();
    const auto found = std::ranges::find_if(
        options, [&](const PictureOption& option) { return option.is_in_links && name_in_links(option) == name; });
    return found == options.end() ? nullptr : &*found;
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

}  // namespace snapviewer
