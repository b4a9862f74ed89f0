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
/// As read_at() of core/system/files.h; from the copy of the file, while there is one.
std::size_t read_browser_file(const BrowserFile& file, std::span<std::byte> bytes, std::uint64_t offset_bytes,
                              std::error_code& failed);

/// The bytes of such a file, which the page copies into the program's memory piece after piece: in a fifth of the time in
/// which a thread gets them by links. Does not move while the page writes.
class FileCopy {
public:
    static constexpr std::uint64_t k_piece_bytes = std::uint64_t{4} << 20;
    static constexpr std::uint32_t k_given_up = 0xFFFFFFFF;  ///< in the place of a count

    /// Without bytes where there is no memory for them.
    FileCopy(std::intptr_t number, BrowserFile file);

    std::intptr_t number() const { return number_; }
    const BrowserFile& file() const { return file_; }
    std::byte* bytes() const { return bytes_.get(); }
    std::size_t size_bytes() const { return static_cast<std::size_t>(file_.size_bytes); }
    /// How many pieces are there: the page writes it, too.
    std::atomic<std::uint32_t>& pieces() { return pieces_; }
    /// Until the first so many bytes are there. Where the page gives up, or copies nothing for a second, they are read by
    /// the link.
    void wait_for(std::size_t end);
    /// Whether neither way led to all of them. What is missing is 0 then.
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
    std::atomic<bool> is_given_up_{false};  ///< by who waits
    std::atomic<bool> has_lost_bytes_{false};
    std::once_flag read_by_link_;
};

/// That of the file that was offered last, once; null for others.
std::shared_ptr<FileCopy> take_copy(std::intptr_t number);

}  // namespace snapviewer
