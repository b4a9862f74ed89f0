#include <sys/file.h>
#include <unistd.h>

#include <algorithm>

#include "core/system/files.h"
#include "core/system/posix/files.h"

namespace snapviewer {

void FileHandle::close() { ::close(static_cast<int>(number_)); }

FileHandle open_to_read(const std::string& path, SymbolicLinks links, std::error_code& failed) {
    return open_descriptor(path, links, failed);
}

FileHandle open_again(std::intptr_t number) { return FileHandle(::fcntl(static_cast<int>(number), F_DUPFD_CLOEXEC, 0)); }

std::optional<FileState> state_of(const FileHandle& file, std::error_code& failed) {
    return state_of_descriptor(descriptor_of(file), failed);
}

std::size_t read_at(const FileHandle& file, std::span<std::byte> bytes, std::uint64_t offset_bytes,
                    std::error_code& failed) {
    return read_descriptor_at(descriptor_of(file), bytes, offset_bytes, failed);
}

std::optional<FilePart> next_written_part(const FileHandle& file, std::uint64_t begin, std::uint64_t size_bytes) {
    const off_t data = ::lseek(descriptor_of(file), static_cast<off_t>(begin), SEEK_DATA);
    if (data < 0) return std::nullopt;
    const off_t hole = ::lseek(descriptor_of(file), data, SEEK_HOLE);
    const std::uint64_t end = hole < 0 ? size_bytes : std::min(size_bytes, static_cast<std::uint64_t>(hole));
    return FilePart{static_cast<std::uint64_t>(data), end};
}

std::error_code write_at(const FileHandle& file, std::span<const std::byte> bytes, std::uint64_t offset_bytes) {
    return write_descriptor_at(descriptor_of(file), bytes, offset_bytes);
}

std::error_code resize_file(const FileHandle& file, std::uint64_t size_bytes) {
    return resize_descriptor(descriptor_of(file), size_bytes);
}

std::error_code lock_file(const FileHandle& file) {
    return ::flock(descriptor_of(file), LOCK_EX | LOCK_NB) == 0 ? std::error_code() : last_error();
}

}  // namespace snapviewer
