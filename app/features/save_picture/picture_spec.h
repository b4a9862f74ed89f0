#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

/// The request for a picture, as command-line options. No GUI dependencies.
namespace snapviewer {

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

}  // namespace snapviewer
