#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/mapped_file.h"
#include "core/base/progress.h"
#include "core/load/byte_source.h"
#include "core/load/snapviewer_parts.h"
#include "core/load/zip_archive.h"
#include "core/sqlite/sqlite_file.h"

namespace snapviewer {

/// A file or folder on the disk. Formats share its open zip or database.
class FileOnDisk {
public:
    /// Throws Failure if the path does not exist.
    static std::unique_ptr<FileOnDisk> open(const std::string& path);
    /// Writes a stream to a temporary file, for formats that need random access. `bytes` is the whole stream. Throws
    /// Failure.
    static std::unique_ptr<FileOnDisk> keep(const std::string& path, ByteSource& bytes, std::uint64_t expected_bytes);

    const std::string& path() const { return path_; }
    bool is_folder() const { return is_folder_; }
    bool is_kept() const { return is_kept_; }  ///< by keep(): nothing lies beside it
    MappedFile& bytes() { return bytes_; }     ///< nothing of a folder
    /// The folder that it is or lies in.
    FolderParts folder() const;
    /// The file as a zip or as a database, opened by the first call. Throws Failure if it is none.
    ZipArchive& zip();
    const std::shared_ptr<SqliteFile>& database();

private:
    FileOnDisk(std::string path, bool is_folder, MappedFile bytes);

    std::string path_;
    bool is_folder_;
    bool is_kept_ = false;
    MappedFile bytes_;
    std::optional<ScratchFile> scratch_;  ///< of what came so, until it is opened as a database
    std::optional<ZipArchive> zip_;
    std::shared_ptr<SqliteFile> database_;
};

/// The input of a format: a file on the disk, or bytes from a container.
struct Input {
    std::string_view front;            ///< the first bytes, as many as are needed to tell; none of a folder
    ByteSource* bytes = nullptr;       ///< all of them, once; null of a folder
    FileOnDisk* file = nullptr;        ///< null of what came out of a container
    std::uint64_t expected_bytes = 0;  ///< about how many there are
    int depth = 0;                     ///< how many containers are around them
    std::uint32_t part = 1;            ///< of several snapshots one after another, which to read, from 1
};

}  // namespace snapviewer
