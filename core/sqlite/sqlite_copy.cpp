#include "core/sqlite/sqlite_copy.h"

#include <filesystem>
#include <utility>

#include "core/base/plain_file.h"
#include "core/sqlite/journal_cage.h"

namespace snapviewer {
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
