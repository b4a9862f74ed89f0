#include "core/sqlite/temporary_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace snapviewer {
namespace {

constexpr const char* k_temporary_vfs = "snapviewer-temporary";
constexpr std::size_t k_memory_piece_bytes = 64 * 1024;

struct GiveBack {
    void operator()(char* piece) const { sqlite3_free(piece); }
};
using Piece = std::unique_ptr<char, GiveBack>;

struct Content {
    std::vector<Piece> pieces;
    std::size_t size_bytes = 0;
};

/// What SQLite keeps of an open file.
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
    try {
        if (!grow(content, to + static_cast<std::size_t>(size))) return SQLITE_IOERR_NOMEM;
    } catch (const std::bad_alloc&) {
        return SQLITE_IOERR_NOMEM;
    }
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

const sqlite3_io_methods k_temporary_methods = {
    .iVersion = 1,
    .xClose = close_temporary,
    .xRead = read_temporary,
    .xWrite = write_temporary,
    .xTruncate = truncate_temporary,
    .xSync = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xFileSize = size_of_temporary,
    .xLock = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xCheckReservedLock =
        [](sqlite3_file*, int* is_reserved) {
            *is_reserved = 0;
            return SQLITE_OK;
        },
    .xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; },
    .xSectorSize = [](sqlite3_file*) { return 4096; },
    .xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_SAFE_APPEND | SQLITE_IOCAP_POWERSAFE_OVERWRITE; },
    // Of later versions: memory shared with other programs.
    .xShmMap = nullptr,
    .xShmLock = nullptr,
    .xShmBarrier = nullptr,
    .xShmUnmap = nullptr,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

sqlite3_vfs* usual_vfs() {
    static sqlite3_vfs* const usual = sqlite3_vfs_find(nullptr);
    return usual;
}

int open_any(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* flags_out) {
    if (name != nullptr) return usual_vfs()->xOpen(usual_vfs(), name, file, flags, flags_out);
    if (flags_out != nullptr) *flags_out = flags;
    return open_temporary_file(file);
}

bool register_temporary_vfs() {
    if (usual_vfs() == nullptr) return false;
    static sqlite3_vfs vfs = *usual_vfs();
    vfs.pNext = nullptr;
    vfs.szOsFile = std::max(vfs.szOsFile, k_temporary_file_bytes);
    vfs.zName = k_temporary_vfs;
    vfs.xOpen = open_any;
    return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK;
}

}  // namespace

const char* temporary_vfs() {
    [[maybe_unused]] static const bool is_registered = register_temporary_vfs();
    return k_temporary_vfs;
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
