#include "core/base/standard_input.h"

#include <filesystem>

namespace snapviewer {

std::string shown_path(const std::string& path) { return is_standard_input(path) ? "standard input" : path; }

std::string shown_name(const std::string& path) {
    return is_standard_input(path) ? shown_path(path) : std::filesystem::path(path).filename().string();
}

}  // namespace snapviewer
