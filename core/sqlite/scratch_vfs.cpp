#include "core/sqlite/scratch_vfs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "core/sqlite/temporary_vfs.h"

namespace snapviewer {
namespace {

constexpr const char* k_name = "snapviewer-open";
constexpr int k_longest_path = 32;

/// What SQLite keeps of an open file; it reserves the memory.
struct OpenDescriptor {
    sqlite3_file base;
    int descriptor;
};

int descriptor_of(sqlite3_file* file) { return reinterpret_cast<OpenDescriptor*>(file)->descriptor; }

int close_file(sqlite3_file* file) {
    ::close(descriptor_of(file));
    return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* into, int size, sqlite3_int64 offset) {
    auto* at = static_cast<char*>(into);
    auto left = static_cast<std::size_t>(size);
    while (left > 0) {
        const ssize_t got = ::pread(descriptor_of(file), at, left, offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return SQLITE_IOERR_READ;
        if (got == 0) break;
        at += got;
        offset += got;
        left -= static_cast<std::size_t>(got);
    }
    std::memset(at, 0, left);  // SQLite wants what lies behind the end as zeros
    return left == 0 ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
    struct stat info {};
    if (::fstat(descriptor_of(file), &info) != 0) return SQLITE_IOERR_FSTAT;
    *size = info.st_size;
    return SQLITE_OK;
}

const sqlite3_io_methods k_methods = {
    .iVersion = 1,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = [](sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; },
    .xTruncate = [](sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; },
    .xSync = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xFileSize = size_of_file,
    .xLock = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xCheckReservedLock =
        [](sqlite3_file*, int* is_reserved) {
            *is_reserved = 0;
            return SQLITE_OK;
        },
    .xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; },
    .xSectorSize = [](sqlite3_file*) { return 4096; },
    .xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_IMMUTABLE; },
    // Of later versions: memory shared with other programs.
    .xShmMap = nullptr,
    .xShmLock = nullptr,
    .xShmBarrier = nullptr,
    .xShmUnmap = nullptr,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

/// Opens "/7", which is descriptor 7, or a temporary file, and nothing else: no journal.
int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* flags_out) {
    file->pMethods = nullptr;
    if (name == nullptr) return open_temporary_file(file);
    const std::string_view path = name;
    int number = -1;
    if ((flags & SQLITE_OPEN_MAIN_DB) == 0 || !path.starts_with('/')) return SQLITE_CANTOPEN;
    const auto [end, error] = std::from_chars(path.data() + 1, path.data() + path.size(), number);
    if (error != std::errc() || end != path.data() + path.size()) return SQLITE_CANTOPEN;
    const int own = ::fcntl(number, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return SQLITE_CANTOPEN;
    reinterpret_cast<OpenDescriptor*>(file)->descriptor = own;
    file->pMethods = &k_methods;
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
    vfs.szOsFile = std::max<int>(sizeof(OpenDescriptor), k_temporary_file_bytes);
    vfs.mxPathname = k_longest_path;
    vfs.zName = k_name;
    vfs.xOpen = open_file;
    vfs.xDelete = [](sqlite3_vfs*, const char*, int) { return SQLITE_READONLY; };
    vfs.xAccess = is_there;
    vfs.xFullPathname = full_path;
    return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK;
}

}  // namespace

std::string descriptor_uri(int descriptor) {
    [[maybe_unused]] static const bool is_registered = register_vfs();
    return fmt::format("file:///{}?vfs={}&mode=ro&immutable=1", descriptor, k_name);
}

}  // namespace snapviewer
