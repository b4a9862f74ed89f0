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

// Some handles of a page are not descriptors: those of files that the user gave to the page, and those of unnamed files,
// which are in the program's own memory. The browser's file system is in memory too, but there every call of a thread waits
// for the page's main thread.
namespace snapviewer {
namespace {

/// The number of the first handle of an unnamed file; larger than any descriptor or handle of a browser file.
constexpr std::intptr_t k_first_memory_number = std::intptr_t{1} << 26;

struct MemoryFile {
    std::mutex mutex;
    std::vector<std::byte> bytes;
};

std::mutex g_memory_mutex;
std::map<std::intptr_t, std::shared_ptr<MemoryFile>> g_memory_files;
std::intptr_t g_next_number = k_first_memory_number;

/// The unnamed file of a handle; null for other handles.
std::shared_ptr<MemoryFile> memory_file(std::intptr_t number) {
    const std::lock_guard lock(g_memory_mutex);
    const auto found = g_memory_files.find(number);
    return found != g_memory_files.end() ? found->second : nullptr;
}

/// Returns a new handle to a file, which is freed with its last handle.
FileHandle handle_of(std::shared_ptr<MemoryFile> file) {
    const std::lock_guard lock(g_memory_mutex);
    g_memory_files.emplace(g_next_number, std::move(file));
    return FileHandle(g_next_number++);
}

std::size_t read(MemoryFile& file, std::span<std::byte> bytes, std::uint64_t offset_bytes) {
    const std::lock_guard lock(file.mutex);
    const std::uint64_t begin = std::min<std::uint64_t>(offset_bytes, file.bytes.size());
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), file.bytes.size() - begin));
    std::copy_n(file.bytes.begin() + static_cast<std::ptrdiff_t>(begin), size, bytes.begin());
    return size;
}

/// Resizes a file. Precondition: its mutex is locked.
std::error_code resize(MemoryFile& file, std::uint64_t size_bytes) {
    try {
        file.bytes.resize(static_cast<std::size_t>(size_bytes));
    } catch (const std::bad_alloc&) {
        return std::make_error_code(std::errc::no_space_on_device);
    } catch (const std::length_error&) {
        return std::make_error_code(std::errc::no_space_on_device);
    }
    return {};
}

FileState state_of_size(std::uint64_t size_bytes, std::int64_t written_s) {
    return {.kind = FileState::Kind::file,
            .size_bytes = size_bytes,
            .on_disk_bytes = size_bytes,
            .link_count = 1,
            .written_s = written_s,
            .is_own = true};
}

}  // namespace

/// All files of a page are in memory and are lost when it is closed.
FileHandle create_unnamed_file(const std::string& /*folder*/, std::error_code& failed) {
    return create_file_in_memory(failed);
}

FileHandle create_file_in_memory(std::error_code& failed) {
    failed.clear();
    return handle_of(std::make_shared<MemoryFile>());
}

/// Locks are not supported: no other program sees the files of a page. Emscripten's flock() always succeeds, so that a file
/// that is being written would look abandoned.
std::error_code lock_file(const FileHandle& /*file*/) { return std::make_error_code(std::errc::not_supported); }
std::error_code sync_file(const FileHandle& /*file*/) { return {}; }

void close_file(std::intptr_t number) {
    if (const std::shared_ptr<MemoryFile> kept = memory_file(number)) {  // freed after the lock is released
        const std::lock_guard lock(g_memory_mutex);
        g_memory_files.erase(number);
    } else if (!browser_file_of(number)) {
        ::close(static_cast<int>(number));
    }
}

FileHandle open_to_read(const std::string& path, SymbolicLinks links, std::error_code& failed) {
    failed.clear();
    if (const auto number = open_browser_file(path)) return FileHandle(*number);
    return open_descriptor(path, links, failed);
}

FileHandle open_again(std::intptr_t number) {
    if (auto file = memory_file(number)) return handle_of(std::move(file));
    return FileHandle(browser_file_of(number) ? number : ::fcntl(static_cast<int>(number), F_DUPFD_CLOEXEC, 0));
}

std::optional<FileState> state_of(const FileHandle& file, std::error_code& failed) {
    failed.clear();
    if (const auto in_memory = memory_file(file.number())) {
        const std::lock_guard lock(in_memory->mutex);
        return state_of_size(in_memory->bytes.size(), 0);
    }
    if (const auto given = browser_file_of(file.number())) return state_of_size(given->size_bytes, given->written_s);
    return state_of_descriptor(descriptor_of(file), failed);
}

std::size_t read_at(const FileHandle& file, std::span<std::byte> bytes, std::uint64_t offset_bytes,
                    std::error_code& failed) {
    failed.clear();
    if (const auto in_memory = memory_file(file.number())) return read(*in_memory, bytes, offset_bytes);
    if (const auto given = browser_file_of(file.number())) return read_browser_file(*given, bytes, offset_bytes, failed);
    return read_descriptor_at(descriptor_of(file), bytes, offset_bytes, failed);
}

std::error_code write_at(const FileHandle& file, std::span<const std::byte> bytes, std::uint64_t offset_bytes) {
    const auto in_memory = memory_file(file.number());
    if (!in_memory) return write_descriptor_at(descriptor_of(file), bytes, offset_bytes);
    const std::lock_guard lock(in_memory->mutex);
    const std::uint64_t end = offset_bytes + bytes.size();
    if (end > in_memory->bytes.size()) {
        if (const std::error_code failed = resize(*in_memory, end)) return failed;
    }
    std::ranges::copy(bytes, in_memory->bytes.begin() + static_cast<std::ptrdiff_t>(offset_bytes));
    return {};
}

std::error_code resize_file(const FileHandle& file, std::uint64_t size_bytes) {
    const auto in_memory = memory_file(file.number());
    if (!in_memory) return resize_descriptor(descriptor_of(file), size_bytes);
    const std::lock_guard lock(in_memory->mutex);
    return resize(*in_memory, size_bytes);
}

/// This file system cannot report holes (SEEK_HOLE), so the rest of the file is one part.
std::optional<FilePart> next_data_part(const FileHandle& /*file*/, std::uint64_t begin, std::uint64_t size_bytes) {
    return begin < size_bytes ? std::optional(FilePart{begin, size_bytes}) : std::nullopt;
}

}  // namespace snapviewer
