#include "app/system/folders.h"

#include <cstdlib>

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

/// The folder in an environment variable, or a subfolder of the user's home if the variable is unset or no absolute path.
fs::path folder_named(const char* variable, const char* in_home) {
    const char* folder = std::getenv(variable);
    if (folder != nullptr && fs::path(folder).is_absolute()) return folder;
    const fs::path home = home_of_user();
    return home.empty() ? home : home / in_home;
}

}  // namespace

fs::path home_of_user() {
    const char* home = std::getenv("HOME");
    return home != nullptr && fs::path(home).is_absolute() ? fs::path(home) : fs::path();
}

fs::path config_folder() { return folder_named("XDG_CONFIG_HOME", ".config"); }

fs::path state_folder() { return folder_named("XDG_STATE_HOME", ".local/state"); }

std::vector<fs::path> root_folders() { return {"/"}; }

}  // namespace snapviewer
