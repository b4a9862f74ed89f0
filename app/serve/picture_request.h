#pragma once

#include <string>

#include "app/features/save_picture/picture_parameters.h"
#include "core/base/result.h"

/// Pictures as a reader of a page asks for them.
namespace snapviewer {

/// The picture that parameters ask for, unless it is larger than is drawn for readers.
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
