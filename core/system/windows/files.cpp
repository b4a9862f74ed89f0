#include <fcntl.h>
#include <io.h>
#include <windows.h>
#include <winioctl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>

#include "core/system/files.h"
#include "core/system/memory.h"
#include "core/system/windows/calls.h"

namespace snapviewer {
namespace {

/// Allows open files to be renamed, replaced and removed, as on other systems.
constexpr DWORD k_share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
/// Maximum bytes per call, because Windows calls have sizes of 32 bits.
constexpr std::size_t k_max_at_once = std::size_t{1} << 30;
/// On Windows, a lock prevents reads and writes of the locked bytes. The locked byte is therefore far beyond the end of any
/// file.
constexpr DWORD k_lock_offset_high = 0x7FFF'FFFF;

FileHandle opened(HANDLE handle, std::error_code& failed) {
    failed = handle == INVALID_HANDLE_VALUE ? last_error() : std::error_code();
    return file_of(handle);
}

OVERLAPPED at_offset(std::uint64_t offset_bytes) {
    OVERLAPPED place{};
    place.Offset = static_cast<DWORD>(offset_bytes);
    place.OffsetHigh = static_cast<DWORD>(offset_bytes >> 32);
    return place;
}

std::uint64_t joined(DWORD high, DWORD low) { return (std::uint64_t{high} << 32) | low; }

/// Converts a FILETIME, which counts units of 100 ns since 1601, to seconds since 1970.
std::int64_t seconds_since_1970(const FILETIME& time) {
    constexpr std::int64_t k_ticks_a_second = 10'000'000;
    constexpr std::int64_t k_seconds_from_1601_to_1970 = 11'644'473'600;
    const auto ticks = static_cast<std::int64_t>(joined(time.dwHighDateTime, time.dwLowDateTime));
    return ticks / k_ticks_a_second - k_seconds_from_1601_to_1970;
}

void make_sparse(HANDLE file) {
    DWORD size = 0;
    ::DeviceIoControl(file, FSCTL_SET_SPARSE, nullptr, 0, nullptr, 0, &size, nullptr);
}

/// A path as UTF-16 on the stack, because remove_file() and remove_folder() must not allocate memory. Empty if the path is
/// too long.
class WidePath {
public:
    explicit WidePath(const char* path) {
        if (::MultiByteToWideChar(CP_UTF8, 0, path, -1, text_.data(), static_cast<int>(text_.size())) == 0) text_[0] = 0;
    }
    const wchar_t* text() const { return text_.data(); }

private:
    std::array<wchar_t, 4096> text_{};
};

}  // namespace

void close_file(std::intptr_t number) { ::CloseHandle(reinterpret_cast<HANDLE>(number)); }

FileHandle open_to_read(const std::string& path, SymbolicLinks links, std::error_code& failed) {
    const DWORD no_links = links == SymbolicLinks::refuse ? FILE_FLAG_OPEN_REPARSE_POINT : 0;
    FileHandle file = opened(::CreateFileW(wide_text(path).c_str(), GENERIC_READ, k_share_all, nullptr, OPEN_EXISTING,
                                           FILE_FLAG_BACKUP_SEMANTICS | no_links, nullptr),
                             failed);  // FILE_FLAG_BACKUP_SEMANTICS also opens folders
    if (failed || no_links == 0) return file;
    FILE_ATTRIBUTE_TAG_INFO tag{};
    const bool is_known = ::GetFileInformationByHandleEx(handle_of(file), FileAttributeTagInfo, &tag, sizeof tag) != FALSE;
    if (!is_known || tag.ReparseTag != IO_REPARSE_TAG_SYMLINK) return file;
    failed = std::make_error_code(std::errc::too_many_symbolic_link_levels);  // POSIX systems report a link in this way
    return {};
}

FileHandle create_new_file(const std::string& path, std::filesystem::perms /*permissions*/, Umask /*umask*/,
                           std::error_code& failed) {
    return opened(::CreateFileW(wide_text(path).c_str(), GENERIC_WRITE, k_share_all, nullptr, CREATE_NEW,
                                FILE_ATTRIBUTE_NORMAL, nullptr),
                  failed);
}

FileHandle create_unnamed_file(const std::string& folder, std::error_code& failed) {
    static std::atomic<unsigned> count{0};
    std::wstring path = wide_text(with_separator(folder)) + L"snapviewer-" + std::to_wstring(::GetCurrentProcessId());
    path += L'-' + std::to_wstring(::GetTickCount64()) + L'-' + std::to_wstring(++count);
    FileHandle file = opened(::CreateFileW(path.c_str(), GENERIC_READ | GENERIC_WRITE | DELETE, k_share_all, nullptr,
                                           CREATE_NEW, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr),
                             failed);
    if (!failed) make_sparse(handle_of(file));
    return file;
}

/// Creates a temporary file, whose bytes Windows keeps in memory as long as there is room.
FileHandle create_file_in_memory(std::error_code& failed) {
    return create_unnamed_file(std::filesystem::temp_directory_path().string(), failed);
}

/// Windows cannot lock folders, so this opens a hidden file ".lock" in the folder.
FileHandle open_lock_of_folder(const std::string& folder) {
    return file_of(::CreateFileW(wide_text(with_separator(folder) + ".lock").c_str(), GENERIC_READ | GENERIC_WRITE,
                                 k_share_all, nullptr, OPEN_ALWAYS, FILE_ATTRIBUTE_HIDDEN, nullptr));
}

FileHandle open_again(std::intptr_t number) {
    HANDLE again = INVALID_HANDLE_VALUE;
    const HANDLE process = ::GetCurrentProcess();
    const auto handle = reinterpret_cast<HANDLE>(number);
    if (::DuplicateHandle(process, handle, process, &again, 0, FALSE, DUPLICATE_SAME_ACCESS) == FALSE) return {};
    return file_of(again);
}

std::optional<FileState> state_of(const FileHandle& file, std::error_code& failed) {
    FileState state;
    state.is_own = true;  // assumed: folders for temporary files and for preferences belong to the user
    failed.clear();
    if (::GetFileType(handle_of(file)) != FILE_TYPE_DISK) return state;
    BY_HANDLE_FILE_INFORMATION info{};
    failed = error_of(::GetFileInformationByHandle(handle_of(file), &info));
    if (failed) return std::nullopt;
    state.kind = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? FileState::Kind::folder : FileState::Kind::file;
    state.size_bytes = joined(info.nFileSizeHigh, info.nFileSizeLow);
    state.link_count = info.nNumberOfLinks;
    state.written_s = seconds_since_1970(info.ftLastWriteTime);
    FILE_STANDARD_INFO standard{};
    if (::GetFileInformationByHandleEx(handle_of(file), FileStandardInfo, &standard, sizeof standard) != FALSE)
        state.on_disk_bytes = static_cast<std::uint64_t>(standard.AllocationSize.QuadPart);
    return state;
}

std::optional<FileVersion> version_of(const std::string& path) {
    std::error_code failed;
    const FileHandle file = open_to_read(path, SymbolicLinks::follow, failed);
    BY_HANDLE_FILE_INFORMATION info{};
    FILE_BASIC_INFO times{};
    const bool is_known = !failed && ::GetFileInformationByHandle(handle_of(file), &info) != FALSE &&
                          ::GetFileInformationByHandleEx(handle_of(file), FileBasicInfo, &times, sizeof times) != FALSE;
    if (!is_known) return std::nullopt;
    constexpr std::int64_t k_ns_a_tick = 100;
    return FileVersion{joined(info.nFileIndexHigh, info.nFileIndexLow), joined(info.nFileSizeHigh, info.nFileSizeLow),
                       times.LastWriteTime.QuadPart * k_ns_a_tick, times.ChangeTime.QuadPart * k_ns_a_tick};
}

std::size_t read_at(const FileHandle& file, std::span<std::byte> bytes, std::uint64_t offset_bytes,
                    std::error_code& failed) {
    failed.clear();
    std::size_t done = 0;
    while (done < bytes.size()) {
        OVERLAPPED place = at_offset(offset_bytes + done);
        DWORD got = 0;
        const auto wanted = static_cast<DWORD>(std::min(bytes.size() - done, k_max_at_once));
        if (::ReadFile(handle_of(file), bytes.data() + done, wanted, &got, &place) == FALSE) {
            if (::GetLastError() != ERROR_HANDLE_EOF) failed = last_error();
            break;
        }
        if (got == 0) break;
        done += got;
    }
    return done;
}

std::error_code write_at(const FileHandle& file, std::span<const std::byte> bytes, std::uint64_t offset_bytes) {
    while (!bytes.empty()) {
        OVERLAPPED place = at_offset(offset_bytes);
        DWORD put = 0;
        const auto wanted = static_cast<DWORD>(std::min(bytes.size(), k_max_at_once));
        if (::WriteFile(handle_of(file), bytes.data(), wanted, &put, &place) == FALSE) return last_error();
        if (put == 0) return std::make_error_code(std::errc::no_space_on_device);
        bytes = bytes.subspan(put);
        offset_bytes += put;
    }
    return {};
}

std::error_code resize_file(const FileHandle& file, std::uint64_t size_bytes) {
    FILE_END_OF_FILE_INFO end{};
    end.EndOfFile.QuadPart = static_cast<LONGLONG>(size_bytes);
    return error_of(::SetFileInformationByHandle(handle_of(file), FileEndOfFileInfo, &end, sizeof end));
}

std::error_code sync_file(const FileHandle& file) { return error_of(::FlushFileBuffers(handle_of(file))); }

/// No-op, because the file systems of Windows keep a journal of names.
std::error_code sync_folder(const std::string& /*folder*/) { return {}; }

std::error_code lock_file(const FileHandle& file) {
    OVERLAPPED place{};
    place.OffsetHigh = k_lock_offset_high;
    const BOOL is_locked =
        ::LockFileEx(handle_of(file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place);
    if (is_locked == FALSE && (::GetLastError() == ERROR_LOCK_VIOLATION || ::GetLastError() == ERROR_IO_PENDING))
        return std::make_error_code(std::errc::operation_would_block);
    return error_of(is_locked);
}

std::FILE* open_stream(const FileHandle& file, std::error_code& failed) {
    failed.clear();
    FileHandle own = open_again(file.number());
    const int descriptor = own.is_open() ? ::_open_osfhandle(own.number(), _O_BINARY) : -1;
    if (descriptor < 0) {
        failed = std::make_error_code(std::errc::too_many_files_open);
        return nullptr;
    }
    own.release();
    return ::_fdopen(descriptor, "wb");
}

std::optional<FilePart> next_data_part(const FileHandle& file, std::uint64_t begin, std::uint64_t size_bytes) {
    if (begin >= size_bytes) return std::nullopt;
    FILE_ALLOCATED_RANGE_BUFFER asked{}, found{};
    asked.FileOffset.QuadPart = static_cast<LONGLONG>(begin);
    asked.Length.QuadPart = static_cast<LONGLONG>(size_bytes - begin);
    DWORD found_bytes = 0;
    const BOOL is_all = ::DeviceIoControl(handle_of(file), FSCTL_QUERY_ALLOCATED_RANGES, &asked, sizeof asked, &found,
                                          sizeof found, &found_bytes, nullptr);
    // The call fails if the file system does not support sparse files.
    if (is_all == FALSE && ::GetLastError() != ERROR_MORE_DATA) return FilePart{begin, size_bytes};
    if (found_bytes == 0) return std::nullopt;
    const auto start = static_cast<std::uint64_t>(found.FileOffset.QuadPart);
    return FilePart{start, std::min(size_bytes, start + static_cast<std::uint64_t>(found.Length.QuadPart))};
}

/// The standard library's std::filesystem::equivalent() cannot open folders.
bool are_same_file(const std::filesystem::path& first, const std::filesystem::path& second) {
    std::error_code failed;
    const FileHandle one = open_to_read(first.string(), SymbolicLinks::follow, failed);
    const FileHandle other = open_to_read(second.string(), SymbolicLinks::follow, failed);
    BY_HANDLE_FILE_INFORMATION a{}, b{};
    return one.is_open() && other.is_open() && ::GetFileInformationByHandle(handle_of(one), &a) != FALSE &&
           ::GetFileInformationByHandle(handle_of(other), &b) != FALSE && a.dwVolumeSerialNumber == b.dwVolumeSerialNumber &&
           joined(a.nFileIndexHigh, a.nFileIndexLow) == joined(b.nFileIndexHigh, b.nFileIndexLow);
}

bool is_disk_full(std::error_code failed) {
    return failed == std::errc::no_space_on_device || failed == std::errc::read_only_file_system ||
           failed.value() == ERROR_FILE_TOO_LARGE;
}

std::error_code replace_file(const std::string& from, const std::string& to) {
    return error_of(::MoveFileExW(wide_text(from).c_str(), wide_text(to).c_str(), MOVEFILE_REPLACE_EXISTING));
}

void remove_file(const char* path) { ::DeleteFileW(WidePath(path).text()); }
void remove_folder(const char* path) { ::RemoveDirectoryW(WidePath(path).text()); }

std::vector<std::string> list_names(const std::string& folder, std::error_code& failed) {
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed))
        names.push_back(it->path().filename().string());
    return names;
}

void remove_files_in(const std::string& folder, bool (*is_wanted)(std::string_view name),
                     const std::function<bool(const FileHandle& file)>& may_go) {
    std::error_code failed;
    for (std::filesystem::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
        const std::string name = it->path().filename().string();
        if (!is_wanted(name)) continue;
        const FileHandle file = file_of(::CreateFileW(it->path().c_str(), GENERIC_READ | GENERIC_WRITE | DELETE, k_share_all,
                                                      nullptr, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
        FILE_DISPOSITION_INFO removal{TRUE};
        if (file.is_open() && may_go(file))
            ::SetFileInformationByHandle(handle_of(file), FileDispositionInfo, &removal, sizeof removal);
    }
}

// Windows refuses to truncate a mapped file. No page can be lost, so there is no guard.

Mapping Mapping::of(const FileHandle& file, std::size_t size_bytes, std::error_code& failed) {
    failed.clear();
    Mapping mapping;
    if (size_bytes == 0) return mapping;
    const HANDLE section = ::CreateFileMappingW(handle_of(file), nullptr, PAGE_READONLY, 0, 0, nullptr);
    if (section == nullptr) {
        failed = last_error();
        return mapping;
    }
    const FileHandle closes_section = file_of(section);
    const void* const data = ::MapViewOfFile(section, FILE_MAP_READ, 0, 0, size_bytes);
    if (data == nullptr) {
        failed = last_error();
        return mapping;
    }
    mapping.bytes_ = {static_cast<const std::byte*>(data), size_bytes};
    return mapping;
}

Mapping::~Mapping() {
    if (!bytes_.empty()) ::UnmapViewOfFile(bytes_.data());
}

void Mapping::wait_for(std::size_t /*end*/) const {}
bool Mapping::has_lost_pages() const { return false; }

void Mapping::release_up_to(std::size_t end) {
    end = end / page_bytes() * page_bytes();
    if (end <= released_) return;
    // VirtualUnlock() reports an error for pages that are not locked, but it removes them from the resident memory.
    ::VirtualUnlock(const_cast<std::byte*>(bytes_.data()) + released_, end - released_);
    released_ = end;
}

}  // namespace snapviewer
