#include "core/load/snapviewer_parts.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/base/mapped_file.h"
#include "core/load/failure.h"
#include "core/load/limits.h"
#include "core/load/mapped_source.h"
#include "core/load/read_ahead.h"
#include "core/system/files.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_copied_at_once_bytes = 1 << 20;

}  // namespace

bool SnapviewerParts::has(std::string_view name) const { return std::ranges::count(names(), name) > 0; }

// ---------------------------------------------------------------------------------------------------- ZippedParts

std::vector<std::string> ZippedParts::names() const {
    std::vector<std::string> names;
    for (const ZipArchive::Member& member : archive_.members())
        names.push_back(member.name.substr(member.name.rfind('/') + 1));
    return names;
}

void ZippedParts::read(const std::string& name, const std::function<void(ByteSource&)>& take) {
    const ZipArchive::Member& member = *archive_.find(name);
    in_context("member " + member.name, [&] {
        ZipMemberReader reader(archive_, member, own_ == nullptr);
        ReadAhead text(reader);
        take(text);
    });
}

std::shared_ptr<SqliteFile> ZippedParts::open_database(const std::string& name) {
    const ZipArchive::Member& member = *archive_.find(name);
    if (member.size_bytes > limits::k_database_bytes)
        fail("holds a database that is too large to unpack", {}, "member " + member.name);
    return in_context("member " + member.name, [&] {
        ScratchFile scratch = value_or_throw(ScratchFile::create(member.size_bytes));
        ZipMemberReader reader(archive_, member);
        std::vector<char> buffer(k_copied_at_once_bytes);
        std::uint64_t written_bytes = 0;
        while (const std::size_t size = reader.read(buffer)) {
            check_stop();
            need_ok(budget_of_thread().unpack(size));
            if (written_bytes + size > limits::k_database_bytes) fail("unpacks to more bytes than the zip directory states");
            const auto bytes = std::as_bytes(std::span(buffer).first(size));
            if (Status written = scratch.write(bytes, written_bytes); !written) throw Failure{written.error()};
            written_bytes += size;
        }
        return value_or_throw(SqliteFile::open_unpacked(std::move(scratch), name));
    });
}

std::unique_ptr<SnapviewerParts> ZippedParts::beside() const {
    return std::unique_ptr<SnapviewerParts>(new ZippedParts(std::make_unique<ZipArchive>(archive_.bytes())));
}

// ---------------------------------------------------------------------------------------------------- FolderParts

std::vector<std::string> FolderParts::names() const {
    std::error_code ignored;
    return names_in(folder_, ignored);
}

std::string FolderParts::path_of(const std::string& name) const { return (fs::path(folder_) / name).string(); }

void FolderParts::read(const std::string& name, const std::function<void(ByteSource&)>& take) {
    in_context("file " + name, [&] {
        MappedFile file = value_or_throw(MappedFile::open(path_of(name)));
        budget_of_thread().add_file(file.size_bytes());
        MappedSource text(file, tells_progress_);
        const auto check = [&] {
            if (const Status whole = file.check_still_whole(); !whole) throw Failure{whole.error()};
        };
        try {
            take(text);
        } catch (const Failure&) {
            check();
            throw;
        }
        check();
    });
}

std::shared_ptr<SqliteFile> FolderParts::open_database(const std::string& name) {
    budget_of_thread().add_file_at(path_of(name));
    return in_context("file " + name, [&] { return value_or_throw(SqliteFile::open(path_of(name))); });
}

std::unique_ptr<SnapviewerParts> FolderParts::beside() const { return std::make_unique<FolderParts>(folder_, false); }

}  // namespace snapviewer
