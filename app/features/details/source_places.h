#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace snapviewer {

/// Which folders of this machine the user named for sources, and where those lie here that lay elsewhere where the recording
/// was made.
class PathMap {
public:
    PathMap() = default;  ///< every path stays

    /// A line each: a folder, or "FROM=TO", each the beginning of a path. The error says which line is wrong.
    static Result<PathMap> parse(std::string_view text);

    /// By the first line whose FROM is the path or a folder above it.
    std::string here(const std::string& path) const;
    /// The folders that were named.
    const std::vector<std::string>& roots() const { return roots_; }

private:
    std::vector<std::string> roots_;
    std::vector<std::pair<std::string, std::string>> beginnings_;  ///< without a slash at their ends
};

/// An absolute path without "//", "." and "..", written with "/", or "" for one that is none: the files are not looked at.
/// On Windows "C:\a" as well, but never a path to another machine.
std::string normal_path(const std::string& path);

/// Whether a path is a folder or lies in it, both in the form of normal_path().
bool is_below(const std::string& path, const std::string& folder);

/// Whether a path of a stranger's file may lead to a source file: absolute, named like one, and not among what the kernel
/// makes up or fetches from another machine, however it is written.
bool is_source_path(const std::string& path);

/// The words of a command, cut at blanks; "..." and '...' keep blanks. {file} and {line} stand for the place, wherever they
/// are in a word but the first. No shell: nothing in the path means anything. Fails where a quote is not closed, or where
/// there is no {file}; an empty command gives no words.
Result<std::vector<std::string>> editor_words(std::string_view command, const std::string& path, std::uint32_t line);

}  // namespace snapviewer
