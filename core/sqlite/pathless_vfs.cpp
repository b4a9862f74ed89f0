#include "core/sqlite/pathless_vfs.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/number_text.h"
#include "core/sqlite/sqlite_handles.h"
#include "core/sqlite/unshared_files.h"
#include "core/system/files.h"

namespace snapviewer {
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

}  // namespace snapviewer
