#include <unistd.h>

#include "core/system/posix/calls.h"
#include "core/system/posix/descriptors.h"
#include "core/system/web/browser_files.h"

namespace snapviewer {
namespace {

/// Emscripten looks for an open file by its name, which a temporary one has no longer.
std::optional<FileState> state_of_open(int descriptor, std::error_code& failed) {
    std::optional<FileState> state = state_of_descriptor(descriptor, failed);
    const off_t size = failed == std::errc::no_such_file_or_directory ? ::lseek(descriptor, 0, SEEK_END) : -1;
    if (size < 0) return state;
    failed.clear();
    return FileState{.kind = FileState::Kind::file,
                     .size_bytes = static_cast<std::uint64_t>(size),
                     .on_disk_bytes = static_cast<std::uint64_t>(size),
                     .is_own = true};
}

}  // namespace

void FileHandle::close() {
    if (!browser_file_of(number_)) ::close(static_cast<int>(number_));
}

FileHandle open_to_read(const std::string& path, SymbolicLinks links, std::error_code& failed) {
    failed.clear();
    if (const auto number = open_browser_file(path)) return FileHandle(*number);
    return open_descriptor(path, links, failed);
}

FileHandle open_again(std::intptr_t number) {
    return FileHandle(browser_file_of(number) ? number : ::fcntl(static_cast<int>(number), F_DUPFD_CLOEXEC, 0));
}

std::optional<FileState> state_of(const FileHandle& file, std::error_code& failed) {
    const auto given = browser_file_of(file.number());
    if (!given) return state_of_open(descriptor_of(file), failed);
    failed.clear();
    return FileState{.kind = FileState::Kind::file,
                     .size_bytes = given->size_bytes,
                     .on_disk_bytes = given->size_bytes,
                     .link_count = 1,
                     .written_s = given->written_s,
                     .is_own = true};
}

std::size_t read_at(const FileHandle& file, std::span<std::byte> bytes, std::uint64_t offset_bytes,
                    std::error_code& failed) {
    if (const auto given = browser_file_of(file.number())) return read_browser_file(*given, bytes, offset_bytes, failed);
    return read_descriptor_at(descriptor_of(file), bytes, offset_bytes, failed);
}

/// Nobody tells of holes here.
std::optional<FilePart> next_written_part(const FileHandle& /*file*/, std::uint64_t begin, std::uint64_t size_bytes) {
    return begin < size_bytes ? std::optional(FilePart{begin, size_bytes}) : std::nullopt;
}

}  // namespace snapviewer
