#include "core/sqlite/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/system/threads.h"

namespace snapviewer::sqlite {
namespace {

/// A file that SQLite has open. The methods return SQLite result codes and may throw.
class VfsFile {
public:
    VfsFile() = default;
    VfsFile(const VfsFile&) = delete;
    VfsFile& operator=(const VfsFile&) = delete;
    virtual ~VfsFile() = default;

    /// Reads all of `into`, or sets the rest to zeros and returns SQLITE_IOERR_SHORT_READ.
    virtual int read(std::span<std::byte> into, std::uint64_t offset) = 0;
    virtual int write(std::span<const std::byte>, std::uint64_t /*offset*/) { return SQLITE_READONLY; }
    virtual int truncate(std::uint64_t /*bytes*/) { return SQLITE_READONLY; }
    virtual int get_size(std::uint64_t& bytes) = 0;
    /// Returns flags SQLITE_IOCAP_….
    virtual int traits() const = 0;
};

/// The object of SQLite's C interface for an open file. SQLite allocates it.
struct OpenFile {
    sqlite3_file base;
    VfsFile* file;
};

VfsFile& vfs_file(sqlite3_file* file) { return *reinterpret_cast<OpenFile*>(file)->file; }

int close_file(sqlite3_file* file) {
    delete &vfs_file(file);
    return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* into, int size, sqlite3_int64 offset) {
    return vfs_file(file).read({static_cast<std::byte*>(into), static_cast<std::size_t>(size)},
                               static_cast<std::uint64_t>(offset));
}

int write_file(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
    return vfs_file(file).write({static_cast<const std::byte*>(from), static_cast<std::size_t>(size)},
                                static_cast<std::uint64_t>(offset));
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
    return vfs_file(file).truncate(static_cast<std::uint64_t>(size));
}

int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
    std::uint64_t bytes = 0;
    const int status = vfs_file(file).get_size(bytes);
    *size = static_cast<sqlite3_int64>(bytes);
    return status;
}

/// Locking and syncing are no-ops, because the files are private or never change.
constexpr sqlite3_io_methods k_methods = [] {
    sqlite3_io_methods methods{};
    methods.iVersion = 1;  // version 1 has no methods for shared memory and mapping
    methods.xClose = close_file;
    methods.xRead = sqlite_callback<read_file>;
    methods.xWrite = sqlite_callback<write_file>;
    methods.xTruncate = sqlite_callback<truncate_file>;
    methods.xSync = [](sqlite3_file*, int) { return SQLITE_OK; };
    methods.xFileSize = sqlite_callback<size_of_file>;
    methods.xLock = [](sqlite3_file*, int) { return SQLITE_OK; };
    methods.xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; };
    methods.xCheckReservedLock = [](sqlite3_file*, int* is_reserved) {
        *is_reserved = 0;
        return SQLITE_OK;
    };
    methods.xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; };
    methods.xSectorSize = [](sqlite3_file*) { return 4096; };
    methods.xDeviceCharacteristics = [](sqlite3_file* file) { return vfs_file(file).traits(); };
    return methods;
}();

int open_as(sqlite3_file* file, std::unique_ptr<VfsFile> opened) {
    reinterpret_cast<OpenFile*>(file)->file = opened.release();
    file->pMethods = &k_methods;
    return SQLITE_OK;
}

/// Fills the rest of `into` after `got` bytes with zeros, as SQLite requires.
int end_read(std::span<std::byte> into, std::size_t got) {
    std::ranges::fill(into.subspan(got), std::byte{});
    return got == into.size() ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

/// A file without a name in SQLite's memory.
class PrivateFile final : public VfsFile {
public:
    int read(std::span<std::byte> into, std::uint64_t offset) override {
        const std::uint64_t from = std::min(offset, size_bytes_);
        const std::size_t there = std::min<std::uint64_t>(into.size(), size_bytes_ - from);
        std::byte* to = into.data();
        for_each_part(from, there, [&](const std::byte* part, std::size_t bytes) {
            std::memcpy(to, part, bytes);
            to += bytes;
        });
        return end_read(into, there);
    }
    int write(std::span<const std::byte> bytes, std::uint64_t offset) override {
        while (pieces_.size() * k_piece_bytes < offset + bytes.size()) {
            Piece piece(static_cast<std::byte*>(sqlite3_malloc64(k_piece_bytes)));
            if (!piece) return SQLITE_NOMEM;
            std::memset(piece.get(), 0, k_piece_bytes);
            pieces_.push_back(std::move(piece));
        }
        size_bytes_ = std::max<std::uint64_t>(size_bytes_, offset + bytes.size());
        const std::byte* from = bytes.data();
        for_each_part(offset, bytes.size(), [&](std::byte* part, std::size_t part_bytes) {
            std::memcpy(part, from, part_bytes);
            from += part_bytes;
        });
        return SQLITE_OK;
    }
    int truncate(std::uint64_t bytes) override {
        size_bytes_ = std::min(size_bytes_, bytes);
        pieces_.resize((size_bytes_ + k_piece_bytes - 1) / k_piece_bytes);
        // A later write after the end leaves a gap, which reads as zeros.
        const std::size_t in_last_piece = size_bytes_ % k_piece_bytes;
        if (in_last_piece != 0) std::memset(pieces_.back().get() + in_last_piece, 0, k_piece_bytes - in_last_piece);
        return SQLITE_OK;
    }
    int get_size(std::uint64_t& bytes) override {
        bytes = size_bytes_;
        return SQLITE_OK;
    }
    int traits() const override { return SQLITE_IOCAP_SAFE_APPEND | SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

private:
    struct Free {
        void operator()(std::byte* piece) const { sqlite3_free(piece); }
    };
    using Piece = std::unique_ptr<std::byte, Free>;
    static constexpr std::size_t k_piece_bytes = 64 * 1024;

    /// Calls `use(part, bytes)` for each part of a range that is in one piece.
    template <typename Use>
    void for_each_part(std::uint64_t offset, std::size_t size, Use use) {
        while (size > 0) {
            const std::size_t in_piece = offset % k_piece_bytes;
            const std::size_t bytes = std::min(size, k_piece_bytes - in_piece);
            use(pieces_[offset / k_piece_bytes].get() + in_piece, bytes);
            offset += bytes;
            size -= bytes;
        }
    }

    std::vector<Piece> pieces_;
    std::uint64_t size_bytes_ = 0;
};

int read_handle(const FileHandle& handle, std::span<std::byte> into, std::uint64_t offset) {
    std::error_code failed;
    const std::size_t got = read_at(handle, into, offset, failed);
    return failed ? SQLITE_IOERR_READ : end_read(into, got);
}

int size_of_handle(const FileHandle& handle, std::uint64_t& bytes) {
    std::error_code failed;
    const std::optional<FileState> state = state_of(handle, failed);
    if (!state) return SQLITE_IOERR_FSTAT;
    bytes = state->size_bytes;
    return SQLITE_OK;
}

/// A file that is open already, for reading.
class ReadOnlyFile final : public VfsFile {
public:
    explicit ReadOnlyFile(FileHandle handle) : handle_(std::move(handle)) {}
    int read(std::span<std::byte> into, std::uint64_t offset) override { return read_handle(handle_, into, offset); }
    int get_size(std::uint64_t& bytes) override { return size_of_handle(handle_, bytes); }
    int traits() const override { return SQLITE_IOCAP_IMMUTABLE; }

private:
    FileHandle handle_;
};

constexpr std::string_view k_database_name = "/database";
/// Maximum length of a file name. SQLite reads the name at the end of a journal into the buffer of a page, and the smallest
/// page has 512 bytes.
constexpr int k_max_name_bytes = 512;
constexpr std::size_t k_copy_step_bytes = 4U << 20;

Error unreadable() { return {ErrorCode::io, "could not be read to the end"}; }
Error no_memory() { return {ErrorCode::memory, "needs more memory than is available"}; }

/// Copies everything but holes.
Status copy_data(const PlainFile& from, ScratchFile& to) {
    const std::uint64_t size = from.info().size_bytes;
    std::vector<std::byte> buffer(k_copy_step_bytes);
    std::uint64_t at = 0;
    while (at < size) {
        const std::optional<FilePart> part = next_data_part(from.handle(), at, size);
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

/// Lets SQLite apply the journals beside a database. While an object exists, SQLite sees on this thread only the database
/// and its journals, under made-up names, and temporary files. Writes go into a copy of the database, which is made by the
/// first write; the journals are never written. At most one object per thread.
class JournalScope {
public:
    JournalScope(PlainFile database, std::optional<PlainFile> rollback, std::optional<PlainFile> wal)
        : database_(std::move(database)), rollback_(std::move(rollback)), wal_(std::move(wal)) {
        assert(of_this_thread() == nullptr);
        of_this_thread() = this;
    }
    JournalScope(const JournalScope&) = delete;
    JournalScope& operator=(const JournalScope&) = delete;
    ~JournalScope() { of_this_thread() = nullptr; }

    /// The object of the calling thread or null. A WebAssembly program that is linked without threads does not support
    /// thread_local, so it uses a static variable.
    static JournalScope*& of_this_thread() {
        static JournalScope* alone = nullptr;
        thread_local JournalScope* of_thread = nullptr;
        return has_threads() ? of_thread : alone;
    }

    /// Applies the journals. Returns the copy; nullopt if the journals change nothing.
    Result<std::optional<ScratchFile>> recover();

    // Callbacks of the file system.
    int open(const char* name, sqlite3_file* file, int flags, int* flags_out);
    int has(const char* name, int& result);
    int remove(const char* name);

private:
    class Part;

    /// The journal with this name, which may be absent; null for every other name.
    std::optional<PlainFile>* journal(std::string_view name) {
        if (!name.starts_with(k_database_name)) return nullptr;
        const std::string_view suffix = name.substr(k_database_name.size());
        return suffix == "-journal" ? &rollback_ : suffix == "-wal" ? &wal_ : nullptr;
    }
    int refuse(std::string_view name, int status) {
        other_file_ = name;
        return status;
    }
    int fail(Error error, int status) {
        if (status_) status_ = std::move(error);
        return status;
    }
    int write(std::span<const std::byte> bytes, std::uint64_t offset);
    int resize(std::uint64_t bytes);
    Status begin_copy();
    Status apply(sqlite3* connection);

    PlainFile database_;
    std::optional<PlainFile> rollback_, wal_;  ///< the journals, until SQLite deletes them
    std::optional<ScratchFile> copy_;
    std::string other_file_;  ///< name of a further file that SQLite has asked for
    Status status_;           ///< the first failure of reading or writing
};

/// The database (null `journal`) or one of its journals.
class JournalScope::Part final : public VfsFile {
public:
    Part(JournalScope& cage, const std::optional<PlainFile>* journal) : journal_scope_(cage), journal_(journal) {}

    int read(std::span<std::byte> into, std::uint64_t offset) override {
        if (must_stop()) return journal_scope_.fail(stop_error(), SQLITE_IOERR_READ);
        const int status = read_handle(handle(), into, offset);
        return status == SQLITE_IOERR_READ ? journal_scope_.fail(unreadable(), status) : status;
    }
    int write(std::span<const std::byte> bytes, std::uint64_t offset) override {
        return journal_ == nullptr ? journal_scope_.write(bytes, offset) : SQLITE_OK;
    }
    int truncate(std::uint64_t bytes) override { return journal_ == nullptr ? journal_scope_.resize(bytes) : SQLITE_OK; }
    int get_size(std::uint64_t& bytes) override {
        const int status = size_of_handle(handle(), bytes);
        return status == SQLITE_OK ? status : journal_scope_.fail(unreadable(), status);
    }
    /// Declares power-safe overwriting, as for files on disks. SQLite then assumes sectors of 512 bytes for a journal that
    /// does not state the size.
    int traits() const override { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

private:
    const FileHandle& handle() const {
        if (journal_ != nullptr) return (*journal_)->handle();
        return journal_scope_.copy_ ? journal_scope_.copy_->handle() : journal_scope_.database_.handle();
    }

    JournalScope& journal_scope_;
    const std::optional<PlainFile>* journal_;
};

int JournalScope::open(const char* name, sqlite3_file* file, int flags, int* flags_out) {
    const auto* const found = journal(name);
    const bool is_known = found != nullptr || name == k_database_name;
    if (!is_known || (flags & SQLITE_OPEN_SUPER_JOURNAL) != 0) return refuse(name, SQLITE_CANTOPEN);
    if (flags_out != nullptr) *flags_out = flags;
    if (found != nullptr && !*found) return open_as(file, std::make_unique<PrivateFile>());
    return open_as(file, std::make_unique<Part>(*this, found));
}

int JournalScope::has(const char* name, int& result) {
    const auto* const found = journal(name);
    const bool is_database = name == k_database_name;
    result = is_database || (found != nullptr && *found) ? 1 : 0;
    return is_database || found != nullptr ? SQLITE_OK : refuse(name, SQLITE_IOERR_ACCESS);
}

int JournalScope::remove(const char* name) {
    auto* const found = journal(name);
    if (found == nullptr) return refuse(name, SQLITE_IOERR_DELETE);
    found->reset();
    return SQLITE_OK;
}

Status JournalScope::begin_copy() {
    if (copy_) return {};
    std::uint64_t expected_bytes = database_.info().on_disk_bytes;
    for (const auto* journal : {&rollback_, &wal_}) expected_bytes += *journal ? (*journal)->info().on_disk_bytes : 0;
    Result<ScratchFile> copy = ScratchFile::create(expected_bytes);
    if (!copy) return copy.error();
    if (Status copied = copy_data(database_, *copy); !copied) return copied;
    copy_ = *std::move(copy);
    return {};
}

int JournalScope::write(std::span<const std::byte> bytes, std::uint64_t offset) {
    if (must_stop()) return fail(stop_error(), SQLITE_IOERR_WRITE);
    const std::uint64_t size = copy_ ? copy_->size_bytes() : database_.info().size_bytes;
    // Zeros far behind the end make the database as long as a journal says it was. A truncated database stays short.
    if (offset > size && std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{}; })) return SQLITE_OK;
    Status written = begin_copy();
    if (written) written = copy_->write(bytes, offset);
    return written ? SQLITE_OK : fail(written.error(), SQLITE_IOERR_WRITE);
}

int JournalScope::resize(std::uint64_t bytes) {
    Status resized = begin_copy();
    if (resized) resized = copy_->resize(bytes);
    return resized ? SQLITE_OK : fail(resized.error(), SQLITE_IOERR_TRUNCATE);
}

/// Reading a number of the first page makes SQLite search for a rollback journal; the checkpoint moves the pages of the WAL
/// into the database. Neither reads the schema, which may contain anything.
Status JournalScope::apply(sqlite3* connection) {
    // If a connection locks its file exclusively, SQLite keeps the index of the WAL in its own memory.
    sqlite3_exec(connection, "PRAGMA locking_mode = EXCLUSIVE", nullptr, nullptr, nullptr);
    const int read = sqlite3_exec(connection, "PRAGMA user_version", nullptr, nullptr, nullptr);
    const int moved = sqlite3_wal_checkpoint_v2(connection, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
    if (!other_file_.empty()) {
        return Error{ErrorCode::bad_file,
                     fmt::format("has an unfinished transaction in its journal that involves another file ({}), as a "
                                 "transaction over several databases does; it is not rolled back, and the other file is not "
                                 "touched. To open the database as it is, move the journal away",
                                 other_file_)};
    }
    if (!status_) return status_;
    if (read == SQLITE_NOMEM || moved == SQLITE_NOMEM) return no_memory();  // memory ran out before all pages were put back
    if (moved == SQLITE_CORRUPT)
        return Error{ErrorCode::bad_file,
                     "has a -wal file next to it that does not fit it, so the two do not belong together"};
    return {};
}

Result<std::optional<ScratchFile>> JournalScope::recover() {
    sqlite3* raw = nullptr;
    const int opened =
        sqlite3_open_v2(k_database_name.data(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, pathless_vfs());
    const SqliteConnection connection(raw);
    if (opened != SQLITE_OK) return no_memory();
    if (Status applied = apply(raw); !applied) return applied.error();
    return std::move(copy_);
}

// --- methods of the file system ---

/// Opens a temporary file, a file of the thread's JournalScope, or "/7", which is the open file of number 7.
int open_path(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* flags_out) {
    file->pMethods = nullptr;
    if (name == nullptr) return open_as(file, std::make_unique<PrivateFile>());
    if (JournalScope* const cage = JournalScope::of_this_thread()) return cage->open(name, file, flags, flags_out);
    const std::string_view path = name;
    if ((flags & SQLITE_OPEN_MAIN_DB) == 0 || !path.starts_with('/')) return SQLITE_CANTOPEN;
    const auto number = parse_number<std::intptr_t>(path.substr(1));
    if (!number) return SQLITE_CANTOPEN;
    FileHandle own = open_again(*number);
    if (!own.is_open()) return SQLITE_CANTOPEN;
    if (flags_out != nullptr) *flags_out = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
    return open_as(file, std::make_unique<ReadOnlyFile>(std::move(own)));
}

int delete_path(sqlite3_vfs*, const char* name, int) {
    JournalScope* const cage = JournalScope::of_this_thread();
    return cage == nullptr ? SQLITE_READONLY : cage->remove(name);
}

int has_path(sqlite3_vfs*, const char* name, int, int* result) {
    *result = 0;
    JournalScope* const cage = JournalScope::of_this_thread();
    return cage == nullptr ? SQLITE_OK : cage->has(name, *result);
}

int full_path(sqlite3_vfs*, const char* name, int size, char* out) {
    sqlite3_snprintf(size, out, "%s", name);
    return SQLITE_OK;
}

bool register_vfs(const char* name) {
    const sqlite3_vfs* usual = sqlite3_vfs_find(nullptr);
    if (usual == nullptr) return false;
    static sqlite3_vfs vfs = *usual;  // keeps the functions for time and random numbers
    vfs.pNext = nullptr;
    vfs.iVersion = 2;
    vfs.szOsFile = sizeof(OpenFile);
    vfs.mxPathname = k_max_name_bytes;
    vfs.zName = name;
    vfs.xOpen = sqlite_callback<open_path>;
    vfs.xDelete = sqlite_callback<delete_path>;
    vfs.xAccess = sqlite_callback<has_path>;
    vfs.xFullPathname = full_path;
    return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK;
}

/// Opens the journal with the suffix `ending`, if it exists. Sets `left_out` if it is not a regular file.
std::optional<PlainFile> find_journal(const std::string& path, const char* ending, std::string& left_out) {
    std::error_code error;
    const std::string name = path + ending;
    if (!std::filesystem::exists(std::filesystem::symlink_status(name, error))) return std::nullopt;
    Result<PlainFile> file = PlainFile::open(name, PlainFile::Links::refuse);
    if (file) return *std::move(file);
    left_out = ending;
    return std::nullopt;
}

}  // namespace

const char* pathless_vfs() {
    static constexpr const char* k_name = "snapviewer-pathless";
    [[maybe_unused]] static const bool is_registered = register_vfs(k_name);
    return k_name;
}

std::string uri_of_open_file(const FileHandle& file) {
    return fmt::format("file:///{}?vfs={}&mode=ro&immutable=1", file.number(), pathless_vfs());
}

Result<CurrentDatabase> absorb_journals(const std::string& path) {
    CurrentDatabase current;
    std::error_code error;
    const std::filesystem::path target = std::filesystem::canonical(path, error);
    const std::string real = error ? path : target.string();
    std::optional<PlainFile> rollback = find_journal(real, "-journal", current.left_out);
    std::optional<PlainFile> wal = find_journal(real, "-wal", current.left_out);
    if (!rollback && !wal) return current;
    Result<PlainFile> database = PlainFile::open(real, PlainFile::Links::follow);
    if (!database) return database.error();
    JournalScope cage(*std::move(database), std::move(rollback), std::move(wal));
    Result<std::optional<ScratchFile>> copy = cage.recover();
    if (!copy) return copy.error();
    current.copy = *std::move(copy);
    return current;
}

}  // namespace snapviewer::sqlite
