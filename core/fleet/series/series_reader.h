#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/context.h"
#include "core/base/result.h"
#include "core/fleet/series/series.h"

namespace snapviewer::series {

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
std::filesystem::path about_path(const std::filesystem::path& path);

/// True if the path is a recorder's file about a snapshot that could not be written (`*_failed.about.json`).
bool reports_failure(const std::filesystem::path& path);

/// Message for a folder without snapshots.
inline constexpr const char* k_no_series_files =
    "holds no files with the endings of snapshots (.pickle, .pkl, .json, .gz, ...); name files with other endings one by "
    "one";

/// Size and modification time of a file and of the facts that its recorder wrote beside it, used to detect changes.
struct SeriesStamp {
    std::int64_t written = 0;       ///< modification time in ticks of the file system's clock
    std::uint64_t about_bytes = 0;  ///< size of the recorder's facts; 0 if there are none
    std::int64_t about_written = 0;
    std::uint64_t file_bytes = 0;
    bool operator==(const SeriesStamp&) const = default;
};

/// A file of a series, before it is read.
struct SeriesFile {
    std::string path;
    SeriesStamp stamp;
    SampleName name;
    /// The file is not a snapshot but a recorder's facts about a snapshot that could not be written.
    bool is_failure = false;
    std::string error = {};  ///< Why the file cannot be read, if this is known before reading it.
};

/// Finds the files of a series: the named files, and all files below the named folders whose names have a snapshot's ending.
/// Skips hidden files in folders, because they are unfinished. Sorted by name, with numbers in names compared by value.
/// Fails only if stopped. O(entries of the folders).
Result<std::vector<SeriesFile>> find_series_files(std::span<const std::string> paths, Progress& progress);

/// True if the folder or a folder below it contains samples with a recorder's names. Ends the search at the first sample;
/// false if stopped before.
bool holds_series(const std::string& folder);

/// The facts that a recorder wrote beside a snapshot; docs/record.md describes the file format. The file is untrusted: a
/// field that is missing, null or of the wrong type is left empty.
struct AboutFile {
    std::string why, host;
    std::optional<std::int64_t> time_us;  ///< time of the snapshot in microseconds since 1970, UTC
    std::optional<std::int64_t> rank, device, step, pid;
    std::optional<std::uint64_t> allocated_bytes, reserved_bytes;  ///< memory as counted by PyTorch's allocator
    std::optional<std::uint64_t> device_total_bytes, device_used_bytes, other_processes_bytes;
    std::string failed;   ///< Reason why the snapshot could not be written; empty if it was.
    std::string ignored;  ///< A sentence about the first field of the wrong type; empty if all fields are valid.
};

/// Fails if the file cannot be read, is larger than 1 MiB or is not a JSON object.
Result<AboutFile> read_about_file(const std::string& path);

/// Parses an ISO 8601 date and time, such as "2026-11-26T17:16:36.250000Z", to microseconds since 1970. A text without a
/// time zone is UTC. nullopt if the text is invalid.
std::optional<std::int64_t> parse_time_us(std::string_view text);

/// A cache of the files read so far, so that the next read_series() only reads new and changed files. Takes a few hundred
/// bytes per sample.
struct SeriesMemory {
    struct Known {
        SeriesStamp stamp;
        SampleSeries read;  ///< The contents of the file: one sample per device, and its dump if it is a full snapshot.
    };
    std::map<std::string, Known> files;  ///< Cached files by path.
};

/// Reads a folder written by a recorder, or any snapshots of the same ranks, on one thread per processor. The result takes a
/// few hundred bytes per sample. A file that its recorder calls a full snapshot is not loaded; only its facts are read.
/// Files that cannot be read are listed in `failed`. Fails if stopped or if there are no files. `progress` counts files.
/// Files whose stamp in `memory` is unchanged are not read again. Afterwards `memory` contains exactly the present files;
/// after a stop, the old entries and the files read until then.
Result<SampleSeries> read_series(std::span<const std::string> paths, Progress& progress, SeriesMemory* memory = nullptr);

}  // namespace snapviewer::series
