#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace snapviewer {

/// What told the number of a rank.
enum class RankSource : std::uint8_t { metadata, file_name, folder_name, order };

const char* rank_source_name(RankSource source);  ///< "metadata", "file name", "folder name", "order of names"
std::optional<RankSource> rank_source_named(std::string_view name);

/// What the name of a file tells of who wrote it.
struct RankName {
    std::optional<std::uint32_t> rank;
    std::optional<std::uint32_t> device;
    std::string host;                           ///< empty where it does not tell
    RankSource source = RankSource::file_name;  ///< of `rank`
};

/// Reads `rank7`, `rank_7`, `rank-7` anywhere in the name; a number at its end, as in `snapshot_7.pickle` and `7.pickle`;
/// `rank_7` as the name of a folder around it. What counts something else (`local_rank`, `iteration_7`) is none.
RankName rank_in_path(const std::filesystem::path& path);

/// The folder by which several snapshots of the same ranks are told apart, `iteration_100` of torchtitan; else empty.
std::string iteration_in_path(const std::filesystem::path& path);

}  // namespace snapviewer
