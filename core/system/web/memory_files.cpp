#include "core/system/web/memory_files.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <vector>

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

}  // namespace snapviewer
