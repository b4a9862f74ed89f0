#pragma once

#include <string>

#include "app/features/save_picture/picture_parameters.h"
#include "core/base/result.h"

/// Pictures that the reader of a page requests with parameters.
namespace snapviewer {

/// Returns the picture that the parameters describe. Fails if it is larger than the limit for readers.
Result<PictureSpec> picture_asked_for(const Parameters& parameters);

/// Returns the parameters that are options of a picture.
Parameters picture_parameters(const Parameters& parameters);

/// Returns the HTML form fields for all options of a picture.
std::string picture_fields(const Parameters& parameters);

/// Width of the whole picture of a device.
struct PictureWidth {
    double steps = 0;
    double time_us = 0;
};
/// Returns links that zoom and pan, for the page of a file; empty if the width of the picture is unknown.
std::string zoom_links(const Parameters& parameters, const PictureWidth& width);

}  // namespace snapviewer
