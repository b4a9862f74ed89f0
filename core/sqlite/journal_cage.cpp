#include "core/sqlite/journal_cage.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "core/base/context.h"
#include "core/sqlite/pathless_vfs.h"
#include "core/sqlite/sqlite_handles.h"
#include "core/sqlite/unshared_files.h"

namespace snapviewer {
namespace {

constexpr std::string_view k_database_name = "/database";
constexpr std::size_t k_copy_step_bytes = 4U << 20;
/// SQLite reads the name at the end of a journal into room for a page, of which the smallest has 512 bytes.
constexpr int k_longest_name_bytes = 512;

Error unreadable() { return {ErrorCode::io, "could not be read to the end"}; }
Error no_memory() { return {ErrorCode::memory, "needs more memory than is available"}; }

/// Copies what is not a hole.
Status copy_data(const PlainFile& from, ScratchFile& to) {
    const std::uint64_t size = from.info().size_bytes;
    std::vector<std::byte> buffer(k_copy_step_bytes);
    std::uint64_t at = 0;
    while (at < size) {
        const std::optional<FilePart> part = next_written_part(from.handle(), at, size);
        if (!part) break;
        at = part->begin;
        while (at < part->end) {
            if (must_stop()) return stop_error();
            const std::span<std::byte> piece(buffer.data(), std::min<std::uint64_t>(buffer.size(), part->end - at));
            if (!from.read(piece, at)) return unreadable();
            if (Status written = to.write(piece, at); !written) return written;
            at += piece.size();
        }
    }
    return to.resize(size);
}

}  // namespace

/// What SQLite keeps of a file it has open; it reserves the memory.
struct JournalCage::OpenPart {
    sqlite3_file base;
    JournalCage* cage;
    Part part;
};

JournalCage::JournalCage(PlainFile database, std::optional<PlainFile> rollback, std::optional<PlainFile> wal)
    : database_(std::move(database)),
      journals_{std::move(rollback), std::move(wal)},
      name_(fmt::format("snapviewer-journals-{}", static_cast<const void*>(this))),
      vfs_(*sqlite3_vfs_find(pathless_vfs())) {  // time and chance, and paths that stay as they are
    vfs_.pNext = nullptr;
    vfs_.szOsFile = std::max<int>(sizeof(OpenPart), k_temporary_file_bytes);
    vfs_.mxPathname = k_longest_name_bytes;
    vfs_.zName = name_.c_str();
    vfs_.pAppData = this;
    vfs_.xOpen = sqlite_callback<open_part>;
    vfs_.xDelete = sqlite_callback<remove_part>;
    vfs_.xAccess = sqlite_callback<has_part>;
    sqlite3_vfs_register(&vfs_, 0);
}

JournalCage::~JournalCage() { sqlite3_vfs_unregister(&vfs_); }

JournalCage& JournalCage::cage_of(sqlite3_vfs* vfs) { return *static_cast<JournalCage*>(vfs->pAppData); }

std::optional<JournalCage::Part> JournalCage::part_of(std::string_view name) {
    if (!name.starts_with(k_database_name)) return std::nullopt;
    const std::string_view ending = name.substr(k_database_name.size());
    if (ending.empty()) return Part::database;
    if (ending == "-journal") return Part::rollback;
    return ending == "-wal" ? std::optional(Part::wal) : std::nullopt;
}

bool JournalCage::has(Part part) const { return part == Part::database || journals_[part == Part::wal ? 1 : 0]; }

const FileHandle& JournalCage::handle_of(Part part) const {
    if (part != Part::database) return journals_[part == Part::wal ? 1 : 0]->handle();
    return copy_ ? copy_->handle() : database_.handle();
}

int JournalCage::refuse(std::string_view name, int status) {
    outsider_ = name;
    return status;
}

int JournalCage::fail(Error error, int status) {
    if (status_) status_ = std::move(error);
    return status;
}

int JournalCage::open_part(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* flags_out) {
    file->pMethods = nullptr;
    if (name == nullptr) return open_temporary_file(file);
    JournalCage& cage = cage_of(vfs);
    const std::optional<Part> part = part_of(name);
    if (!part || (flags & SQLITE_OPEN_SUPER_JOURNAL) != 0) return cage.refuse(name, SQLITE_CANTOPEN);
    if (flags_out != nullptr) *flags_out = flags;
    if (!cage.has(*part)) return open_temporary_file(file);
    auto* opened = reinterpret_cast<OpenPart*>(file);
    opened->cage = &cage;
    opened->part = *part;
    file->pMethods = &methods();
    return SQLITE_OK;
}

int JournalCage::has_part(sqlite3_vfs* vfs, const char* name, int, int* result) {
    const std::optional<Part> part = part_of(name);
    *result = part && cage_of(vfs).has(*part) ? 1 : 0;
    return part ? SQLITE_OK : cage_of(vfs).refuse(name, SQLITE_IOERR_ACCESS);
}

int JournalCage::remove_part(sqlite3_vfs* vfs, const char* name, int) {
    const std::optional<Part> part = part_of(name);
    if (!part || *part == Part::database) return cage_of(vfs).refuse(name, SQLITE_IOERR_DELETE);
    cage_of(vfs).journals_[*part == Part::wal ? 1 : 0].reset();
    return SQLITE_OK;
}

Status JournalCage::begin_copy() {
    if (copy_) return {};
    std::uint64_t expected_bytes = database_.info().on_disk_bytes;
    for (const auto& journal : journals_) expected_bytes += journal ? journal->info().on_disk_bytes : 0;
    Result<ScratchFile> copy = ScratchFile::create(expected_bytes);
    if (!copy) return copy.error();
    if (Status copied = copy_data(database_, *copy); !copied) return copied;
    copy_ = *std::move(copy);
    return {};
}

int JournalCage::write(std::span<const std::byte> bytes, std::uint64_t offset) {
    if (must_stop()) return fail(stop_error(), SQLITE_IOERR_WRITE);
    const std::uint64_t size = copy_ ? copy_->size_bytes() : database_.info().size_bytes;
    // Zeros far behind the end make the database as long as a journal says it was. What has lost its end stays short.
    if (offset > size && std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{}; })) return SQLITE_OK;
    Status written = begin_copy();
    if (written) written = copy_->write(bytes, offset);
    return written ? SQLITE_OK : fail(written.error(), SQLITE_IOERR_WRITE);
}

int JournalCage::resize(std::uint64_t bytes) {
    Status resized = begin_copy();
    if (resized) resized = copy_->resize(bytes);
    return resized ? SQLITE_OK : fail(resized.error(), SQLITE_IOERR_TRUNCATE);
}

/// The journals themselves are never written: what SQLite did with them is of no interest once they are applied.
const sqlite3_io_methods& JournalCage::methods() {
    static const sqlite3_io_methods k_methods = [] {
        sqlite3_io_methods methods = methods_of_unshared_files();
        methods.xClose = [](sqlite3_file*) { return SQLITE_OK; };
        methods.xRead = [](sqlite3_file* file, void* into, int size, sqlite3_int64 offset) {
            return sqlite_status_of([&] {
                const OpenPart& open = *reinterpret_cast<OpenPart*>(file);
                if (must_stop()) return open.cage->fail(stop_error(), SQLITE_IOERR_READ);
                const std::span<std::byte> room(static_cast<std::byte*>(into), static_cast<std::size_t>(size));
                std::error_code failed;
                const std::size_t got =
                    read_at(open.cage->handle_of(open.part), room, static_cast<std::uint64_t>(offset), failed);
                if (failed) return open.cage->fail(unreadable(), SQLITE_IOERR_READ);
                std::ranges::fill(room.subspan(got), std::byte{});  // SQLite wants what lies behind the end as zeros
                return got == room.size() ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
            });
        };
        methods.xWrite = [](sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
            return sqlite_status_of([&] {
                const OpenPart& open = *reinterpret_cast<OpenPart*>(file);
                const std::span bytes(static_cast<const std::byte*>(from), static_cast<std::size_t>(size));
                return open.part == Part::database ? open.cage->write(bytes, static_cast<std::uint64_t>(offset)) : SQLITE_OK;
            });
        };
        methods.xTruncate = [](sqlite3_file* file, sqlite3_int64 size) {
            return sqlite_status_of([&] {
                const OpenPart& open = *reinterpret_cast<OpenPart*>(file);
                return open.part == Part::database ? open.cage->resize(static_cast<std::uint64_t>(size)) : SQLITE_OK;
            });
        };
        methods.xFileSize = [](sqlite3_file* file, sqlite3_int64* size) {
            return sqlite_status_of([&] {
                const OpenPart& open = *reinterpret_cast<OpenPart*>(file);
                std::error_code failed;
                const std::optional<FileState> state = state_of(open.cage->handle_of(open.part), failed);
                if (!state) return open.cage->fail(unreadable(), SQLITE_IOERR_FSTAT);
                *size = static_cast<sqlite3_int64>(state->size_bytes);
                return SQLITE_OK;
            });
        };
        // As on disks: until a journal says otherwise its sectors are taken to have 512 bytes.
        methods.xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; };
        return methods;
    }();
    return k_methods;
}

/// Reading a number of the first page makes SQLite look for a journal, the checkpoint moves what is in the WAL into the
/// database. Neither reads the schema, which may be anything.
Status JournalCage::apply(sqlite3* connection) {
    // Alone with the database, SQLite keeps the index of a WAL in its own memory.
    sqlite3_exec(connection, "PRAGMA locking_mode = EXCLUSIVE", nullptr, nullptr, nullptr);
    const int read = sqlite3_exec(connection, "PRAGMA user_version", nullptr, nullptr, nullptr);
    const int moved = sqlite3_wal_checkpoint_v2(connection, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
    if (!outsider_.empty()) {
        return Error{ErrorCode::bad_file,
                     fmt::format("has an unfinished transaction in its journal that involves another file ({}), as a "
                                 "transaction over several databases does; it is not rolled back, and the other file is not "
                                 "touched. To open the database as it is, move the journal away",
                                 outsider_)};
    }
    if (!status_) return status_;
    if (read == SQLITE_NOMEM || moved == SQLITE_NOMEM) return no_memory();  // before all pages were put back
    if (moved == SQLITE_CORRUPT)
        return Error{ErrorCode::bad_file,
                     "has a -wal file next to it that does not fit it, so the two do not belong together"};
    return {};
}

Result<std::optional<ScratchFile>> JournalCage::recover() {
    sqlite3* raw = nullptr;
    const int opened =
        sqlite3_open_v2(k_database_name.data(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, name_.c_str());
    const SqliteConnection connection(raw);
    if (opened != SQLITE_OK) return no_memory();
    if (Status applied = apply(raw); !applied) return applied.error();
    return std::move(copy_);
}

}  // namespace snapviewer
