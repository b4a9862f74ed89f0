#include "core/base/plain_file.h"

#include <fmt/format.h>

#include "core/base/units.h"

namespace snapviewer {

Result<PlainFile> PlainFile::open(const std::string& path, Links links) {
    PlainFile plain;
    std::error_code failed;
    plain.file_ = open_to_read(path, links, failed);
    const std::optional<FileState> state = failed ? std::nullopt : state_of(plain.file_, failed);
    if (!state) return Error{ErrorCode::io, "cannot be opened: " + failed.message()};
    if (state->kind == FileState::Kind::folder) return Error{ErrorCode::bad_file, "is a directory; expected a file"};
    if (state->kind != FileState::Kind::file) return Error{ErrorCode::bad_file, "is not a regular file"};
    plain.info_ = *state;
    return plain;
}

bool PlainFile::read(std::span<std::byte> bytes, std::uint64_t offset_bytes) const {
    std::error_code failed;
    return read_at(file_, bytes, offset_bytes, failed) == bytes.size();
}

Result<std::string> read_plain_file(const std::string& path, std::uint64_t most_bytes) {
    const Result<PlainFile> file = PlainFile::open(path, PlainFile::Links::follow);
    if (!file) return file.error();
    const std::uint64_t size_bytes = file->info().size_bytes;
    if (size_bytes > most_bytes)
        return Error{ErrorCode::bad_file, fmt::format("is larger than {}, the most that is read", format_bytes(most_bytes))};
    std::string text(size_bytes, '\0');
    if (!file->read(std::as_writable_bytes(std::span(text)), 0)) return Error{ErrorCode::io, "could not be read"};
    return text;
}

}  // namespace snapviewer
