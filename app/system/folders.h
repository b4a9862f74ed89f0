#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

/// The user's home folder and the standard folders for program data. Each function returns an empty path if the environment
/// names no such folder.
namespace snapviewer {

std::filesystem::path home_of_user();
/// Folder for preferences: $XDG_CONFIG_HOME, or ~/.config if that is not set; %APPDATA% on Windows.
std::filesystem::path config_folder();
/// Folder for program state: $XDG_STATE_HOME, or ~/.local/state if that is not set; %LOCALAPPDATA% on Windows.
std::filesystem::path state_folder();

/// The filesystem roots: "/", or one folder per drive.
std::vector<std::filesystem::path> root_folders();

/// Path of a file or folder that was installed with the program: in share/snapviewer, beside the program (as in the folder
/// for Windows), or, in a browser, among the files of the page. Empty if it does not exist. Any thread; accesses the disk.
///     if (const auto sample = installed_file("sample.pickle"); !sample.empty()) open(sample);
std::filesystem::path installed_file(std::string_view name);

}  // namespace snapviewer
