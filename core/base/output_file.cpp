#include "core/base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <random>
#include <utility>

namespace snapviewer {
namespace {

constexpr int k_attempts = 100;
constexpr mode_t k_new_file_mode = 0666;  // less what the user's umask takes away
constexpr mode_t k_permissions = 0777;

Error write_error(int code) { return {ErrorCode::io, std::string("cannot be written: ") + std::strerror(code)}; }

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

std::string random_name() {
    std::random_device random;
    return ".snapviewer-" + std::to_string(random()) + "-" + std::to_string(random());
}

/// 0, or an errno.
int sync_path(const std::string& path, int flags) {
    const int fd = ::open(path.c_str(), flags | O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return errno;
    const int failed = ::fsync(fd) == 0 ? 0 : errno;
    ::close(fd);
    return failed;
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
    std::optional<mode_t> kept_mode;
    struct stat replaced {};
    if (::lstat(path.c_str(), &replaced) == 0 && !S_ISLNK(replaced.st_mode)) {
        if (S_ISDIR(replaced.st_mode)) return write_error(EISDIR);
        if (!S_ISREG(replaced.st_mode)) return Error{ErrorCode::io, "cannot be written: not a regular file"};
        kept_mode = replaced.st_mode & k_permissions;
    }
    for (int attempt = 0; attempt < k_attempts; ++attempt) {
        std::string draft_path = folder_of(path) + random_name();
        const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        const int fd = ::open(draft_path.c_str(), flags, kept_mode.value_or(k_new_file_mode));
        if (fd < 0 && errno == EEXIST) continue;
        if (fd < 0) return write_error(errno);
        // The umask has its say in what open() makes, but not in what a file already has.
        const bool has_mode = !kept_mode || ::fchmod(fd, *kept_mode) == 0;
        std::FILE* file = has_mode ? ::fdopen(fd, "wb") : nullptr;
        if (file != nullptr) return OutputFile(path, std::move(draft_path), file);
        const Error error = write_error(errno);
        ::close(fd);
        ::unlink(draft_path.c_str());
        return error;
    }
    return write_error(EEXIST);
}

OutputFile::OutputFile(std::string path, std::string draft_path, std::FILE* file)
    : path_(std::move(path)), draft_path_(std::move(draft_path)), file_(file) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      draft_path_(std::exchange(other.draft_path_, {})),
      file_(std::exchange(other.file_, nullptr)),
      write_errno_(other.write_errno_) {}

OutputFile::~OutputFile() {
    if (file_ != nullptr) std::fclose(file_);
    if (!draft_path_.empty()) ::unlink(draft_path_.c_str());
}

bool OutputFile::write(std::string_view text) {
    if (write_errno_ == 0 && std::fwrite(text.data(), 1, text.size(), file_) != text.size()) write_errno_ = errno;
    return write_errno_ == 0;
}

Status OutputFile::put_in_place(Durability durability) {
    if (std::fclose(std::exchange(file_, nullptr)) != 0 && write_errno_ == 0) write_errno_ = errno;
    if (write_errno_ != 0) return write_error(write_errno_);
    // By name, because a library may have replaced the draft.
    const bool is_synced = durability == Durability::synced;
    if (const int failed = is_synced ? sync_path(draft_path_, 0) : 0; failed != 0) return write_error(failed);
    if (std::rename(draft_path_.c_str(), path_.c_str()) != 0) return write_error(errno);
    draft_path_.clear();
    // The file is whole and in place; a folder that cannot be synced (some network systems) takes nothing from that.
    if (is_synced) (void)sync_path(folder_of(path_), O_DIRECTORY);
    return {};
}

}  // namespace snapviewer
