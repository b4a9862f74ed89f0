#pragma once

#include <map>
#include <string>
#include <string_view>

#include "app/features/save_picture/picture_spec.h"
#include "core/base/result.h"

/// Pictures as links say them: parameters named like the options of `snapviewer render`. No GUI in here.
namespace snapviewer {

using Parameters = std::map<std::string, std::string>;

/// The option of that name, without its dashes; null where links have none.
const PictureOption* option_in_links(std::string_view name);
/// The name of an option in links.
std::string_view name_in_links(const PictureOption& option);

/// The picture that these ask for; what is no option of links is ignored. An error names what is wrong with a value.
Result<PictureSpec> picture_of(const Parameters& parameters);
/// What links say of a picture.
Parameters parameters_of(const PictureSpec& spec);

}  // namespace snapviewer
