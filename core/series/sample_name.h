#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace snapviewer {

/// What the name of a file tells of its place in a series.
struct SampleName {
    std::optional<std::int64_t> rank, device;
    std::string host;
    /// "series", "oom", "signal", "time" or "end" where the name is a recorder's own, `HOST_rank7_device0_series000012`;
    /// else empty.
    std::string why;
    std::optional<std::uint64_t> number;  ///< of a series, or what the name ends with: samples count up, ranks do not
};

SampleName sample_in_path(const std::filesystem::path& path);

/// Where a recorder writes what it knows of a snapshot: `X.about.json` beside `X.pickle`, also if that is packed since.
std::filesystem::path about_path_of(const std::filesystem::path& path);

/// Whether this is such a file, of a snapshot that could not be written.
bool tells_a_failure(const std::filesystem::path& path);

}  // namespace snapviewer
