#include "core/sqlite/sqlite_copy.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_copied_at_once_bytes = 4U << 20;
constexpr std::array k_journals = {"-wal", "-journal"};

Error cannot_copy(std::string_view why) {
    return {ErrorCode::io, fmt::format("has changes in a journal beside it, so a temporary copy is needed, but {}", why)};
}

Status copy_file(const std::string& from, const std::string& to, Progress* progress) {
    std::ifstream in(from, std::ios::binary);
    std::ofstream out(to, std::ios::binary);
    if (!in || !out) return cannot_copy("it cannot be made in " + to);
    std::vector<char> buffer(k_copied_at_once_bytes);
    while (in) {
        if (progress != nullptr && progress->stop_requested()) return Error{ErrorCode::cancelled, "stopped"};
        in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
        if (!out.write(buffer.data(), in.gcount())) return cannot_copy("there is no room for it in " + to);
    }
    out.close();
    if (in.bad() || !out) return cannot_copy("it could not be completed in " + to);
    return {};
}

/// Rolls back or checkpoints what the journals hold and leaves a file that needs none.
Status absorb_journals(const std::string& copy) {
    sqlite3* raw = nullptr;
    int status = sqlite3_open_v2(copy.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    const std::unique_ptr<sqlite3, decltype(&sqlite3_close_v2)> connection(raw, sqlite3_close_v2);
    // Triggers and views of the file must not run while its copy can be written.
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    // Reading rolls an interrupted change back; leaving WAL mode moves finished ones into the file.
    for (const char* sql :
         {"PRAGMA cell_size_check = 1", "SELECT count(*) FROM sqlite_master", "PRAGMA journal_mode = DELETE"}) {
        if (status == SQLITE_OK) status = sqlite3_exec(raw, sql, nullptr, nullptr, nullptr);
    }
    if (status == SQLITE_OK) return {};
    return Error{ErrorCode::bad_file,
                 fmt::format("has changes in a journal beside it that SQLite cannot apply: {}", sqlite3_errmsg(raw))};
}

}  // namespace

Result<std::unique_ptr<ScratchFolder>> ScratchFolder::create() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    if (error) return Error{ErrorCode::io, fmt::format("there is no folder for temporary files: {}", error.message())};
    std::random_device random;
    for (int attempt = 0; attempt < 16; ++attempt) {
        const fs::path path = parent / fmt::format("snapviewer-{:08x}{:08x}", random(), random());
        if (!fs::create_directory(path, error)) continue;
        fs::permissions(path, fs::perms::owner_all, error);
        return std::unique_ptr<ScratchFolder>(new ScratchFolder(path.string()));
    }
    return Error{ErrorCode::io, fmt::format("no folder can be made in {}: {}", parent.string(), error.message())};
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

bool has_hot_journal(const std::string& path) {
    for (const char* ending : k_journals) {
        std::error_code error;
        const std::uintmax_t size_bytes = fs::file_size(path + ending, error);
        if (!error && size_bytes > 0) return true;
    }
    return false;
}

Result<std::string> copy_up_to_date(const std::string& path, const ScratchFolder& folder, Progress* progress) {
    const std::string copy = (fs::path(folder.path()) / "copy.db").string();
    if (Status copied = copy_file(path, copy, progress); !copied) return copied.error();
    for (const char* ending : k_journals) {
        std::error_code error;
        if (!fs::exists(path + ending, error)) continue;
        if (Status copied = copy_file(path + ending, copy + ending, progress); !copied) return copied.error();
    }
    if (Status absorbed = absorb_journals(copy); !absorbed) return absorbed.error();
    return copy;
}

}  // namespace snapviewer
