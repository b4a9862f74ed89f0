#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/context.h"
#include "core/base/result.h"

namespace snapviewer::details {

/// The source folders on this machine that the user configured, and how paths in a recording map to them.
class PathMap {
public:
    PathMap() = default;  ///< a map that leaves every path unchanged

    /// Parses a map. Each line is a folder, or "FROM=TO" with two path prefixes. The error names the line.
    static Result<PathMap> parse(std::string_view text);

    /// Translates a path of the recording to this machine, with the first line whose FROM is the path or a parent folder of
    /// it.
    std::string here(const std::string& path) const;
    /// The configured folders on this machine.
    const std::vector<std::string>& roots() const { return roots_; }

private:
    std::vector<std::string> roots_;
    /// Pairs of FROM and TO prefixes, without trailing slashes.
    std::vector<std::pair<std::string, std::string>> beginnings_;
};

/// Normalises an absolute path: no "//", "." or "..", and "/" as the separator. Returns "" for a relative path. Does not
/// access the file system. On Windows, a path such as "C:\a" is absolute too, but a path to another machine never is.
std::string normal_path(const std::string& path);

/// True if `path` is `folder` or is inside it. Both must be in the form of normal_path().
bool is_below(const std::string& path, const std::string& folder);

/// True if a path from an untrusted file may be opened as a source file. The path must be absolute and have the extension of
/// a source file. After normalisation it must not be in /proc, /sys, /dev or /net, whose files are virtual or on another
/// machine.
bool is_source_path(const std::string& path);

/// Splits an editor command at blanks, except inside "..." and '...', and replaces {file} and {line} in every word but the
/// first. No shell is involved, so special characters in the path have no effect. Fails if a quote is unclosed or {file} is
/// missing. An empty command gives no words.
Result<std::vector<std::string>> editor_words(std::string_view command, const std::string& path, std::uint32_t line);

/// A line of a source file on this machine.
struct SourcePlace {
    std::string path;
    std::uint32_t line = 0;  ///< line number, starting at 1
    bool operator==(const SourcePlace&) const = default;
};

/// Reads source lines; the result is parallel to `places`, trimmed, and empty for a line that could not be read. Opens only
/// regular files that have the extension of a source file and are inside one of the `roots`, even after all links are
/// resolved. `roots` are absolute paths of folders. Reads at most 128 files of at most 4 MiB each.
std::vector<std::string> read_source_lines(const std::vector<SourcePlace>& places, const std::vector<std::string>& roots,
                                           const Progress& progress);

}  // namespace snapviewer::details
