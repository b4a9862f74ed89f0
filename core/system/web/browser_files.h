#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
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
/// Like read_at() of core/system/files.h. Reads from the file's FileCopy as long as there is one.
std::size_t read_browser_file(const BrowserFile& file, std::span<std::byte> bytes, std::uint64_t offset_bytes,
                              std::error_code& failed);

/// A copy of a browser file's bytes, which the page writes into the program's memory piece by piece. It takes a fifth of the
/// time that a thread needs to read them by URL. The bytes do not move while the page writes.
class FileCopy {
public:
    static constexpr std::uint64_t k_piece_bytes = std::uint64_t{4} << 20;
    static constexpr std::uint32_t k_given_up = 0xFFFFFFFF;  ///< value of pieces() after the page has given up

    /// Allocates memory for the whole file; bytes() is null if there is not enough.
    FileCopy(std::intptr_t number, BrowserFile file);

    std::intptr_t number() const { return number_; }
    const BrowserFile& file() const { return file_; }
    std::byte* bytes() const { return bytes_.get(); }
    std::size_t size_bytes() const { return static_cast<std::size_t>(file_.size_bytes); }
    /// The number of pieces that are complete. The page writes it, too.
    std::atomic<std::uint32_t>& pieces() { return pieces_; }
    /// Waits until bytes [0, end) are complete. If the page gives up, or copies nothing for a second, reads the file by its
    /// URL instead.
    void wait_for(std::size_t end);
    /// True if some bytes could be read in neither way. They are 0 then.
    bool has_lost_bytes() const { return has_lost_bytes_.load(); }

private:
    struct Freed {
        void operator()(std::byte* bytes) const { std::free(bytes); }
    };

    bool comes_to(std::uint64_t wanted);

    std::intptr_t number_;
    BrowserFile file_;
    std::unique_ptr<std::byte, Freed> bytes_;
    std::atomic<std::uint32_t> pieces_{0};
    std::atomic<bool> is_given_up_{false};  ///< set by a waiting thread after a timeout
    std::atomic<bool> has_lost_bytes_{false};
    std::once_flag read_by_link_;
};

/// Returns the copy of the file that the page added last, at most once; null for other files.
std::shared_ptr<FileCopy> take_copy(std::intptr_t number);

}  // namespace snapviewer
