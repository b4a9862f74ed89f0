#include "core/base/mapped_file.h"

namespace snapviewer {

Result<MappedFile> MappedFile::open(const std::string& path) {
    Result<PlainFile> file = PlainFile::open(path, PlainFile::Links::follow);
    if (!file) return file.error();
    MappedFile mapped;
    if (Status done = mapped.map(file->handle(), file->info().size_bytes); !done) return done.error();
    mapped.file_ = *std::move(file);
    return mapped;
}

Result<MappedFile> MappedFile::of(const ScratchFile& file) {
    MappedFile mapped;
    if (Status done = mapped.map(file.handle(), file.size_bytes()); !done) return done.error();
    return mapped;
}

Status MappedFile::map(const FileHandle& file, std::uint64_t size_bytes) {
    std::error_code failed;
    mapping_ = Mapping::of(file, static_cast<std::size_t>(size_bytes), failed);
    if (!failed) return {};
    const bool lacks_memory = failed == std::errc::not_enough_memory;
    return Error{lacks_memory ? ErrorCode::memory : ErrorCode::io, "cannot be mapped into memory: " + failed.message()};
}

Status MappedFile::check_still_whole() const {
    std::error_code failed;
    const auto now = file_ ? state_of(file_->handle(), failed) : std::nullopt;
    const bool is_shorter = now && now->size_bytes < size_bytes();
    if (!is_shorter && !mapping_.has_lost_pages()) return {};
    return Error{ErrorCode::io, "became shorter while it was being read; open it again once nothing is writing to it"};
}

}  // namespace snapviewer
