#include "core/system/files.h"

namespace snapviewer {

bool ends_with_separator(std::string_view path) { return !path.empty() && is_separator(path.back()); }

std::string with_separator(std::string path) {
    if (!ends_with_separator(path)) path += k_separator;
    return path;
}

std::string_view without_separator(std::string_view path) {
    while (path.size() > 1 && is_separator(path.back())) path.remove_suffix(1);
    return path;
}

std::size_t length_of_drive(std::string_view path) {
    constexpr bool k_has_drives = k_separator != '/';
    return k_has_drives && path.size() > 2 && path[1] == ':' && is_separator(path[2]) ? 2 : 0;
}

std::string_view folder_part(std::string_view path) {
    while (!path.empty() && !is_separator(path.back())) path.remove_suffix(1);
    return path;
}

std::string folder_of(std::string_view path) {
    const std::string_view folder = folder_part(path);
    return folder.empty() ? std::string{'.', k_separator} : std::string(folder);
}

}  // namespace snapviewer
