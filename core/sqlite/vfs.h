#pragma once

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/input_files.h"
#include "core/base/result.h"
#include "core/system/files.h"

struct sqlite3_file;

namespace snapviewer {

/// The name of a file system for SQLite that knows no paths: a file is one that is open already, which is read only, or a
/// temporary one without a name. Temporary files, what a statement puts aside to sort, lie in SQLite's own memory and so are
/// counted. SQLite takes them for a disk's, sorts a piece at a time and can be stopped in between; told to sort in memory,
/// it would do all in one step that looks at nothing. Thread-safe.
const char* pathless_vfs();

/// The URI under which SQLite reads a database that is open already. Good as long as the handle; connections that are open
/// by then go on. Thread-safe.
std::string uri_of_open_file(const FileHandle& file);

/// Opens a temporary file into the memory that SQLite reserves for one, which is at least k_temporary_file_bytes. Returns an
/// SQLite result code.
int open_temporary_file(sqlite3_file* file);
inline constexpr int k_temporary_file_bytes = 64;

/// Lets SQLite apply the journals beside a database without letting it out: it would also open and delete files that a
/// journal names, and a stranger may have written the name. It sees the files under made-up names and no other file; what it
/// writes goes into a copy of the database, which is begun with the first write. Of one thread; stays where it was made.
class JournalCage {
public:
    /// `rollback` is the database's "-journal", `wal` its "-wal".
    JournalCage(PlainFile database, std::optional<PlainFile> rollback, std::optional<PlainFile> wal);
    JournalCage(const JournalCage&) = delete;
    JournalCage& operator=(const JournalCage&) = delete;
    ~JournalCage();

    /// The database with what its journals hold; none where that changes nothing. Where SQLite finds fault with its pages
    /// afterwards, readers tell. An error where a journal names another file, as that of a change of several databases at
    /// once does: whether such a change was finished cannot be known without looking for that file.
    Result<std::optional<ScratchFile>> recover();

private:
    enum class Part : std::uint8_t { database, rollback, wal };
    struct OpenPart;

    static std::optional<Part> part_of(std::string_view name);
    static JournalCage& cage_of(sqlite3_vfs* vfs);
    static int open_part(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* flags_out);
    static int has_part(sqlite3_vfs* vfs, const char* name, int flags, int* result);
    static int remove_part(sqlite3_vfs* vfs, const char* name, int sync_folder);
    static const sqlite3_io_methods& methods();

    bool has(Part part) const;
    const FileHandle& handle_of(Part part) const;
    int refuse(std::string_view name, int status);
    int fail(Error error, int status);
    int write(std::span<const std::byte> bytes, std::uint64_t offset);
    int resize(std::uint64_t bytes);
    Status begin_copy();
    Status apply(sqlite3* connection);

    PlainFile database_;
    std::array<std::optional<PlainFile>, 2> journals_;  ///< the rollback journal and the WAL, until SQLite takes them away
    std::optional<ScratchFile> copy_;
    std::string outsider_;  ///< a file that SQLite asked for and that is none of these
    Status status_;         ///< the first failure of reading or writing them
    std::string name_;      ///< of this file system, for SQLite
    sqlite3_vfs vfs_{};
};

/// The current state of a database that may have journals.
struct CurrentDatabase {
    std::optional<ScratchFile>
        /// A copy of the database with the changes in its journals; nullopt if the journals change nothing.
        copy;
    /// Suffix of a journal that was not read because it is not a regular file, such as "-wal"; else empty.
    std::string left_out;
};

/// Looks for journals beside a database, or beside the target if `path` is a link, and copies the database with their pages
/// applied. SQLite applies them inside a JournalCage. Writes nothing but the copy and opens no other file. Stops within 100
/// ms of a stop request.
Result<CurrentDatabase> absorb_journals(const std::string& path);

}  // namespace snapviewer
