#include "core/sqlite/vfs.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/context.h"
#include "core/base/input_files.h"
#include "core/base/number_text.h"
#include "core/sqlite/connection.h"
#include "core/system/files.h"

namespace snapviewer {
namespace {

/// SQLite file methods for private files: locking and syncing are no-ops. The caller sets the methods for reading, writing
/// and closing.
constexpr sqlite3_io_methods methods_of_unshared_files() {
    sqlite3_io_methods methods{};  // version 1 lacks the methods for shared memory and mapping
    methods.iVersion = 1;
    methods.xSync = [](sqlite3_file*, int) { return SQLITE_OK; };
    methods.xLock = [](sqlite3_file*, int) { return SQLITE_OK; };
    methods.xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; };
    methods.xCheckReservedLock = [](sqlite3_file*, int* is_reserved) {
        *is_reserved = 0;
        return SQLITE_OK;
    };
    methods.xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; };
    methods.xSectorSize = [](sqlite3_file*) { return 4096; };
    return methods;
}

}  // namespace
namespace {

constexpr const char* k_name = "snapviewer-pathless";
constexpr int k_longest_path = 32;
constexpr std::size_t k_memory_piece_bytes = 64 * 1024;

struct GiveBack {
    void operator()(char* piece) const { sqlite3_free(piece); }
};
using Piece = std::unique_ptr<char, GiveBack>;

struct Content {
    std::vector<Piece> pieces;
    std::size_t size_bytes = 0;
};

/// What SQLite keeps of an open temporary file.
struct PrivateFile {
    sqlite3_file base;
    Content* content;
};
static_assert(sizeof(PrivateFile) <= k_temporary_file_bytes);

Content& content_of(sqlite3_file* file) { return *reinterpret_cast<PrivateFile*>(file)->content; }

/// Calls `part(piece, bytes)` for each stretch of a file that lies in one piece.
template <typename Part>
void for_each_part(Content& content, std::size_t offset, std::size_t size, Part part) {
    while (size > 0) {
        const std::size_t in_piece = offset % k_memory_piece_bytes;
        const std::size_t bytes = std::min(size, k_memory_piece_bytes - in_piece);
        part(content.pieces[offset / k_memory_piece_bytes].get() + in_piece, bytes);
        offset += bytes;
        size -= bytes;
    }
}

int close_temporary(sqlite3_file* file) {
    delete &content_of(file);
    return SQLITE_OK;
}

int read_temporary(sqlite3_file* file, void* into, int size, sqlite3_int64 offset) {
    Content& content = content_of(file);
    const auto from = std::min(static_cast<std::size_t>(offset), content.size_bytes);
    const auto wanted = static_cast<std::size_t>(size);
    const std::size_t there = std::min(wanted, content.size_bytes - from);
    auto* to = static_cast<char*>(into);
    for_each_part(content, from, there, [&](const char* piece, std::size_t bytes) {
        std::memcpy(to, piece, bytes);
        to += bytes;
    });
    std::memset(to, 0, wanted - there);  // SQLite wants what lies behind the end as zeros
    return there == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

bool grow(Content& content, std::size_t size_bytes) {
    while (content.pieces.size() * k_memory_piece_bytes < size_bytes) {
        Piece piece(static_cast<char*>(sqlite3_malloc64(k_memory_piece_bytes)));
        if (!piece) return false;
        std::memset(piece.get(), 0, k_memory_piece_bytes);
        content.pieces.push_back(std::move(piece));
    }
    content.size_bytes = std::max(content.size_bytes, size_bytes);
    return true;
}

int write_temporary(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
    Content& content = content_of(file);
    const auto to = static_cast<std::size_t>(offset);
    if (!grow(content, to + static_cast<std::size_t>(size))) return SQLITE_NOMEM;
    const auto* from = static_cast<const char*>(bytes);
    for_each_part(content, to, static_cast<std::size_t>(size), [&](char* piece, std::size_t part_bytes) {
        std::memcpy(piece, from, part_bytes);
        from += part_bytes;
    });
    return SQLITE_OK;
}

int truncate_temporary(sqlite3_file* file, sqlite3_int64 size) {
    Content& content = content_of(file);
    content.size_bytes = std::min(content.size_bytes, static_cast<std::size_t>(size));
    content.pieces.resize((content.size_bytes + k_memory_piece_bytes - 1) / k_memory_piece_bytes);
    // A later write further behind leaves a gap, which reads as zeros.
    const std::size_t in_last_piece = content.size_bytes % k_memory_piece_bytes;
    if (in_last_piece != 0)
        std::memset(content.pieces.back().get() + in_last_piece, 0, k_memory_piece_bytes - in_last_piece);
    return SQLITE_OK;
}

int size_of_temporary(sqlite3_file* file, sqlite3_int64* size) {
    *size = static_cast<sqlite3_int64>(content_of(file).size_bytes);
    return SQLITE_OK;
}

/// What SQLite keeps of an open file; it reserves the memory.
struct OpenFile {
    sqlite3_file base;
    FileHandle handle;
};

FileHandle& handle_of(sqlite3_file* file) { return reinterpret_cast<OpenFile*>(file)->handle; }

int close_file(sqlite3_file* file) {
    std::destroy_at(&handle_of(file));
    return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* into, int size, sqlite3_int64 offset) {
    const std::span<std::byte> room(static_cast<std::byte*>(into), static_cast<std::size_t>(size));
    std::error_code failed;
    const std::size_t got = read_at(handle_of(file), room, static_cast<std::uint64_t>(offset), failed);
    if (failed) return SQLITE_IOERR_READ;
    std::ranges::fill(room.subspan(got), std::byte{});  // SQLite wants what lies behind the end as zeros
    return got == room.size() ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
    std::error_code failed;
    const std::optional<FileState> state = state_of(handle_of(file), failed);
    if (!state) return SQLITE_IOERR_FSTAT;
    *size = static_cast<sqlite3_int64>(state->size_bytes);
    return SQLITE_OK;
}

constexpr sqlite3_io_methods k_temporary_methods = [] {
    sqlite3_io_methods methods = methods_of_unshared_files();
    methods.xClose = close_temporary;
    methods.xRead = read_temporary;
    methods.xWrite = sqlite_callback<write_temporary>;
    methods.xTruncate = truncate_temporary;
    methods.xFileSize = size_of_temporary;
    methods.xDeviceCharacteristics = [](sqlite3_file*) {
        return SQLITE_IOCAP_SAFE_APPEND | SQLITE_IOCAP_POWERSAFE_OVERWRITE;
    };
    return methods;
}();

constexpr sqlite3_io_methods k_file_methods = [] {
    sqlite3_io_methods methods = methods_of_unshared_files();
    methods.xClose = close_file;
    methods.xRead = read_file;
    methods.xWrite = [](sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; };
    methods.xTruncate = [](sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; };
    methods.xFileSize = size_of_file;
    methods.xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_IMMUTABLE; };
    return methods;
}();

/// Opens "/7", which is the open file of number 7, or a temporary file, and nothing else: no journal.
int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* flags_out) {
    file->pMethods = nullptr;
    if (name == nullptr) return open_temporary_file(file);
    const std::string_view path = name;
    if ((flags & SQLITE_OPEN_MAIN_DB) == 0 || !path.starts_with('/')) return SQLITE_CANTOPEN;
    const auto number = parse_number<std::intptr_t>(path.substr(1));
    if (!number) return SQLITE_CANTOPEN;
    FileHandle own = open_again(*number);
    if (!own.is_open()) return SQLITE_CANTOPEN;
    std::construct_at(&handle_of(file), std::move(own));
    file->pMethods = &k_file_methods;
    if (flags_out != nullptr) *flags_out = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
    return SQLITE_OK;
}

int is_there(sqlite3_vfs*, const char*, int, int* result) {
    *result = 0;
    return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* name, int size, char* out) {
    sqlite3_snprintf(size, out, "%s", name);
    return SQLITE_OK;
}

bool register_vfs() {
    const sqlite3_vfs* usual = sqlite3_vfs_find(nullptr);
    if (usual == nullptr) return false;
    static sqlite3_vfs vfs = *usual;  // time and chance are as usual
    vfs.pNext = nullptr;
    vfs.iVersion = 2;
    vfs.szOsFile = std::max<int>(sizeof(OpenFile), k_temporary_file_bytes);
    vfs.mxPathname = k_longest_path;
    vfs.zName = k_name;
    vfs.xOpen = open_file;
    vfs.xDelete = [](sqlite3_vfs*, const char*, int) { return SQLITE_READONLY; };
    vfs.xAccess = is_there;
    vfs.xFullPathname = full_path;
    return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK;
}

}  // namespace

const char* pathless_vfs() {
    [[maybe_unused]] static const bool is_registered = register_vfs();
    return k_name;
}

std::string uri_of_open_file(const FileHandle& file) {
    return fmt::format("file:///{}?vfs={}&mode=ro&immutable=1", file.number(), pathless_vfs());
}

int open_temporary_file(sqlite3_file* file) {
    file->pMethods = nullptr;
    auto* content = new (std::nothrow) Content;
    if (content == nullptr) return SQLITE_NOMEM;
    reinterpret_cast<PrivateFile*>(file)->content = content;
    file->pMethods = &k_temporary_methods;
    return SQLITE_OK;
}

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

namespace {

namespace fs = std::filesystem;

/// Opens the journal with the suffix `ending`, if it exists. Sets `left_out` if it is not a regular file.
std::optional<PlainFile> find_journal(const std::string& path, const char* ending, std::string& left_out) {
    std::error_code error;
    const std::string name = path + ending;
    if (!fs::exists(fs::symlink_status(name, error))) return std::nullopt;
    Result<PlainFile> file = PlainFile::open(name, PlainFile::Links::refuse);
    if (file) return *std::move(file);
    left_out = ending;
    return std::nullopt;
}

}  // namespace

Result<CurrentDatabase> absorb_journals(const std::string& path) {
    CurrentDatabase current;
    std::error_code error;
    const fs::path target = fs::canonical(path, error);
    const std::string real = error ? path : target.string();
    std::optional<PlainFile> rollback = find_journal(real, "-journal", current.left_out);
    std::optional<PlainFile> wal = find_journal(real, "-wal", current.left_out);
    if (!rollback && !wal) return current;
    Result<PlainFile> database = PlainFile::open(real, PlainFile::Links::follow);
    if (!database) return database.error();
    JournalCage cage(*std::move(database), std::move(rollback), std::move(wal));
    Result<std::optional<ScratchFile>> copy = cage.recover();
    if (!copy) return copy.error();
    current.copy = *std::move(copy);
    return current;
}

}  // namespace snapviewer
