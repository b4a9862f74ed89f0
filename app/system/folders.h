#pragma once

#include <filesystem>
#include <vector>

/// The user's folders, and where a desktop keeps what its programs keep for their user; empty where nobody names a place.
namespace snapviewer {

std::filesystem::path home_of_user();
/// Of preferences: $XDG_CONFIG_HOME, ~/.config where that is not set; %APPDATA%.
std::filesystem::path config_folder();
/// Of what a program did: $XDG_STATE_HOME, ~/.local/state where that is not set; %LOCALAPPDATA%.
std::filesystem::path state_folder();

/// Those that no folder is above: "/", or a folder for each drive.
std::vector<std::filesystem::path> root_folders();

}  // namespace snapviewer
