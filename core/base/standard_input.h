#pragma once

#include <string>
#include <string_view>

namespace snapviewer {

/// The path that stands for standard input wherever a file is read, and is never opened itself: "-" on the command line. Its
/// bytes come once, see core/load/standard_input_source.h.
inline constexpr const char* k_standard_input = "/dev/stdin";
inline bool is_standard_input(std::string_view path) { return path == k_standard_input; }

/// A path in a message: "runs/a.pickle", "standard input".
std::string shown_path(const std::string& path);
/// Its last part, as titles have it: "a.pickle", "standard input".
std::string shown_name(const std::string& path);

}  // namespace snapviewer
