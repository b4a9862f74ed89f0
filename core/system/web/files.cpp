#include "core/system/web/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <vector>

#include "core/system/files.h"
#include "core/system/posix/files.h"
#include "core/system/web/browser_files.h"

namespace snapviewer {
namespace {

constexpr std::intptr_t k_first_memory_number = std::intptr_t{1}
                                                << 26;  // larger than any descriptor or handle of a browser file

struct MemoryFile {
    std::mutex mutex;
    std::vector<std::byte> bytes;
};

std::mutex g_memory_mutex;
std::map<std::intptr_t, std::shared_ptr<MemoryFile>> g_memory_files;
std::intptr_t g_next_number = k_first_memory_number;

std::shared_ptr<MemoryFile> file_of(std::intptr_t number) {
    const std::lock_guard lock(g_memory_mutex);
    const auto found = g_memory_files.find(number);
    return found != g_memory_files.end() ? found->second : nullptr;
}

std::intptr_t handle_of(std::shared_ptr<MemoryFile> file) {
    const std::lock_guard lock(g_memory_mutex);
    g_memory_files.emplace(g_next_number, std::move(file));
    return g_next_number++;
}

}  // namespace

std::intptr_t create_memory_file() { return handle_of(std::make_shared<MemoryFile>()); }

bool is_memory_file(std::intptr_t number) { return file_of(number) != nullptr; }

std::intptr_t open_memory_file_again(std::intptr_t number) { return handle_of(file_of(number)); }

void close_memory_file(std::intptr_t number) {
    std::shared_ptr<MemoryFile> last = file_of(number);  // freed after the lock is released
    const std::lock_guard lock(g_memory_mutex);
    g_memory_files.erase(number);
}

std::uint64_t size_of_memory_file(std::intptr_t number) {
    const auto file = file_of(number);
    const std::lock_guard lock(file->mutex);
    return file->bytes.size();
}

std::size_t read_memory_file(std::intptr_t number, std::span<std::byte> bytes, std::uint64_t offset_bytes) {
    const auto file = file_of(number);
    const std::lock_guard lock(file->mutex);
    const std::uint64_t begin = std::min<std::uint64_t>(offset_bytes, file->bytes.size());
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), file->bytes.size() - begin));
    std::copy_n(file->bytes.begin() + static_cast<std::ptrdiff_t>(begin), size, bytes.begin());
    return size;
}

std::error_code write_memory_file(std::intptr_t number, std::span<const std::byte> bytes, std::uint64_t offset_bytes) {
    const std::uint64_t end = offset_bytes + bytes.size();
    if (end > size_of_memory_file(number)) {
        if (const std::error_code failed = resize_memory_file(number, end)) return failed;
    }
    const auto file = file_of(number);
    const std::lock_guard lock(file->mutex);
    std::ranges::copy(bytes, file->bytes.begin() + static_cast<std::ptrdiff_t>(offset_bytes));
    return {};
}

std::error_code resize_memory_file(std::intptr_t number, std::uint64_t size_bytes) {
    const auto file = file_of(number);
    const std::lock_guard lock(file->mutex);
    try {
        file->bytes.resize(static_cast<std::size_t>(size_bytes));
    } catch (const std::bad_alloc&) {
        return std::make_error_code(std::errc::no_space_on_device);
    } catch (const std::length_error&) {
        return std::make_error_code(std::errc::no_space_on_device);
    }
    return {};
}

/// All files of a page are in memory and are lost when it is closed.
FileHandle create_unnamed_file(const std::string& /*folder*/, std::error_code& failed) {
    return create_file_in_memory(failed);
}

FileHandle create_file_in_memory(std::error_code& failed) {
    failed.clear();
    return FileHandle(create_memory_file());
}

/// Locks are not supported: no other program sees the files of a page. Emscripten's flock() always succeeds, so that a file
/// that is being written would look abandoned.
std::error_code lock_file(const FileHandle& /*file*/) { return std::make_error_code(std::errc::not_supported); }

std::error_code sync_file(const FileHandle& /*file*/) { return {}; }

std::optional<FileVersion> version_of(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return std::nullopt;
    const auto ns = [](const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; };
    return FileVersion{info.st_ino, static_cast<std::uint64_t>(info.st_size), ns(info.st_mtim), ns(info.st_ctim)};
}

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
