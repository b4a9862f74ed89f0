#include "core/system/web/browser_files.h"

#include <emscripten.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

// Puts bytes [begin, end) of what the browser has under a link at that place of the memory; how many came, or -1. The one
// way in which a thread can wait for a part of a file, whoever was given it.
EM_JS(double, snapviewer_read_part, (const char* url, double begin, double end, void* place), {
    try {
        const request = new XMLHttpRequest();
        request.open("GET", UTF8ToString(url), false);
        request.responseType = "arraybuffer";
        request.setRequestHeader("Range", "bytes=" + begin + "-" + (end - 1));
        request.send();
        if (request.status != 206 && !(request.status == 200 && begin == 0)) return -1;
        const bytes = new Uint8Array(request.response).subarray(0, end - begin);
        HEAPU8.set(bytes, place);
        return bytes.length;
    } catch (error) {
        return -1;
    }
});

namespace snapviewer {
namespace {

constexpr std::intptr_t k_first_number = std::intptr_t{1} << 24;  // more than there are descriptors
constexpr std::uint64_t k_piece_bytes = std::uint64_t{16} << 20;

std::mutex g_mutex;
std::vector<BrowserFile> g_files;

/// A file's bytes, which the page copies into the program's memory: in a third of the time in which a thread gets them by
/// links.
struct Copy {
    std::intptr_t number = 0;
    MallocedBytes bytes;
    bool has_ended = false;
};
/// Of the file that was offered last; none once it was taken, or where it could not be made.
std::optional<Copy> g_copy;
std::condition_variable g_copy_ended;

}  // namespace

std::optional<std::intptr_t> open_browser_file(const std::string& path) {
    const std::lock_guard lock(g_mutex);
    for (std::size_t i = g_files.size(); i-- > 0;) {
        if (g_files[i].path == path) return k_first_number + static_cast<std::intptr_t>(i);
    }
    return std::nullopt;
}

std::optional<BrowserFile> browser_file_of(std::intptr_t number) {
    const std::lock_guard lock(g_mutex);
    const std::intptr_t at = number - k_first_number;
    if (at < 0 || at >= static_cast<std::intptr_t>(g_files.size())) return std::nullopt;
    return g_files[static_cast<std::size_t>(at)];
}

std::size_t read_browser_file(const BrowserFile& file, std::span<std::byte> bytes, std::uint64_t offset_bytes,
                              std::error_code& failed) {
    failed.clear();
    const std::uint64_t end = std::min(file.size_bytes, offset_bytes + bytes.size());
    std::uint64_t at = offset_bytes;
    while (at < end) {
        const std::uint64_t piece_end = std::min(end, at + k_piece_bytes);
        const double came = snapviewer_read_part(file.url.c_str(), static_cast<double>(at), static_cast<double>(piece_end),
                                                 bytes.data() + (at - offset_bytes));
        if (came < 0) failed = std::make_error_code(std::errc::io_error);
        if (came <= 0) break;
        at += static_cast<std::uint64_t>(came);
    }
    return static_cast<std::size_t>(std::max(at, offset_bytes) - offset_bytes);
}

MallocedBytes take_copy(std::intptr_t number) {
    std::unique_lock lock(g_mutex);
    const auto is_of_it = [&] { return g_copy && g_copy->number == number; };
    g_copy_ended.wait(lock, [&] { return !is_of_it() || g_copy->has_ended; });
    if (!is_of_it()) return nullptr;
    MallocedBytes bytes = std::move(g_copy->bytes);
    g_copy.reset();
    return bytes;
}

}  // namespace snapviewer

// What app/web/page.js calls: from now on the path leads to this file. The time is in seconds since 1970.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_add_file(const char* path, const char* url, double size_bytes,
                                                         double written_s) {
    using namespace snapviewer;
    const std::lock_guard lock(g_mutex);
    g_files.push_back({path, url, static_cast<std::uint64_t>(size_bytes), static_cast<std::int64_t>(written_s)});
}

// Where the page is to copy the bytes of a file that it added; null where there is no memory for it, or while it copies
// another one.
extern "C" EMSCRIPTEN_KEEPALIVE void* snapviewer_room_for_copy(const char* path) {
    using namespace snapviewer;
    const auto number = open_browser_file(path);
    const auto file = browser_file_of(number.value_or(0));
    const std::lock_guard lock(g_mutex);
    if (!file || (g_copy && !g_copy->has_ended)) return nullptr;
    g_copy.emplace();
    g_copy->number = *number;
    g_copy->bytes.reset(static_cast<std::byte*>(std::malloc(static_cast<std::size_t>(file->size_bytes))));
    void* const room = g_copy->bytes.get();
    if (room == nullptr) g_copy.reset();
    return room;
}

// All of it is there, or none of it will be.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_end_copy(void* room, int is_whole) {
    using namespace snapviewer;
    const std::lock_guard lock(g_mutex);
    if (!g_copy || g_copy->bytes.get() != room) return;
    g_copy->has_ended = true;
    if (is_whole == 0) g_copy.reset();
    g_copy_ended.notify_all();
}
