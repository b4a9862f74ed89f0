#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/context.h"
#include "core/base/input_files.h"
#include "core/base/result.h"
#include "core/load/bytes/sources.h"
#include "core/load/bytes/zip_archive.h"
#include "core/load/converted/reader.h"
#include "core/load/profilers/readers.h"
#include "core/sqlite/sqlite_file.h"

namespace snapviewer::load {

/// A file or folder on the disk. It opens its zip archive or database once, so that all formats share it.
class FileOnDisk {
public:
    /// Opens the file or folder at `path`. Throws Failure if the path does not exist or cannot be read.
    static std::unique_ptr<FileOnDisk> open(const std::string& path);
    /// Writes the stream `bytes` to a temporary file, for formats that need random access. `bytes` must be unread, and
    /// `path` is its name in messages. Throws Failure, also if the stream is longer than limits::k_database_bytes.
    static std::unique_ptr<FileOnDisk> keep(const std::string& path, bytes::ByteSource& bytes, std::uint64_t expected_bytes);

    const std::string& path() const { return path_; }
    bool is_folder() const { return is_folder_; }
    bool is_kept() const { return is_kept_; }  ///< True for a stream that keep() stored, to which no other files belong
    MappedFile& bytes() { return bytes_; }     ///< Contents of the file; empty for a folder
    /// Returns the folder itself, or the folder that contains the file.
    converted::FolderParts folder() const;
    /// Returns the file as a zip archive or as an SQLite database, which the first call opens. Throws Failure if that is
    /// impossible.
    bytes::ZipArchive& zip();
    const std::shared_ptr<sqlite::SqliteFile>& database();

private:
    FileOnDisk(std::string path, bool is_folder, MappedFile bytes);

    std::string path_;
    bool is_folder_;
    bool is_kept_ = false;
    MappedFile bytes_;
    std::optional<ScratchFile> scratch_;  ///< Temporary file of keep(), until database() takes it
    std::optional<bytes::ZipArchive> zip_;
    std::shared_ptr<sqlite::SqliteFile> database_;
};

/// The input of a format: a file on the disk, or bytes from a container.
struct Input {
    std::string_view front;              ///< First bytes, enough to recognise the format; empty for a folder
    bytes::ByteSource* bytes = nullptr;  ///< All bytes, `front` included, to be read once; null for a folder
    FileOnDisk* file = nullptr;          ///< File on the disk; null for bytes from a container or a stream
    std::uint64_t expected_bytes = 0;    ///< Estimated number of bytes
    int depth = 0;                       ///< Number of containers around the bytes
    std::uint32_t part = 1;              ///< Number of the snapshot to read, from 1, if there are several in a row
};

/// A kind of file that snapviewer reads. All formats are rows of one table in formats.cpp. A new format needs a reader and a
/// row there. The row is enough for load_file() to recognise it, for the file dialog to offer it, and for README.md to list
/// it.
struct Format {
    std::string_view name;  ///< Description of the format in README.md
    std::string_view kept;  ///< Contents that snapviewer shows, also for README.md
    /// Usual file name extensions, separated by spaces. Only the file dialog uses them, because formats are recognised by
    /// their bytes.
    std::string_view endings;
    /// Returns true if `input` has this format. Throws Failure if `input` has this format but cannot be opened, such as a
    /// damaged zip.
    bool (*looks_like)(const Input& input);
    /// Reads `input` into `loaded`, which must be empty. Throws Failure.
    void (*read)(const Input& input, profilers::LoadedFile& loaded);
};

/// Returns all formats in the order in which they are tried.
std::span<const Format> formats();

/// Reads `input` with the first format that recognises it. Throws Failure, also if no format does.
void read_input(const Input& input, profilers::LoadedFile& loaded);

/// Returns the table of formats that README.md contains, as Markdown.
std::string formats_markdown();

/// Durations of the parts of loading a file: opening it, and everything after that.
struct LoadTimings {
    double read_ms = 0;
    double parse_ms = 0;
};

/// Reads a file of any supported format, standard input (k_standard_input in core/base/addresses.h) or a file on
/// another machine (core/base/addresses.h). Recognises the format by the bytes, never by the name. Does not compute
/// what the file lacks, such as the allocations of a recording; complete_snapshot() (core/timeline) does. Never calls,
/// imports or writes anything that a file names. `part`, counted from 1, selects one of several consecutive pickles in a
/// file; other files have only part 1. `timings` may be null.
Result<profilers::LoadedFile> load_file(const std::string& path, Progress& progress, LoadTimings* timings = nullptr,
                                        std::uint32_t part = 1);

/// Opens any SQLite database on this or another machine.
Result<std::shared_ptr<sqlite::SqliteFile>> load_database(const std::string& path, Progress& progress);

}  // namespace snapviewer::load
