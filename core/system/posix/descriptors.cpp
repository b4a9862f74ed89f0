#include "core/system/posix/descriptors.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/system/posix/calls.h"

namespace snapviewer {
namespace {

FileState::Kind kind_of(mode_t mode) {
    if (S_ISREG(mode)) return FileState::Kind::file;
    return S_ISDIR(mode) ? FileState::Kind::folder : FileState::Kind::other;
}

}  // namespace

FileHandle opened_descriptor(int descriptor, std::error_code& failed) {
    failed = descriptor < 0 ? last_error() : std::error_code();
    return FileHandle(descriptor);
}

FileHandle open_descriptor(const std::string& path, SymbolicLinks links, std::error_code& failed) {
    const int no_links = links == SymbolicLinks::refuse ? O_NOFOLLOW : 0;
    return opened_descriptor(::open(path.c_str(), k_open_to_read | no_links), failed);
}

std::optional<FileState> state_of_descriptor(int descriptor, std::error_code& failed) {
    struct stat info {};
    failed.clear();
    if (::fstat(descriptor, &info) != 0) failed = last_error();
    if (failed) return std::nullopt;
    constexpr std::uint64_t k_block_bytes = 512;  // the unit of st_blocks, independent of the file system
    return FileState{.kind = kind_of(info.st_mode),
                     .size_bytes = static_cast<std::uint64_t>(info.st_size),
                     .on_disk_bytes = static_cast<std::uint64_t>(info.st_blocks) * k_block_bytes,
                     .link_count = info.st_nlink,
                     .written_s = info.st_mtime,
                     .is_own = info.st_uid == ::geteuid()};
}

std::size_t read_descriptor_at(int descriptor, std::span<std::byte> bytes, std::uint64_t offset_bytes,
                               std::error_code& failed) {
    failed.clear();
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto place = static_cast<off_t>(offset_bytes + done);
        const ssize_t got = ::pread(descriptor, bytes.data() + done, bytes.size() - done, place);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) failed = last_error();
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

std::error_code write_descriptor_at(int descriptor, std::span<const std::byte> bytes, std::uint64_t offset_bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return last_error();
        if (put == 0) return std::make_error_code(std::errc::no_space_on_device);
        bytes = bytes.subspan(static_cast<std::size_t>(put));
        offset_bytes += static_cast<std::uint64_t>(put);
    }
    return {};
}

std::error_code resize_descriptor(int descriptor, std::uint64_t size_bytes) {
    return ::ftruncate(descriptor, static_cast<off_t>(size_bytes)) == 0 ? std::error_code() : last_error();
}

}  // namespace snapviewer
