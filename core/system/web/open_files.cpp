#include <unistd.h>

#include "core/system/posix/calls.h"
#include "core/system/posix/descriptors.h"
#include "core/system/web/browser_files.h"
#include "core/system/web/memory_files.h"

namespace snapviewer {
namespace {

FileState state_of_size(std::uint64_t size_bytes, std::int64_t written_s) {
    return {.kind = FileState::Kind::file,
            .size_bytes = size_bytes,
            .on_disk_bytes = size_bytes,
            .link_count = 1,
            .written_s = written_s,
            .is_own = true};
}

}  // namespace

void FileHandle::close() {
    if (is_memory_file(number_)) {
        close_memory_file(number_);
    } else if (!browser_file_of(number_)) {
        ::close(static_cast<int>(number_));
    }
}

FileHandle open_to_read(const std::string& path, SymbolicLinks links, std::error_code& failed) {
    failed.clear();
    if (const auto number = open_browser_file(path)) return FileHandle(*number);
    return open_descriptor(path, links, failed);
}

FileHandle open_again(std::intptr_t number) {
    if (is_memory_file(number)) return FileHandle(open_memory_file_again(number));
    return FileHandle(browser_file_of(number) ? number : ::fcntl(static_cast<int>(number), F_DUPFD_CLOEXEC, 0));
}

std::optional<FileState> state_of(const FileHandle& file, std::error_code& failed) {
    failed.clear();
    if (is_memory_file(file.number())) return state_of_size(size_of_memory_file(file.number()), 0);
    if (const auto given = browser_file_of(file.number())) return state_of_size(given->size_bytes, given->written_s);
    return state_of_descriptor(descriptor_of(file), failed);
}

std::size_t read_at(const FileHandle& file, std::span<std::byte> bytes, std::uint64_t offset_bytes,
                    std::error_code& failed) {
    failed.clear();
    if (is_memory_file(file.number())) return read_memory_file(file.number(), bytes, offset_bytes);
    if (const auto given = browser_file_of(file.number())) return read_browser_file(*given, bytes, offset_bytes, failed);
    return read_descriptor_at(descriptor_of(file), bytes, offset_bytes, failed);
}

std::error_code write_at(const FileHandle& file, std::span<const std::byte> bytes, std::uint64_t offset_bytes) {
    if (is_memory_file(file.number())) return write_memory_file(file.number(), bytes, offset_bytes);
    return write_descriptor_at(descriptor_of(file), bytes, offset_bytes);
}

std::error_code resize_file(const FileHandle& file, std::uint64_t size_bytes) {
    if (is_memory_file(file.number())) return resize_memory_file(file.number(), size_bytes);
    return resize_descriptor(descriptor_of(file), size_bytes);
}

/// This file system cannot report holes (SEEK_HOLE), so the rest of the file is one part.
std::optional<FilePart> next_written_part(const FileHandle& /*file*/, std::uint64_t begin, std::uint64_t size_bytes) {
    return begin < size_bytes ? std::optional(FilePart{begin, size_bytes}) : std::nullopt;
}

}  // namespace snapviewer
