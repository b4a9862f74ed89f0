#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

/// A picture as it is asked for. No GUI in here.
namespace snapviewer {

/// What is drawn, of what and how: `snapviewer render` reads one from its command line, the window fills one with what it
/// shows, and writes it as that command. An empty text is what the command does where the option is left out.
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

/// An option of the command.
struct PictureOption {
    using Field = std::variant<std::string PictureSpec::*, std::optional<int> PictureSpec::*,
                               std::optional<std::size_t> PictureSpec::*, bool PictureSpec::*>;
    const char* name;  ///< "--axis"; "FILE" stands for itself
    Field field;
    const char* about;
    const char* type_name = "";
    std::vector<std::string> (*one_of)() = nullptr;      ///< its only values
    std::string (*check)(const std::string&) = nullptr;  ///< what is wrong with a value, or nothing
    bool is_required = false;
    bool is_file = false;      ///< one to read
    bool is_in_links = false;  ///< a link may say it: it names no file of the user's, no preference
};
/// In the order of --help and of a command that is written.
std::span<const PictureOption> picture_options();

/// The value of an option as it stands on a command line; none where it is left out, "" of a flag.
std::optional<std::string> value_text(const PictureSpec& spec, const PictureOption& option);

/// What --help says of --device in commands that answer of one, see Document::default_device.
inline constexpr const char* k_device_about =
    "Device number as in the file; by default the first that ran out of memory, otherwise one that leaks, otherwise the one "
    "with the highest peak";
/// What --help says of --with, which other commands have as well.
inline constexpr const char* k_part_about = "Which snapshot of a file that holds several pickles one after another, from 1";
inline constexpr const char* k_with_about =
    "A file to open together with it: the other report of the same model, or the Ascend profile of another rank";

/// The command that draws it, beginning with "snapviewer".
std::vector<std::string> command_words(const PictureSpec& spec);

}  // namespace snapviewer
