#pragma once

#include <filesystem>
#include <string>
#include <string_view>

/// Paths as texts, in UTF-8 as std::filesystem::path takes and gives them, where that would not write them as their user
/// did.
namespace snapviewer {

/// Of this system; Windows takes '/' as well.
inline constexpr char k_separator = static_cast<char>(std::filesystem::path::preferred_separator);
constexpr bool is_separator(char character) { return character == '/' || character == k_separator; }

bool ends_with_separator(std::string_view path);
/// With one at its end, which it may have already.
std::string with_separator(std::string path);
/// Without those at its end; a path of separators alone keeps the first.
std::string_view without_separator(std::string_view path);
/// Of "C:" where the path begins with that and a separator, on Windows; else 0.
std::size_t length_of_drive(std::string_view path);
/// The folder that what the path names lies in, as it is written there: "out/" of "out/a.png", "" of "a.png".
std::string_view folder_part(std::string_view path);
/// The same to be opened: "./" of "a.png".
std::string folder_of(std::string_view path);

}  // namespace snapviewer
