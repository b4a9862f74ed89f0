#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>

/// Files that the user gave to the page. They stay where they are: the browser reads parts of them for whoever asks, but for
/// threads other than the page's own only. Any thread.
namespace snapviewer {

/// One of them.
struct BrowserFile {
    std::string path;  ///< under which the program knows it
    std::string url;   ///< under which the browser does
    std::uint64_t size_bytes = 0;
    std::int64_t written_s = 0;
};

/// The number of a handle that is open on such a file, if that is what the path leads to.
std::optional<std::intptr_t> open_browser_file(const std::string& path);
/// The file of such a number; none if it is another's.
std::optional<BrowserFile> browser_file_of(std::intptr_t number);
/// As read_at() of core/system/files.h.
std::size_t read_browser_file(const BrowserFile& file, std::span<std::byte> bytes, std::uint64_t offset_bytes,
                              std::error_code& failed);

/// How a MallocedBytes gives its memory back.
struct Freed {
    void operator()(std::byte* bytes) const { std::free(bytes); }
};
using MallocedBytes = std::unique_ptr<std::byte, Freed>;
/// All bytes of a file that the page was asked to copy, once: waits until they are there. Null where there is no such copy.
MallocedBytes take_copy(std::intptr_t number);

}  // namespace snapviewer
