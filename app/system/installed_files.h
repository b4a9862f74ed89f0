#pragma once

#include <filesystem>
#include <string_view>

namespace snapviewer {

/// Path of a file or folder that was installed with the program: in share/snapviewer, beside the program (as in the folder
/// for Windows), or, in a browser, among the files of the page. Empty if it does not exist. Any thread; accesses the disk.
///     if (const auto sample = installed_file("sample.pickle"); !sample.empty()) open(sample);
std::filesystem::path installed_file(std::string_view name);

}  // namespace snapviewer
