#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/timeline/view.h"

/// The request for a picture, as command-line options. No GUI dependencies.
namespace snapviewer::save_picture {

/// A picture to draw: the file, the device, the view and the style. `snapviewer render` parses one from its command line;
/// the window fills one from the visible picture and prints it as that command. An empty text means the default of its
/// option.
struct PictureSpec {
    std::string file;
    std::optional<std::size_t> part;
    std::string out;
    std::string size;
    std::string with;
    std::optional<int> device;
    std::string picture;
    std::string shows;
    std::string theme;
    std::string axis;
    std::string colour_by;
    bool remembered = false;
    std::string search;
    std::optional<int> stack;
    std::string group;
    std::optional<std::size_t> select;
    std::string view;
    std::string rules;
};

/// A command-line option of `snapviewer render`.
struct PictureOption {
    using Field = std::variant<std::string PictureSpec::*, std::optional<int> PictureSpec::*,
                               std::optional<std::size_t> PictureSpec::*, bool PictureSpec::*>;
    const char* name;  ///< option as typed: "--axis"; "FILE" for the positional argument
    Field field;
    const char* about;
    const char* type_name = "";
    std::vector<std::string> (*one_of)() = nullptr;      ///< the only valid values; null if any value may be valid
    std::string (*check)(const std::string&) = nullptr;  ///< returns an error text for a wrong value, otherwise ""
    bool is_required = false;
    bool is_file = false;      ///< the value is the path of an input file
    bool is_in_links = false;  ///< allowed in links: the option names no file of the user and no preference
};
/// All options, in the order of --help and of a generated command.
std::span<const PictureOption> picture_options();

/// Returns the value of an option as on a command line: nullopt for the default, "" for a flag.
std::optional<std::string> value_text(const PictureSpec& spec, const PictureOption& option);

/// Help text of --device for commands about one device, see Document::default_device.
inline constexpr const char* k_device_about =
    "Device number as in the file; by default the first that ran out of memory, otherwise one that leaks, otherwise the one "
    "with the highest peak";
/// Help texts of --part and --with, which several commands have.
inline constexpr const char* k_part_about = "Which snapshot of a file that holds several pickles one after another, from 1";
inline constexpr const char* k_with_about =
    "A file to open together with it: the other report of the same model, or the Ascend profile of another rank";

/// Returns the command that draws a picture, as a list of words that starts with "snapviewer".
std::vector<std::string> command_words(const PictureSpec& spec);

// Pictures as parameters of a link, named like the options of `snapviewer render`. No GUI dependencies.

using Parameters = std::map<std::string, std::string>;

/// Returns the option with this name, without its dashes; null if links do not support it.
const PictureOption* option_in_links(std::string_view name);
/// Name of an option as a link parameter, without its dashes.
std::string_view name_in_links(const PictureOption& option);

/// Parses the parameters of a link; unknown parameters are ignored. An error names the invalid value.
Result<PictureSpec> picture_of(const Parameters& parameters);
/// Returns a picture as link parameters; options that links do not support are left out.
Parameters parameters_of(const PictureSpec& spec);

// Text forms of a picture's options: sizes and views. No GUI dependencies.

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

}  // namespace snapviewer::save_picture
