#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/job.h"

namespace snapviewer {

/// A line of a source file on this machine.
struct SourcePlace {
    std::string path;
    std::uint32_t line = 0;  ///< line number, starting at 1
    bool operator==(const SourcePlace&) const = default;
};

struct SourceLines {
    std::vector<SourcePlace> places;
    std::vector<std::string> texts;  ///< source lines, parallel to `places`; trimmed, empty if a line could not be read
};

/// The work that reads source lines. Opens only regular files that have the extension of a source file and are inside one of
/// the `roots`, even after all links are resolved. `roots` are absolute paths of folders. Reads at most 128 files of at most
/// 4 MiB each.
Job<SourceLines>::Work make_source_job(std::vector<SourcePlace> places, std::vector<std::string> roots);

}  // namespace snapviewer
