#pragma once

#include <map>
#include <string>
#include <string_view>

#include "app/features/save_picture/picture_spec.h"
#include "core/base/result.h"

/// Pictures as parameters of a link, named like the options of `snapviewer render`. No GUI dependencies.
namespace snapviewer {

using Parameters = std::map<std::string, std::string>;

/// Returns the option with this name, without its dashes; null if links do not support it.
const PictureOption* option_in_links(std::string_view name);
/// Name of an option as a link parameter, without its dashes.
std::string_view name_in_links(const PictureOption& option);

/// Parses the parameters of a link; unknown parameters are ignored. An error names the invalid value.
Result<PictureSpec> picture_of(const Parameters& parameters);
/// Returns a picture as link parameters; options that links do not support are left out.
Parameters parameters_of(const PictureSpec& spec);

}  // namespace snapviewer
