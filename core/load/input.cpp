#include "core/load/input.h"

#include <filesystem>
#include <utility>

#include "core/load/failure.h"

namespace snapviewer {

FileOnDisk::FileOnDisk(std::string path, bool is_folder, MappedFile bytes, Progress& progress)
    : path_(std::move(path)), is_folder_(is_folder), bytes_(std::move(bytes)), progress_(progress) {}

Result<std::unique_ptr<FileOnDisk>> FileOnDisk::open(const std::string& path, Progress& progress) {
    std::error_code ignored;
    const bool is_folder = std::filesystem::is_directory(path, ignored);
    Result<MappedFile> bytes = is_folder ? MappedFile() : MappedFile::open(path);
    if (!bytes) return bytes.error();
    return std::unique_ptr<FileOnDisk>(new FileOnDisk(path, is_folder, *std::move(bytes), progress));
}

FolderParts FileOnDisk::folder() const {
    if (is_folder_) return FolderParts(path_);
    const std::string parent = std::filesystem::path(path_).parent_path().string();
    return FolderParts(parent.empty() ? "." : parent);
}

ZipArchive& FileOnDisk::zip() {
    if (!zip_) zip_.emplace(bytes_.bytes());
    return *zip_;
}

const std::shared_ptr<SqliteFile>& FileOnDisk::database() {
    if (database_) return database_;
    Result<std::shared_ptr<SqliteFile>> opened = SqliteFile::open(path_, &progress_);
    if (!opened) throw ReadFailure{opened.error()};
    database_ = *std::move(opened);
    return database_;
}

}  // namespace snapviewer
