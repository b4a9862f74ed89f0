#include "core/base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

namespace snapviewer {
namespace {

constexpr mode_t k_new_file_mode = 0666;  // less what the user's umask takes away
constexpr mode_t k_permissions = 0777;

Error write_error(int code) { return {ErrorCode::io, std::string("cannot be written: ") + std::strerror(code)}; }

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

/// 0, or an errno.
int sync_path(const std::string& path, int flags) {
    const int fd = ::open(path.c_str(), flags | O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return errno;
    const int failed = ::fsync(fd) == 0 ? 0 : errno;
    ::close(fd);
    return failed;
}

/// Why nothing can take the place of what is there. A link would be replaced; one that leads to a device or a pipe was meant
/// to be written to (/dev/stdout is such a link), and must not be destroyed either.
std::optional<Error> why_not_replaceable(const std::string& path) {
    struct stat there {};
    if (::stat(path.c_str(), &there) == 0 && !S_ISDIR(there.st_mode) && !S_ISREG(there.st_mode))
        return Error{ErrorCode::io, "cannot be written: not a regular file"};
    if (::lstat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode)) return write_error(EISDIR);
    return std::nullopt;
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
    if (const auto reason = why_not_replaceable(path)) return *reason;
    std::optional<mode_t> kept_mode;
    struct stat replaced {};
    if (::lstat(path.c_str(), &replaced) == 0 && S_ISREG(replaced.st_mode)) kept_mode = replaced.st_mode & k_permissions;
    remove_abandoned_temporary_files(folder_of(path));
    Result<TemporaryFile> made = create_temporary_file(folder_of(path), kept_mode.value_or(k_new_file_mode));
    if (!made) return made.error();
    const int lock = made->file.number();
    // The umask has its say in what is made, but not in what a file already has.
    if (kept_mode && ::fchmod(lock, *kept_mode) != 0) return write_error(errno);
    Descriptor written(::fcntl(lock, F_DUPFD_CLOEXEC, 0));
    std::FILE* file = written.is_open() ? ::fdopen(written.number(), "wb") : nullptr;
    if (file == nullptr) return write_error(errno);
    written.release();  // the stream closes it
    return OutputFile(path, std::move(made->path), std::move(made->file), file);
}

OutputFile::OutputFile(std::string path, TemporaryPath temporary_path, Descriptor lock, std::FILE* file)
    : path_(std::move(path)), temporary_path_(std::move(temporary_path)), lock_(std::move(lock)), file_(file) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_path_(std::move(other.temporary_path_)),
      lock_(std::move(other.lock_)),
      file_(std::exchange(other.file_, nullptr)),
      write_errno_(other.write_errno_) {}

OutputFile::~OutputFile() {
    if (file_ != nullptr) std::fclose(file_);
}

bool OutputFile::write(std::string_view text) {
    if (write_errno_ == 0 && std::fwrite(text.data(), 1, text.size(), file_) != text.size()) write_errno_ = errno;
    return write_errno_ == 0;
}

Status OutputFile::finish(Durability durability) {
    if (std::fclose(std::exchange(file_, nullptr)) != 0 && write_errno_ == 0) write_errno_ = errno;
    if (write_errno_ == 0 && durability == Durability::synced && ::fsync(lock_.number()) != 0) write_errno_ = errno;
    return write_errno_ == 0 ? Status() : write_error(write_errno_);
}

Status OutputFile::rename() {
    if (std::rename(temporary_path_.path().c_str(), path_.c_str()) != 0) return write_error(errno);
    temporary_path_.keep();
    return {};
}

Status OutputFile::put_in_place(Durability durability) {
    if (Status finished = finish(durability); !finished) return finished;
    if (Status renamed = rename(); !renamed) return renamed;
    // The file is whole and in place; a folder that cannot be synced (some network systems) takes nothing from that.
    if (durability == Durability::synced) (void)sync_path(folder_of(path_), O_DIRECTORY);
    return {};
}

Status OutputFile::put_in_place(OutputFile& first, OutputFile& second) {
    if (Status finished = first.finish(Durability::synced); !finished) return finished;
    if (Status finished = second.finish(Durability::synced); !finished) return finished;
    sigset_t all{};
    sigset_t before{};
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before);
    Status renamed = first.rename();
    if (renamed) renamed = second.rename();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    (void)sync_path(folder_of(first.path_), O_DIRECTORY);
    return renamed;
}

}  // namespace snapviewer
