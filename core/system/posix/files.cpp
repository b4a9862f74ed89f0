#include "core/system/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <mutex>

#include "core/system/posix/calls.h"
#include "core/system/posix/descriptors.h"

namespace snapviewer {
namespace {

std::error_code error_of(int result) { return result == 0 ? std::error_code() : last_error(); }

}  // namespace

FileHandle create_new_file(const std::string& path, std::filesystem::perms permissions, Umask umask,
                           std::error_code& failed) {
    constexpr int k_flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const auto mode = static_cast<mode_t>(permissions);
    const auto create = [&] { return opened_descriptor(::open(path.c_str(), k_flags, mode), failed); };
    if (umask == Umask::applied) return create();
    // The umask is lifted because the sandbox refuses fchmod(). It belongs to the whole process, so it is lifted only if it
    // matters.
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    const mode_t own_mask = ::umask(S_IRWXG | S_IRWXO);
    ::umask((own_mask & mode) != 0 ? 0 : own_mask);
    FileHandle file = create();
    ::umask(own_mask);
    return file;
}

FileHandle open_lock_of_folder(const std::string& folder) {
    return FileHandle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

std::error_code sync_folder(const std::string& folder) {
    std::error_code failed;
    const FileHandle open =
        opened_descriptor(::open(folder.c_str(), O_DIRECTORY | O_RDONLY | O_NOFOLLOW | O_CLOEXEC), failed);
    return failed ? failed : sync_file(open);
}

std::FILE* open_stream(const FileHandle& file, std::error_code& failed) {
    const int own = ::fcntl(descriptor_of(file), F_DUPFD_CLOEXEC, 0);
    std::FILE* const stream = own >= 0 ? ::fdopen(own, "wb") : nullptr;
    failed = stream == nullptr ? last_error() : std::error_code();
    if (stream == nullptr && own >= 0) ::close(own);
    return stream;
}

bool are_same_file(const std::filesystem::path& first, const std::filesystem::path& second) {
    std::error_code failed;
    return std::filesystem::equivalent(first, second, failed);
}

bool is_disk_full(std::error_code failed) {
    return failed == std::errc::no_space_on_device || failed == std::errc::file_too_large ||
           failed == std::errc::read_only_file_system || failed == std::error_code(EDQUOT, std::system_category());
}

std::error_code replace_file(const std::string& from, const std::string& to) {
    return error_of(std::rename(from.c_str(), to.c_str()));
}

void remove_file(const char* path) { ::unlink(path); }

void remove_folder(const char* path) { ::rmdir(path); }

namespace {

struct CloseListing {
    void operator()(DIR* listing) const { ::closedir(listing); }
};
using Listing = std::unique_ptr<DIR, CloseListing>;

}  // namespace

std::vector<std::string> names_in(const std::string& folder, std::error_code& failed) {
    std::vector<std::string> names;
    const Listing listing(::opendir(folder.c_str()));
    failed = error_of(listing ? 0 : -1);
    while (const dirent* entry = listing ? ::readdir(listing.get()) : nullptr) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
    }
    return names;
}

void remove_files_in(const std::string& folder, bool (*is_wanted)(std::string_view name),
                     const std::function<bool(const FileHandle& file)>& may_go) {
    const Listing listing(::opendir(folder.c_str()));
    while (const dirent* entry = listing ? ::readdir(listing.get()) : nullptr) {
        if (!is_wanted(entry->d_name)) continue;
        const int at = ::dirfd(listing.get());
        const FileHandle file(::openat(at, entry->d_name, k_open_to_read | O_NOFOLLOW));
        if (file.is_open() && may_go(file)) ::unlinkat(at, entry->d_name, 0);
    }
}

}  // namespace snapviewer
