#include "core/base/input_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "core/base/text.h"
#include "core/system/memory.h"

namespace snapviewer {

Result<PlainFile> PlainFile::open(const std::string& path, Links links) {
    PlainFile plain;
    std::error_code failed;
    plain.file_ = open_to_read(path, links, failed);
    const std::optional<FileState> state = failed ? std::nullopt : state_of(plain.file_, failed);
    if (!state) return Error{ErrorCode::io, "cannot be opened: " + failed.message()};
    if (state->kind == FileState::Kind::folder) return Error{ErrorCode::bad_file, "is a directory; expected a file"};
    if (state->kind != FileState::Kind::file) return Error{ErrorCode::bad_file, "is not a regular file"};
    plain.info_ = *state;
    return plain;
}

bool PlainFile::read(std::span<std::byte> bytes, std::uint64_t offset_bytes) const {
    std::error_code failed;
    return read_at(file_, bytes, offset_bytes, failed) == bytes.size();
}

Result<std::string> read_plain_file(const std::string& path, std::uint64_t max_bytes) {
    const Result<PlainFile> file = PlainFile::open(path, PlainFile::Links::follow);
    if (!file) return file.error();
    const std::uint64_t size_bytes = file->info().size_bytes;
    if (size_bytes > max_bytes)
        return Error{ErrorCode::bad_file, fmt::format("is larger than {}, the most that is read", format_bytes(max_bytes))};
    std::string text(size_bytes, '\0');
    if (!file->read(std::as_writable_bytes(std::span(text)), 0)) return Error{ErrorCode::io, "could not be read"};
    return text;
}

namespace {

namespace fs = std::filesystem;

/// Returns an error if `expected_bytes` would leave less than a tenth of the free space of `folder`.
std::optional<Error> check_free_space(const std::string& folder, std::uint64_t expected_bytes) {
    std::error_code failed;
    const std::uint64_t free_bytes = fs::space(folder, failed).available;
    if (failed) return std::nullopt;
    if (expected_bytes <= free_bytes - free_bytes / 10) return std::nullopt;
    return Error{ErrorCode::io, fmt::format("needs a temporary file of {}, but only {} is free in {}; set the environment "
                                            "variable TMPDIR to a folder with more room",
                                            format_bytes(expected_bytes), format_bytes(free_bytes), folder)};
}

Error cannot_be_made(const std::string& folder, std::error_code failed) {
    return {ErrorCode::io,
            fmt::format("needs a temporary file, which cannot be created in {}: {}", folder, failed.message())};
}

Result<FileHandle> open_in_memory(const std::string& folder, std::uint64_t expected_bytes) {
    const std::uint64_t free_bytes = available_memory_bytes();
    if (expected_bytes > free_bytes - free_bytes / 10) {
        return Error{ErrorCode::io,
                     fmt::format("needs a temporary file of {}, but the file system of {} has no unnamed files and only {} "
                                 "of memory is free; set the environment variable TMPDIR to another folder",
                                 format_bytes(expected_bytes), folder, format_bytes(free_bytes))};
    }
    std::error_code failed;
    FileHandle file = create_file_in_memory(failed);
    if (failed) return cannot_be_made(folder, failed);
    return file;
}

}  // namespace

Result<ScratchFile> ScratchFile::create(std::uint64_t expected_bytes) {
    std::error_code failed;
    ScratchFile scratch;
    scratch.folder_ = fs::temp_directory_path(failed).string();
    if (failed) return Error{ErrorCode::io, fmt::format("there is no folder for temporary files: {}", failed.message())};
    scratch.file_ = create_unnamed_file(scratch.folder_, failed);
    // A named file is no fallback: the sandbox would not allow its removal.
    if (failed == std::errc::operation_not_supported) {
        Result<FileHandle> file = open_in_memory(scratch.folder_, expected_bytes);
        if (!file) return file.error();
        scratch.file_ = *std::move(file);
        return scratch;
    }
    if (const std::optional<Error> lack = check_free_space(scratch.folder_, expected_bytes)) return *lack;
    if (failed) return cannot_be_made(scratch.folder_, failed);
    return scratch;
}

Status ScratchFile::written(std::error_code failed) const {
    if (!failed) return {};
    return Error{ErrorCode::io,
                 fmt::format("needs a temporary file, which cannot be written in {}: {}", folder_, failed.message())};
}

Status ScratchFile::write(std::span<const std::byte> bytes, std::uint64_t offset_bytes) {
    return written(write_at(file_, bytes, offset_bytes));
}

Status ScratchFile::resize(std::uint64_t size_bytes) { return written(resize_file(file_, size_bytes)); }

std::uint64_t ScratchFile::size_bytes() const {
    std::error_code failed;
    const std::optional<FileState> state = state_of(file_, failed);
    return state ? state->size_bytes : 0;
}

Result<MappedFile> MappedFile::open(const std::string& path) {
    Result<PlainFile> file = PlainFile::open(path, PlainFile::Links::follow);
    if (!file) return file.error();
    MappedFile mapped;
    if (Status done = mapped.map(file->handle(), file->info().size_bytes); !done) return done.error();
    mapped.file_ = *std::move(file);
    return mapped;
}

Result<MappedFile> MappedFile::of(const ScratchFile& file) {
    MappedFile mapped;
    if (Status done = mapped.map(file.handle(), file.size_bytes()); !done) return done.error();
    return mapped;
}

Status MappedFile::map(const FileHandle& file, std::uint64_t size_bytes) {
    std::error_code failed;
    mapping_ = Mapping::of(file, static_cast<std::size_t>(size_bytes), failed);
    if (!failed) return {};
    const bool lacks_memory = failed == std::errc::not_enough_memory;
    return Error{lacks_memory ? ErrorCode::memory : ErrorCode::io, "cannot be mapped into memory: " + failed.message()};
}

Status MappedFile::check_still_whole() const {
    std::error_code failed;
    const auto now = file_ ? state_of(file_->handle(), failed) : std::nullopt;
    const bool is_shorter = now && now->size_bytes < size_bytes();
    if (!is_shorter && !mapping_.has_lost_pages()) return {};
    return Error{ErrorCode::io, "became shorter while it was being read; open it again once nothing is writing to it"};
}

}  // namespace snapviewer
