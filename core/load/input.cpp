#include "core/load/input.h"

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <utility>

#include "core/base/scratch_file.h"
#include "core/base/standard_input.h"
#include "core/base/units.h"
#include "core/load/failure.h"
#include "core/load/limits.h"

namespace snapviewer {

FileOnDisk::FileOnDisk(std::string path, bool is_folder, MappedFile bytes)
    : path_(std::move(path)), is_folder_(is_folder), bytes_(std::move(bytes)) {}

std::unique_ptr<FileOnDisk> FileOnDisk::open(const std::string& path) {
    std::error_code ignored;
    const bool is_folder = std::filesystem::is_directory(path, ignored);
    MappedFile bytes = is_folder ? MappedFile() : value_or_throw(MappedFile::open(path));
    return std::unique_ptr<FileOnDisk>(new FileOnDisk(path, is_folder, std::move(bytes)));
}

std::unique_ptr<FileOnDisk> FileOnDisk::keep(const std::string& path, ByteSource& bytes, std::uint64_t expected_bytes) {
    ScratchFile scratch = value_or_throw(ScratchFile::create(expected_bytes));
    std::uint64_t kept_bytes = 0;
    for (std::string_view piece = bytes.next_piece(); !piece.empty(); piece = bytes.next_piece()) {
        if (kept_bytes + piece.size() > limits::k_database_bytes)
            fail(fmt::format("is more than the {} that are kept in a temporary file",
                             format_bytes(limits::k_database_bytes)));
        need_ok(scratch.write(std::as_bytes(std::span(piece)), kept_bytes));
        kept_bytes += piece.size();
    }
    MappedFile mapped = value_or_throw(MappedFile::of(scratch));
    std::unique_ptr<FileOnDisk> file(new FileOnDisk(path, false, std::move(mapped)));
    file->is_kept_ = true;
    file->scratch_ = std::move(scratch);
    return file;
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
    database_ = value_or_throw(scratch_ ? SqliteFile::open_unpacked(*std::move(scratch_), shown_name(path_))
                                        : SqliteFile::open(path_));
    return database_;
}

}  // namespace snapviewer
