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
    std::uint32_t line = 0;  ///< from 1 on
    bool operator==(const SourcePlace&) const = default;
};

struct SourceLines {
    std::vector<SourcePlace> places;
    std::vector<std::string> texts;  ///< parallel; without the blanks around it, empty where it could not be read
};

/// Reads the lines. Only regular files with the name of a source file are opened that lie in one of the `roots`, folders as
/// absolute paths, also once all links are followed; of at most 4 MiB each and 128 altogether.
Job<SourceLines>::Work make_source_job(std::vector<SourcePlace> places, std::vector<std::string> roots);

}  // namespace snapviewer
