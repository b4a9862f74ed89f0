#include "core/sqlite/sqlite_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>
#include <vector>

namespace snapviewer {
namespace {

// Both formats: sqlite.org/fileformat2.html, "The Rollback Journal" and "The Write-Ahead Log".
using Bytes = std::span<const std::byte>;

constexpr std::uint32_t k_smallest_page_bytes = 512;
constexpr std::uint32_t k_largest_page_bytes = 65536;
constexpr std::uint32_t k_smallest_sector_bytes = 32;
constexpr std::uint32_t k_usual_sector_bytes = 512;  ///< what SQLite goes by until a header says otherwise
constexpr std::uint64_t k_pending_byte = 1 << 30;    ///< the page of this byte of a database is never used
constexpr std::array<unsigned char, 8> k_rollback_magic = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
constexpr std::size_t k_rollback_header_bytes = 28;
constexpr std::size_t k_summed_every_bytes = 200;
constexpr std::size_t k_name_end_bytes = 16;
constexpr std::uint32_t k_longest_name_bytes = 4096;
constexpr std::uint32_t k_wal_magic = 0x377f0682;  ///< plus 1 where the sums are of big-endian words
constexpr std::uint32_t k_wal_version = 3007000;
constexpr std::size_t k_wal_header_bytes = 32;
constexpr std::size_t k_frame_header_bytes = 24;

std::uint32_t number_at(Bytes bytes, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) number = number << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
    return number;
}

bool has_rollback_magic(Bytes bytes) {
    return std::ranges::equal(k_rollback_magic, bytes.first(k_rollback_magic.size()), {},
                              [](unsigned char c) { return std::byte{c}; });
}

bool is_page_size(std::uint32_t bytes) {
    return bytes >= k_smallest_page_bytes && bytes <= k_largest_page_bytes && std::has_single_bit(bytes);
}

/// The file that the end of a rollback journal names; empty if none.
std::string name_at_end(const PlainFile& journal) {
    const std::uint64_t size = journal.info().size_bytes;
    std::array<std::byte, k_name_end_bytes> end{};
    if (size < end.size() || !journal.read(end, size - end.size()) || !has_rollback_magic(Bytes(end).subspan(8))) return {};
    const std::uint32_t length = number_at(end, 0);
    if (length == 0 || length > size - end.size()) return {};
    std::string name(std::min(length, k_longest_name_bytes), '\0');
    journal.read(std::as_writable_bytes(std::span(name)), size - end.size() - length);
    return name;
}

/// Walks through a rollback journal, which is a row of segments: a header, filled up to a sector, and records of a page
/// each.
class RollbackReader {
public:
    RollbackReader(const PlainFile& journal, Progress* progress) : journal_(journal), progress_(progress) {}

    Result<std::optional<JournalPages>> read() {
        while (read_header()) {
            for (std::uint32_t i = 0; i < records_; ++i) {
                if (must_stop(progress_)) return stopped();
                if (!read_record()) return result();
            }
        }
        return result();
    }

private:
    std::optional<JournalPages> result() { return pages_.page_bytes == 0 ? std::nullopt : std::optional(std::move(pages_)); }

    bool read_header() {
        if (sector_bytes_ != 0) at_ = (at_ + sector_bytes_ - 1) / sector_bytes_ * sector_bytes_;
        const std::uint64_t filled_bytes = sector_bytes_ == 0 ? k_usual_sector_bytes : sector_bytes_;
        if (at_ + filled_bytes > journal_.info().size_bytes) return false;
        std::array<std::byte, k_rollback_header_bytes> header{};
        if (!journal_.read(header, at_) || !has_rollback_magic(header)) return false;
        records_ = number_at(header, 8);  // 0xffffffff for all that follow
        sum_start_ = number_at(header, 12);
        if (at_ == 0 && !read_sizes(header)) return false;
        at_ += sector_bytes_;
        return true;
    }

    /// The first header also says how large everything is.
    bool read_sizes(Bytes header) {
        sector_bytes_ = number_at(header, 20);
        const std::uint32_t page_bytes = number_at(header, 24);
        if (!is_page_size(page_bytes) || sector_bytes_ < k_smallest_sector_bytes || sector_bytes_ > k_largest_page_bytes ||
            !std::has_single_bit(sector_bytes_))
            return false;
        pages_.page_count = number_at(header, 16);
        pages_.page_bytes = page_bytes;
        record_.resize(page_bytes + 8);
        return true;
    }

    /// Whether there was one that counts; with the first that does not, the journal ends.
    bool read_record() {
        if (!journal_.read(record_, at_)) return false;
        const Bytes page = Bytes(record_).subspan(4, pages_.page_bytes);
        const std::uint32_t number = number_at(record_, 0);
        std::uint32_t sum = sum_start_;
        for (std::size_t i = page.size() - k_summed_every_bytes; i > 0 && i < page.size(); i -= k_summed_every_bytes)
            sum += std::to_integer<std::uint32_t>(page[i]);
        const bool is_unused = number == 0 || number == k_pending_byte / pages_.page_bytes + 1;
        if (is_unused || sum != number_at(record_, 4 + page.size())) return false;
        if (number <= pages_.page_count) pages_.places.insert_or_assign(number, at_ + 4);
        at_ += record_.size();
        return true;
    }

    const PlainFile& journal_;
    Progress* progress_;
    JournalPages pages_;
    std::vector<std::byte> record_;
    std::uint64_t at_ = 0;
    std::uint32_t sector_bytes_ = 0;
    std::uint32_t records_ = 0;
    std::uint32_t sum_start_ = 0;
};

/// The running sum over everything in a WAL.
struct WalSum {
    bool is_big_endian = false;
    std::uint32_t first = 0, second = 0;

    void add(Bytes bytes) {
        for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
            first += word(bytes, i) + second;
            second += word(bytes, i + 4) + first;
        }
    }
    bool is_at(Bytes bytes, std::size_t at) const {
        return first == number_at(bytes, at) && second == number_at(bytes, at + 4);
    }

private:
    std::uint32_t word(Bytes bytes, std::size_t at) const {
        const std::uint32_t number = number_at(bytes, at);
        return is_big_endian ? number : __builtin_bswap32(number);
    }
};

/// A WAL that was opened: what its header says, and the sum so far.
struct WalStart {
    std::array<std::byte, k_wal_header_bytes> header{};
    std::uint32_t page_bytes = 0;
    WalSum sum;
};

std::optional<WalStart> start_wal(const PlainFile& wal) {
    WalStart start;
    if (!wal.read(start.header, 0)) return std::nullopt;
    const std::uint32_t magic = number_at(start.header, 0);
    start.page_bytes = number_at(start.header, 8);
    start.sum.is_big_endian = magic == k_wal_magic + 1;
    start.sum.add(Bytes(start.header).first(24));
    const bool is_known = (magic == k_wal_magic || magic == k_wal_magic + 1) && number_at(start.header, 4) == k_wal_version;
    if (!is_known || !is_page_size(start.page_bytes) || !start.sum.is_at(start.header, 24)) return std::nullopt;
    return start;
}

}  // namespace

Result<std::optional<JournalPages>> read_rollback_journal(const PlainFile& journal, Progress* progress) {
    Result<std::optional<JournalPages>> pages = RollbackReader(journal, progress).read();
    if (!pages || !*pages) return pages;
    if (const std::string name = name_at_end(journal); !name.empty()) {
        return Error{ErrorCode::bad_file,
                     fmt::format("has an unfinished transaction in its journal that involves another file ({}), as a "
                                 "transaction over several databases does; it is not rolled back, and the other file is not "
                                 "touched. To open the database as it is, move the journal away",
                                 name)};
    }
    return pages;
}

Result<std::optional<JournalPages>> read_wal(const PlainFile& wal, Progress* progress) {
    std::optional<WalStart> start = start_wal(wal);
    if (!start) return std::optional<JournalPages>();
    JournalPages pages;
    pages.page_bytes = start->page_bytes;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> unfinished;
    std::vector<std::byte> frame(k_frame_header_bytes + pages.page_bytes);
    for (std::uint64_t at = k_wal_header_bytes; wal.read(frame, at); at += frame.size()) {
        if (must_stop(progress)) return stopped();
        const std::uint32_t number = number_at(frame, 0);
        start->sum.add(Bytes(frame).first(8));
        start->sum.add(Bytes(frame).subspan(k_frame_header_bytes));
        const bool is_of_this_wal = std::ranges::equal(Bytes(frame).subspan(8, 8), Bytes(start->header).subspan(16, 8));
        if (number == 0 || !is_of_this_wal || !start->sum.is_at(frame, 16)) break;
        unfinished.emplace_back(number, at + k_frame_header_bytes);
        const std::uint32_t pages_after_change = number_at(frame, 4);
        if (pages_after_change == 0) continue;
        pages.page_count = pages_after_change;
        for (const auto& [page, place] : unfinished) pages.places.insert_or_assign(page, place);
        unfinished.clear();
    }
    if (pages.page_count == 0) return std::optional<JournalPages>();
    std::erase_if(pages.places, [&](const auto& page) { return page.first > pages.page_count; });
    return std::optional(std::move(pages));
}

}  // namespace snapviewer
