#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace snapviewer {

/// Where the sources lie here that lay elsewhere where the recording was made.
class PathMap {
public:
    PathMap() = default;  ///< every path stays

    /// One "FROM=TO" a line, each the beginning of a path. The error says which line is wrong.
    static Result<PathMap> parse(std::string_view text);

    /// By the first line whose FROM is the path or a folder above it.
    std::string here(const std::string& path) const;

private:
    std::vector<std::pair<std::string, std::string>> beginnings_;  ///< without a slash at their ends
};

/// Whether a path of a stranger's file may be looked at: absolute, named like a source file, and not among what the kernel
/// makes up.
bool is_source_path(const std::string& path);

/// The words of a command, cut at blanks; "..." and '...' keep blanks. {file} and {line} stand for the place, wherever they
/// are in a word but the first. No shell: nothing in the path means anything. Fails where a quote is not closed, or where
/// there is no {file}; an empty command gives no words.
Result<std::vector<std::string>> editor_words(std::string_view command, const std::string& path, std::uint32_t line);

}  // namespace snapviewer
