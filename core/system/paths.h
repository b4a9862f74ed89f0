#pragma once

#include <filesystem>
#include <string>
#include <string_view>

/// Functions for paths as UTF-8 text. They keep the user's spelling, which std::filesystem::path would change.
namespace snapviewer {

/// The separator of this system. Windows also accepts '/'.
inline constexpr char k_separator = static_cast<char>(std::filesystem::path::preferred_separator);
constexpr bool is_separator(char character) { return character == '/' || character == k_separator; }

bool ends_with_separator(std::string_view path);
/// Returns the path with a separator at its end; adds one only if it is missing.
std::string with_separator(std::string path);
/// Returns the path without separators at its end. A path of separators alone keeps the first one.
std::string_view without_separator(std::string_view path);
/// On Windows, the length of a drive such as "C:" if the path begins with one and a separator; else 0.
std::size_t length_of_drive(std::string_view path);
/// The folder part of a path, including its separator: "out/" for "out/a.png", "" for "a.png".
std::string_view folder_part(std::string_view path);
/// The folder part of a path in a form that can be opened: like folder_part(), but "./" for "a.png".
std::string folder_of(std::string_view path);

}  // namespace snapviewer
