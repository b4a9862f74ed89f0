#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/timeline/view.h"

/// Text forms of the values of a picture: sizes, views, moments. No GUI.
namespace snapviewer {

struct SizePx {
    int width_px = 0;
    int height_px = 0;
};

struct ViewRange {
    View view;
    bool has_y = false;
};

/// "1600x900"; none if it is not of that form or out of bounds.
std::optional<SizePx> parse_size(const std::string& text);
/// "X0:X1" or "X0:X1,Y0:Y1", each range rising. Bytes may have a unit: "0:5000,50MiB:1.5GiB".
std::optional<ViewRange> parse_view(const std::string& text);
/// Text that parse_view() takes for this very view.
std::string view_text(const View& view);

/// Checks of values. Each returns an error text for a wrong value, otherwise "".
std::string is_size(const std::string& text);
std::string is_view(const std::string& text);
std::string is_search(const std::string& text);
/// A picture is a PNG or an SVG, so a name with another ending is refused; one without an ending is a PNG.
std::string is_picture_path(const std::string& path);

}  // namespace snapviewer
