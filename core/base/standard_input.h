#pragma once

#include <string>
#include <string_view>

namespace snapviewer {

/// The path that represents standard input ("-" on the command line) wherever a file is read. It is never opened itself. The
/// bytes can be read once, see core/load/standard_input_source.h.
inline constexpr const char* k_standard_input = "/dev/stdin";
inline bool is_standard_input(std::string_view path) { return path == k_standard_input; }

/// The text for a path in messages: "runs/a.pickle", "standard input".
std::string shown_path(const std::string& path);
/// The text for a path in titles, its last part: "a.pickle", "standard input".
std::string shown_name(const std::string& path);

}  // namespace snapviewer
