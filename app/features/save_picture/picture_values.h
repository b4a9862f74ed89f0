#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/timeline/view.h"

/// Text forms of a picture's options: sizes, views, moments. No GUI dependencies.
namespace snapviewer {

struct SizePx {
    int width_px = 0;
    int height_px = 0;
};

struct ViewRange {
    View view;
    bool has_y = false;
};

/// Parses "1600x900"; nullopt if the text is malformed or out of bounds.
std::optional<SizePx> parse_size(const std::string& text);
/// Parses "X0:X1" or "X0:X1,Y0:Y1", each range ascending. Bytes may have a unit: "0:5000,50MiB:1.5GiB".
std::optional<ViewRange> parse_view(const std::string& text);
/// Formats a view so that parse_view() returns exactly the same one.
std::string view_text(const View& view);

/// Validators of option values. Each returns an error text for an invalid value, otherwise "".
std::string is_size(const std::string& text);
std::string is_view(const std::string& text);
std::string is_search(const std::string& text);
/// A picture is a PNG or an SVG. A path without an extension is a PNG; any other extension is an error.
std::string is_picture_path(const std::string& path);

}  // namespace snapviewer
