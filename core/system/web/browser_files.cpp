#include "core/system/web/browser_files.h"

#include <emscripten.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/system/files.h"

// Reads bytes [begin, end) of a URL into memory at `place`. Returns the number of bytes, or -1 after an error. A synchronous
// request is the only way in which a thread can wait for a part of a file, whichever thread got the file. Number() is needed
// because 64-bit addresses are BigInts.
EM_JS(double, snapviewer_read_part, (const char* url, double begin, double end, void* place), {
    try {
        const request = new XMLHttpRequest();
        request.open("GET", UTF8ToString(Number(url)), false);
        request.responseType = "arraybuffer";
        request.setRequestHeader("Range", "bytes=" + begin + "-" + (end - 1));
        request.send();
        if (request.status != 206 && !(request.status == 200 && begin == 0)) return -1;
        const bytes = new Uint8Array(request.response).subarray(0, end - begin);
        HEAPU8.set(bytes, Number(place));
        return bytes.length;
    } catch (error) {
        return -1;
    }
});

namespace snapviewer {
namespace {

constexpr std::intptr_t k_first_number = std::intptr_t{1} << 24;  // handles of browser files are larger than any descriptor
constexpr std::uint64_t k_request_bytes = std::uint64_t{16} << 20;  // size of a part that is read by its URL
constexpr std::uint64_t k_piece_bytes = std::uint64_t{4} << 20;     // size of a piece that the page copies
constexpr std::uint32_t k_given_up = 0xFFFFFFFF;         // value instead of the number of pieces: the page has given up
constexpr std::chrono::milliseconds k_poll_interval(2);  // a piece takes some ten milliseconds
constexpr std::chrono::seconds k_page_timeout(1);        // timeout for a page that copies nothing

/// The error if a browser does not read a part of a file. Browsers give no further reason.
class Refusal final : public std::error_category {
public:
    const char* name() const noexcept override { return "browser"; }
    std::string message(int /*value*/) const override {
        return "the browser no longer reads it, as it does with a file that was changed or deleted. Give it to the page "
               "again";
    }
};

std::error_code refusal() {
    static const Refusal category;
    return {1, category};
}

/// Reads a part of a file by its URL.
std::size_t read_by_link(const BrowserFile& file, std::span<std::byte> bytes, std::uint64_t offset_bytes,
                         std::error_code& failed) {
    const std::uint64_t end = std::min(file.size_bytes, offset_bytes + bytes.size());
    std::uint64_t at = offset_bytes;
    while (at < end) {
        const std::uint64_t piece_end = std::min(end, at + k_request_bytes);
        const double came = snapviewer_read_part(file.url.c_str(), static_cast<double>(at), static_cast<double>(piece_end),
                                                 bytes.data() + (at - offset_bytes));
        if (came < 0) failed = refusal();
        if (came <= 0) break;
        at += static_cast<std::uint64_t>(came);
    }
    return static_cast<std::size_t>(std::max(at, offset_bytes) - offset_bytes);
}

/// A copy of a browser file's bytes, which the page writes into the program's memory piece by piece. It takes a fifth of the
/// time that a thread needs to read them by URL. The bytes do not move while the page writes.
class FileCopy {
public:
    /// Allocates memory for the whole file; bytes() is empty if there is not enough.
    FileCopy(std::intptr_t number, BrowserFile file)
        : number_(number),
          file_(std::move(file)),
          memory_(static_cast<std::byte*>(std::malloc(static_cast<std::size_t>(file_.size_bytes)))) {}

    std::intptr_t number() const { return number_; }
    const BrowserFile& file() const { return file_; }
    std::span<std::byte> bytes() const { return {memory_.get(), memory_ ? static_cast<std::size_t>(file_.size_bytes) : 0}; }
    /// The number of pieces that are complete. The page writes it, too.
    std::atomic<std::uint32_t>& pieces() { return pieces_; }
    /// True if some bytes could be read in neither way. They are 0 then.
    bool has_lost_bytes() const { return has_lost_bytes_; }

    /// Waits until bytes [0, end) are complete. If the page gives up, or copies nothing for a second, reads the file by its
    /// URL instead.
    void wait_for(std::size_t end) {
        if (wait_for_pieces((end + k_piece_bytes - 1) / k_piece_bytes)) return;
        std::call_once(read_by_link_, [this] {
            std::error_code failed;
            const std::size_t came = read_by_link(file_, bytes(), 0, failed);
            std::ranges::fill(bytes().subspan(came), std::byte{0});
            has_lost_bytes_ = came < bytes().size();
        });
    }

private:
    struct Freed {
        void operator()(std::byte* bytes) const { std::free(bytes); }
    };

    /// Waits for `wanted` pieces. The timeout is needed because the page cannot even begin to copy while its own thread
    /// waits for the calling thread, which happens when a file is closed while it is being read.
    bool wait_for_pieces(std::uint64_t wanted) {
        std::uint32_t there = pieces_;
        auto progressed = std::chrono::steady_clock::now();
        while (there < wanted && !is_given_up_) {
            std::this_thread::sleep_for(k_poll_interval);
            const auto now = std::chrono::steady_clock::now();
            const std::uint32_t before = std::exchange(there, pieces_.load());
            if (there != before) progressed = now;
            if (now - progressed > k_page_timeout) is_given_up_ = true;
        }
        return there != k_given_up && !is_given_up_;
    }

    std::intptr_t number_;
    BrowserFile file_;
    std::unique_ptr<std::byte, Freed> memory_;
    std::atomic<std::uint32_t> pieces_{0};
    std::atomic<bool> is_given_up_{false};  ///< set by a waiting thread after a timeout
    std::atomic<bool> has_lost_bytes_{false};
    std::once_flag read_by_link_;
};

std::mutex g_mutex;
std::vector<BrowserFile> g_files;

/// The copy of the file that the page added last; kept while the page writes into it.
std::shared_ptr<FileCopy> g_copy;
std::weak_ptr<FileCopy> g_copy_in_memory;  ///< copy that the page added last, as long as g_copy or a mapping owns it
bool g_copy_was_taken = false;
bool g_copy_has_ended = false;

std::shared_ptr<FileCopy> copy_in_memory(const BrowserFile& file) {
    const std::lock_guard lock(g_mutex);
    std::shared_ptr<FileCopy> copy = g_copy_in_memory.lock();
    return copy && copy->file().url == file.url ? copy : nullptr;
}

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
    const std::shared_ptr<FileCopy> copy = copy_in_memory(file);
    if (!copy || offset_bytes >= copy->bytes().size()) return read_by_link(file, bytes, offset_bytes, failed);
    const auto begin = static_cast<std::size_t>(offset_bytes);
    const std::size_t size_bytes = std::min(bytes.size(), copy->bytes().size() - begin);
    copy->wait_for(begin + size_bytes);
    if (copy->has_lost_bytes()) return read_by_link(file, bytes, offset_bytes, failed);
    std::ranges::copy(copy->bytes().subspan(begin, size_bytes), bytes.begin());
    return size_bytes;
}

}  // namespace snapviewer

// Called by app/web/page.js. Registers a file under a path. The time is in seconds since 1970.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_add_file(const char* path, const char* url, double size_bytes,
                                                         double written_s) {
    using namespace snapviewer;
    const std::lock_guard lock(g_mutex);
    g_files.push_back({path, url, static_cast<std::uint64_t>(size_bytes), static_cast<std::int64_t>(written_s)});
}

// Called by app/web/page.js. Returns the memory into which the page copies the bytes of a file that it added; null if there
// is not enough memory, or while the page copies another file.
extern "C" EMSCRIPTEN_KEEPALIVE void* snapviewer_room_for_copy(const char* path) {
    using namespace snapviewer;
    const auto number = open_browser_file(path);
    const auto file = browser_file_of(number.value_or(0));
    const std::lock_guard lock(g_mutex);
    if (!file || (g_copy && !g_copy_has_ended)) return nullptr;
    g_copy = std::make_shared<FileCopy>(*number, *file);
    g_copy_was_taken = g_copy_has_ended = false;
    if (g_copy->bytes().empty()) g_copy.reset();
    g_copy_in_memory = g_copy;
    return g_copy ? g_copy->bytes().data() : nullptr;
}

// Called by app/web/page.js. Returns the address of the counter of complete pieces, each of k_piece_bytes.
extern "C" EMSCRIPTEN_KEEPALIVE void* snapviewer_pieces_of_copy() {
    const std::lock_guard lock(snapviewer::g_mutex);
    return &snapviewer::g_copy->pieces();
}

// Called by app/web/page.js when it writes nothing more, because the copy is complete or because it gave up.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_end_copy(int is_whole) {
    using namespace snapviewer;
    const std::lock_guard lock(g_mutex);
    if (!g_copy) return;
    if (is_whole == 0) g_copy->pieces() = k_given_up;
    g_copy_has_ended = true;
    if (g_copy_was_taken) g_copy.reset();
}

// A web page cannot map files, so the file is read into memory instead.
namespace snapviewer {

/// Keeps the copy of a file that the page may still be writing.
struct MappingGuard {
    std::shared_ptr<FileCopy> copy;
};

namespace {

/// Returns the copy of the file that the page added last, at most once; null for other files.
std::shared_ptr<FileCopy> take_copy(std::intptr_t number) {
    const std::lock_guard lock(g_mutex);
    if (!g_copy || g_copy->number() != number || std::exchange(g_copy_was_taken, true)) return nullptr;
    return g_copy_has_ended ? std::exchange(g_copy, nullptr) : g_copy;
}

}  // namespace

Mapping Mapping::of(const FileHandle& file, std::size_t size_bytes, std::error_code& failed) {
    failed.clear();
    Mapping mapping;
    if (size_bytes == 0) return mapping;
    if (const auto given = browser_file_of(file.number()); given && given->size_bytes == size_bytes) {
        if (std::shared_ptr<FileCopy> copy = take_copy(file.number())) {
            mapping.bytes_ = copy->bytes();
            mapping.guard_ = new MappingGuard{std::move(copy)};
            return mapping;
        }
    }
    auto* const memory = static_cast<std::byte*>(std::malloc(size_bytes));
    if (memory == nullptr) {
        failed = std::make_error_code(std::errc::not_enough_memory);
        return mapping;
    }
    const std::span<std::byte> bytes(memory, size_bytes);
    mapping.bytes_ = bytes;
    if (read_at(file, bytes, 0, failed) < size_bytes && !failed) failed = std::make_error_code(std::errc::io_error);
    return mapping;
}

Mapping::~Mapping() {
    if (guard_ == nullptr) std::free(const_cast<std::byte*>(bytes_.data()));
    delete guard_;
}

void Mapping::wait_for(std::size_t end) const {
    if (guard_ != nullptr) guard_->copy->wait_for(end);
}

bool Mapping::has_lost_pages() const { return guard_ != nullptr && guard_->copy->has_lost_bytes(); }
void Mapping::release_up_to(std::size_t /*end*/) {}

}  // namespace snapviewer
