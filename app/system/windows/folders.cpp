#include "app/system/folders.h"

#include <windows.h>

#include <cstdlib>

namespace snapviewer {
namespace {

/// The folder in an environment variable. Windows sets these variables for every program.
std::filesystem::path folder_named(const wchar_t* variable) {
    const wchar_t* folder = ::_wgetenv(variable);
    return folder != nullptr ? folder : L"";
}

}  // namespace

std::filesystem::path config_folder() { return folder_named(L"APPDATA"); }

std::filesystem::path state_folder() { return folder_named(L"LOCALAPPDATA"); }

std::filesystem::path home_of_user() { return folder_named(L"USERPROFILE"); }

std::vector<std::filesystem::path> root_folders() {
    std::vector<std::filesystem::path> roots;
    const DWORD drives = ::GetLogicalDrives();
    for (wchar_t letter = L'A'; letter <= L'Z'; ++letter) {
        if ((drives >> (letter - L'A') & 1) != 0) roots.push_back(std::wstring{letter, L':', L'\\'});
    }
    return roots;
}

}  // namespace snapviewer
