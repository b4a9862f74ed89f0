#pragma once

#include <filesystem>

/// Where a desktop keeps what its programs keep for their user; empty where the environment names no place.
namespace snapviewer {

/// Of preferences: $XDG_CONFIG_HOME, ~/.config where that is not set.
std::filesystem::path config_folder();
/// Of what a program did: $XDG_STATE_HOME, ~/.local/state where that is not set.
std::filesystem::path state_folder();

}  // namespace snapviewer
