#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace snapviewer {

/// The properties of a sample that its file name states.
struct SampleName {
    std::optional<std::int64_t> rank, device;
    std::string host;
    /// Why the recorder wrote the file: "series", "oom", "signal", "time" or "end", if the name has the recorder's own form,
    /// `HOST_rank7_device0_series000012`. Empty for other names.
    std::string why;
    /// Number within the series, or the number at the end of another name. A number at the end counts samples; it is never
    /// taken for a rank.
    std::optional<std::uint64_t> number;
};

SampleName sample_in_path(const std::filesystem::path& path);

/// Path of the recorder's facts about a snapshot: `X.about.json` beside `X.pickle`, even if the snapshot has been compressed
/// since.
std::filesystem::path about_path_of(const std::filesystem::path& path);

/// True if the path is such a file about a snapshot that could not be written (`*_failed.about.json`).
bool tells_a_failure(const std::filesystem::path& path);

}  // namespace snapviewer
