#pragma once

#include <filesystem>
#include <string_view>

namespace snapviewer {

/// A file or folder that came with the program: in share/snapviewer, where packaging/ puts it, or beside the program as in
/// the folder for Windows; in a browser, what the page brought. Empty where there is none. Any thread; asks the disk.
///     if (const auto sample = installed_file("sample.pickle"); !sample.empty()) open(sample);
std::filesystem::path installed_file(std::string_view name);

}  // namespace snapviewer
