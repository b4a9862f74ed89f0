#include "core/sqlite/sqlite_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "core/base/plain_file.h"
#include "core/sqlite/sqlite_journal.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_copy_step_bytes = 4U << 20;
constexpr std::size_t k_page_size_at = 16;  ///< in the header of a database; 1 stands for 65536

using ReadJournal = Result<std::optional<JournalPages>> (*)(const PlainFile&, Progress*);

/// A journal that holds pages, and where they are.
struct Journal {
    PlainFile file;
    JournalPages pages;

    std::uint64_t page_bytes() const { return std::uint64_t{pages.places.size()} * pages.page_bytes; }
};

Error unreadable() { return {ErrorCode::io, "could not be read to the end"}; }

/// Reads the journal of that ending; notes it in `left_out` if it is no ordinary file.
Result<std::optional<Journal>> find_journal(const std::string& path, const char* ending, ReadJournal read,
                                            std::string& left_out, Progress* progress) {
    std::error_code error;
    const std::string name = path + ending;
    if (!fs::exists(fs::symlink_status(name, error))) return std::optional<Journal>();
    Result<PlainFile> file = PlainFile::open(name, PlainFile::Links::refuse);
    if (!file) {
        left_out = ending;
        return std::optional<Journal>();
    }
    Result<std::optional<JournalPages>> pages = read(*file, progress);
    if (!pages) return pages.error();
    if (!*pages) return std::optional<Journal>();
    return std::optional(Journal{std::move(*file), std::move(**pages)});
}

/// Copies what is not a hole.
Status copy_data(const PlainFile& from, ScratchFile& to, Progress* progress) {
    const std::uint64_t size = from.info().size_bytes;
    std::vector<std::byte> buffer(k_copy_step_bytes);
    std::uint64_t at = 0;
    while (at < size) {
        const std::optional<FilePart> part = next_written_part(from.handle(), at, size);
        if (!part) break;
        at = part->begin;
        while (at < part->end) {
            if (must_stop(progress)) return stopped();
            const std::span<std::byte> piece(buffer.data(), std::min<std::uint64_t>(buffer.size(), part->end - at));
            if (!from.read(piece, at)) return unreadable();
            if (Status written = to.write(piece, at); !written) return written;
            at += piece.size();
        }
    }
    return to.resize(size);
}

Status put_pages(const Journal& journal, ScratchFile& copy, Progress* progress) {
    std::vector<std::byte> page(journal.pages.page_bytes);
    for (const auto& [number, place] : journal.pages.places) {
        if (must_stop(progress)) return stopped();
        if (!journal.file.read(page, place)) return unreadable();
        const std::uint64_t offset = std::uint64_t{number - 1} * page.size();
        if (Status written = copy.write(page, offset); !written) return written;
    }
    const std::uint64_t size = std::uint64_t{journal.pages.page_count} * page.size();
    // A copy that is too short stays so: it has lost its end, and readers tell.
    return size < copy.size_bytes() ? copy.resize(size) : Status();
}

/// SQLite trusts the pages of a WAL to be as large as those of the database.
bool has_pages_of(const PlainFile& database, const Journal& wal) {
    std::array<std::byte, 2> size{};
    if (!database.read(size, k_page_size_at)) return false;
    const unsigned written = std::to_integer<unsigned>(size[0]) << 8 | std::to_integer<unsigned>(size[1]);
    return (written == 1 ? 65536 : written) == wal.pages.page_bytes;
}

}  // namespace

Result<CurrentDatabase> absorb_journals(const std::string& path, Progress* progress) {
    CurrentDatabase current;
    std::error_code error;
    const fs::path target = fs::canonical(path, error);
    const std::string real = error ? path : target.string();
    auto rollback = find_journal(real, "-journal", read_rollback_journal, current.left_out, progress);
    if (!rollback) return rollback.error();
    auto wal = find_journal(real, "-wal", read_wal, current.left_out, progress);
    if (!wal) return wal.error();
    if (!*rollback && !*wal) return current;

    Result<PlainFile> database = PlainFile::open(real, PlainFile::Links::follow);
    if (!database) return database.error();
    if (*wal && !has_pages_of(*database, **wal))
        return Error{ErrorCode::bad_file,
                     "has a -wal file next to it whose page size differs, so the two do not belong together"};
    std::uint64_t expected_bytes = database->info().on_disk_bytes;
    for (const auto* journal : {&*rollback, &*wal}) expected_bytes += *journal ? (*journal)->page_bytes() : 0;
    Result<ScratchFile> copy = ScratchFile::create(expected_bytes);
    if (!copy) return copy.error();
    if (Status copied = copy_data(*database, *copy, progress); !copied) return copied.error();
    // As SQLite does: first undo what was not finished, then what the WAL has.
    for (const auto* journal : {&*rollback, &*wal}) {
        if (!*journal) continue;
        if (Status put = put_pages(**journal, *copy, progress); !put) return put.error();
    }
    current.copy = std::move(*copy);
    return current;
}

}  // namespace snapviewer
