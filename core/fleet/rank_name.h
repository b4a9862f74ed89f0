#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapviewer {

/// Ending of the files in which a recorder writes its facts about a snapshot.
inline constexpr std::string_view k_about_suffix = ".about.json";

/// The source of a rank's number.
enum class RankSource : std::uint8_t { metadata, file_name, folder_name, order };

const char* rank_source_name(RankSource source);  ///< Returns "metadata", "file name", "folder name" or "order of names".
std::optional<RankSource> rank_source_named(std::string_view name);

/// The properties that the name of a file states about its writer.
struct RankName {
    std::optional<std::uint32_t> rank;
    std::optional<std::uint32_t> device;
    std::string host;                           ///< host in the name; empty if the name states none
    RankSource source = RankSource::file_name;  ///< the part of the path that `rank` comes from
    /// The part of the name before `rank`, set if `rank` is only a number at the end of the name. Numbers of files with the
    /// same part may count steps instead.
    std::optional<std::string> before_number;
    /// number of the step, from `iteration_10`, `step-10` or `epoch10` at the end of the name
    std::optional<std::uint32_t> step;
};

/// Reads `rank7`, `rank_7`, `rank-7` anywhere in the name; a number at its end, as in `snapshot_7.pickle` and `7.pickle`;
/// `rank_7` as the name of a folder around it; torchtitan's `000007_step_300` and SGLang's `...-TP-7-memory`. Ignores
/// numbers that count something else (`local_rank`, `iteration_7`).
RankName rank_in_path(const std::filesystem::path& path);

/// The part of a path that distinguishes several snapshots of the same ranks: `time3` or `signal1` of a recorder's own name,
/// the folder `iteration_100` or `step_000000000100` of torchtitan, `oom_20261126-171636` of verl, or `iteration_10` at the
/// end of the name. Empty if there is none.
std::string moment_in_path(const std::filesystem::path& path);

/// True if numbers at the ends of at least three names count steps rather than ranks: most numbers below them are missing,
/// and they are round (0, 100, 200, 1000 or 99, 199) or far apart. Numbers of ranks are consecutive, or every fourth or
/// eighth.
bool are_steps(std::vector<std::uint32_t> numbers);

/// True for files beside those of ranks that belong to none of them: samples of a recorder's series, and a recorder's facts
/// about a snapshot.
bool is_not_of_rank(const std::filesystem::path& path);

}  // namespace snapviewer
