#pragma once

#include <map>
#include <string>

#include "app/features/save_picture/picture_spec.h"
#include "core/base/result.h"

/// Pictures as a reader of a page asks for them.
namespace snapviewer {

using Parameters = std::map<std::string, std::string>;

/// The picture that parameters named like the options of `render` ask for; those that others would have to answer for
/// (files, the user's preferences) are not among them. An error names what is wrong with a value.
Result<PictureSpec> picture_asked_for(const Parameters& parameters);

/// The parameters that are options of a picture, and nothing else.
Parameters picture_parameters(const Parameters& parameters);

/// The fields of a form for all of these.
std::string picture_fields(const Parameters& parameters);

/// How wide the whole picture of a device is.
struct PictureWidth {
    double steps = 0;
    double time_us = 0;
};
/// Links that zoom and move, for the page of a file; empty where it is not known how wide the picture is.
std::string zoom_links(const Parameters& parameters, const PictureWidth& width);

}  // namespace snapviewer
