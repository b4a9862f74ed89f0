#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapviewer {

/// What the names of files end with in which a recorder writes what it knows of a snapshot.
inline constexpr std::string_view k_about_ending = ".about.json";

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
    /// What stands before `rank` where nothing but a number at the end of the name tells it: of files that have it in common
    /// the numbers may count steps.
    std::optional<std::string> before_number;
    std::optional<std::uint32_t> step;  ///< from `iteration_10`, `step-10` or `epoch10` at the end of the name
};

/// Reads `rank7`, `rank_7`, `rank-7` anywhere in the name; a number at its end, as in `snapshot_7.pickle` and `7.pickle`;
/// `rank_7` as the name of a folder around it; torchtitan's `000007_step_300` and SGLang's `...-TP-7-memory`. What counts
/// something else (`local_rank`, `iteration_7`) is none.
RankName rank_in_path(const std::filesystem::path& path);

/// By what several snapshots of the same ranks are told apart: the `time3` or `signal1` of a recorder's own name, or the
/// folder `iteration_100` or `step_000000000100` of torchtitan, `oom_20261126-171636` of verl, or `iteration_10` at the end
/// of the name; else empty.
std::string moment_in_path(const std::filesystem::path& path);

/// Whether numbers at the ends of at least three names count steps rather than ranks: they leave out most numbers below
/// them, and are round (0, 100, 200, 1000 or 99, 199) or far from one another. Those of ranks follow each other, or come
/// from every fourth or eighth.
bool are_steps(std::vector<std::uint32_t> numbers);

/// Whether a file that lies among the ranks' is none of theirs: a sample of a recorder's series, or what a recorder says of
/// a snapshot beside it.
bool is_no_rank(const std::filesystem::path& path);

}  // namespace snapviewer
