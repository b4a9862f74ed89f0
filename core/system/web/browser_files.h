#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>

/// Files that the user gave to the page. The browser reads parts of them on request, but only for threads other than the
/// page's main thread. Thread-safe.
namespace snapviewer {

/// A file that the user gave to the page.
struct BrowserFile {
    std::string path;  ///< path under which the program knows the file
    std::string url;   ///< URL under which the browser knows the file
    std::uint64_t size_bytes = 0;
    std::int64_t written_s = 0;
};

/// Returns the number of a handle to the browser file at a path; nullopt if the path leads to no such file.
std::optional<std::intptr_t> open_browser_file(const std::string& path);
/// Returns the file of a handle's number; nullopt if it is not the handle of a browser file.
std::optional<BrowserFile> browser_file_of(std::intptr_t number);
/// Like read_at() of core/system/files.h. Reads from the copy in memory that the page makes of a file,
/// as long as there is one.
std::size_t read_browser_file(const BrowserFile& file, std::span<std::byte> bytes, std::uint64_t offset_bytes,
                              std::error_code& failed);

}  // namespace snapviewer
