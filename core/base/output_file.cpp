#include "core/base/output_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/system/ending.h"
#include "core/system/paths.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

/// Permissions of a new file before the umask applies.
constexpr fs::perms k_new_file_permissions = fs::perms(0666);

/// Returns an error if the file at `path` must not be replaced. Renaming would destroy a device or pipe, or a link to one
/// (such as /dev/stdout), which the user wants to write to instead.
std::optional<Error> why_not_replaceable(const std::string& path) {
    std::error_code failed;
    const fs::file_status there = fs::status(path, failed);
    if (fs::exists(there) && !fs::is_directory(there) && !fs::is_regular_file(there))
        return write_error("not a regular file");
    if (fs::is_directory(fs::symlink_status(path, failed)))
        return write_error(std::make_error_code(std::errc::is_a_directory).message());
    return std::nullopt;
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
    if (const auto reason = why_not_replaceable(path)) return *reason;
    std::error_code failed;
    std::optional<fs::perms> kept;
    const fs::file_status replaced = fs::symlink_status(path, failed);
    if (fs::is_regular_file(replaced)) kept = replaced.permissions() & fs::perms::all;
    // The umask applies to new files only, not to the permissions of a file that is replaced.
    Result<TemporaryFile> made = create_temporary_file(folder_of(path), kept.value_or(k_new_file_permissions),
                                                       kept ? Umask::ignored : Umask::applied);
    if (!made) return made.error();
    remove_abandoned_temporary_files(folder_of(path), made->file);
    std::FILE* const file = open_stream(made->file, failed);
    if (file == nullptr) return write_error(failed.message());
    return OutputFile(path, std::move(made->path), std::move(made->file), file);
}

OutputFile::OutputFile(std::string path, TemporaryPath temporary_path, FileHandle lock, std::FILE* file)
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
    if (write_errno_ != 0) return write_error(std::strerror(write_errno_));
    const std::error_code failed = durability == Durability::synced ? sync_file(lock_) : std::error_code();
    return failed ? write_error(failed.message()) : Status();
}

Status OutputFile::rename() {
    if (const std::error_code failed = replace_file(temporary_path_.path(), path_)) return write_error(failed.message());
    temporary_path_.keep();
    return {};
}

Status OutputFile::put_in_place(Durability durability) {
    if (Status finished = finish(durability); !finished) return finished;
    if (Status renamed = rename(); !renamed) return renamed;
    // Ignore errors: the file is complete and in place, even if its folder cannot be synced (some network file systems).
    if (durability == Durability::synced) (void)sync_folder(folder_of(path_));
    return {};
}

Status OutputFile::put_in_place(OutputFile& first, OutputFile& second) {
    if (Status finished = first.finish(Durability::synced); !finished) return finished;
    if (Status finished = second.finish(Durability::synced); !finished) return finished;
    Status renamed;
    without_signals([&] {
        renamed = first.rename();
        if (renamed) renamed = second.rename();
    });
    (void)sync_folder(folder_of(first.path_));
    return renamed;
}

}  // namespace snapviewer
