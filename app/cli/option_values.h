#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/timeline/view.h"
#include "render/drawing.h"

namespace snapviewer {

struct SizePx {
    int width_px = 0;
    int height_px = 0;
};

struct ViewRange {
    View view;
    bool has_y = false;
};

/// What --help says of --with, which several commands have.
inline constexpr const char* k_safe_csv_about =
    "In CSV, an apostrophe before texts that a spreadsheet would take for something to be worked out: those that begin with "
    "= + - @, a tab or the end of a line";
inline constexpr const char* k_with_about =
    "Opened together with it: the other report of the same model, or the Ascend profile of another rank";

/// "1600x900"; none if it is not of that form or out of bounds.
std::optional<SizePx> parse_size(const std::string& text);
/// "X0:X1" or "X0:X1,Y0:Y1", each range rising.
std::optional<ViewRange> parse_view(const std::string& text);

/// "80GiB", "512M" or plain bytes, in powers of 1024; none if it is not of that form, below 1 or out of bounds.
std::optional<std::uint64_t> parse_bytes(const std::string& text);
/// The same, or 0.
std::optional<std::uint64_t> parse_bytes_or_none(const std::string& text);
/// "20%": from 0 to 1000.
std::optional<double> parse_percent(const std::string& text);
/// -1 or more.
std::optional<std::int64_t> parse_event(const std::string& text);

/// The values of --drawing, in the order of Drawing.
std::vector<std::string> drawing_names();
/// Automatic if none is called so.
Drawing drawing_named(const std::string& name);

/// Checks for the command line: what is wrong with a value, or nothing.
std::string is_size(const std::string& text);
std::string is_view(const std::string& text);
std::string is_bytes(const std::string& text);
std::string is_bytes_or_none(const std::string& text);
std::string is_percent(const std::string& text);
/// A number of bytes, or per cent with their sign.
std::string is_tolerance(const std::string& text);
std::string is_event(const std::string& text);
std::string is_search(const std::string& text);
std::string is_row_limit(const std::string& text);
std::string is_time_limit(const std::string& text);

}  // namespace snapviewer
