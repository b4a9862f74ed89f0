#include "core/export/export_snapviewer.h"

#include <fmt/format.h>
#include <zip.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/base/output_file.h"
#include "core/base/text.h"
#include "core/export/export_database.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

constexpr const char* k_allocations_file = "allocations.json";
constexpr const char* k_elements_file = "elements.db";
constexpr std::size_t k_written_at_once_bytes = 1 << 20;

/// Makes the text of one member piece by piece while libzip asks for it, so that it is never held whole.
class MemberText {
public:
    /// `next` appends a little more text and returns false when there is none left.
    explicit MemberText(std::function<bool(std::string&)> next) : next_(std::move(next)) {}

    std::size_t read(char* out, std::size_t size) {
        while (text_.size() - used_ < size && more_) {
            text_.erase(0, used_);
            used_ = 0;
            more_ = next_(text_);
        }
        const std::size_t count = std::min(size, text_.size() - used_);
        std::memcpy(out, text_.data() + used_, count);
        used_ += count;
        return count;
    }

private:
    std::function<bool(std::string&)> next_;
    std::string text_;
    std::size_t used_ = 0;
    bool more_ = true;
};

zip_int64_t serve(void* state, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    auto* member = static_cast<MemberText*>(state);
    switch (command) {
        case ZIP_SOURCE_READ: return static_cast<zip_int64_t>(member->read(static_cast<char*>(data), length));
        case ZIP_SOURCE_STAT: zip_stat_init(static_cast<zip_stat_t*>(data)); return sizeof(zip_stat_t);
        case ZIP_SOURCE_SUPPORTS:
            return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                                  ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
        default: return 0;
    }
}

void append_numbers(std::string& out, std::span<const PathPoint> path, std::uint64_t PathPoint::*field) {
    for (std::size_t i = 0; i < path.size(); ++i)
        fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? "" : ",", path[i].*field);
}

void append_polygon(std::string& out, const Timeline& timeline, AllocationId id) {
    const std::vector<PathPoint> path = timeline.path(id);
    fmt::format_to(std::back_inserter(out), "{{\"elem\":{},\"timesteps\":[", id.value);
    append_numbers(out, path, &PathPoint::step);
    out += "],\"offsets\":[";
    append_numbers(out, path, &PathPoint::offset_bytes);
    fmt::format_to(std::back_inserter(out), "],\"size\":{},\"color\":{}}}",
                   timeline.trace().allocations.size_bytes[id.value], id.value);
}

/// The elements of one device as JSON; the frames of a stack are written out once and then copied.
class ElementWriter {
public:
    explicit ElementWriter(const Timeline& timeline) : timeline_(timeline), snapshot_(timeline.snapshot()) {}

    void append(std::string& out, AllocationId id) {
        const AllocationColumns& allocations = timeline_.trace().allocations;
        const EventColumns& events = timeline_.trace().events;
        const bool is_freed = allocations.origin[id.value] == Origin::freed;
        const EventId event = is_freed ? allocations.free_event[id.value] : allocations.alloc_event[id.value];
        fmt::format_to(std::back_inserter(out), "{{\"action\":\"{}\",\"addr\":{},\"size\":{},\"stream\":{}",
                       is_freed ? "free_completed" : "alloc", allocations.address[id.value],
                       allocations.size_bytes[id.value], snapshot_.streams[allocations.stream[id.value]]);
        if (event.is_some() && events.time_us[event.value] != k_no_time) {
            fmt::format_to(std::back_inserter(out), ",\"time_us\":{}", events.time_us[event.value]);
        }
        if (event.is_some() && events.metadata[event.value].is_some())
            append_metadata(out, snapshot_.metadata[events.metadata[event.value].value]);
        out += ",\"frames\":[";
        out += frames_of(allocations.stack[id.value]);
        out += "]}";
    }

private:
    void append_metadata(std::string& out, const EventMetadata& metadata) const {
        const auto field = [&](const char* key, StringId text) {
            if (text.is_some()) out += fmt::format(",\"{}\":{}", key, json_quoted(snapshot_.strings.view(text)));
        };
        field("compile_context", metadata.compile_context);
        field("user_metadata", metadata.user_metadata);
        field("category", metadata.category);
    }

    const std::string& frames_of(StackId stack) {
        std::string& text = frames_[stack.value];
        if (!text.empty()) return text;
        for (const FrameId id : snapshot_.stacks.stack(stack)) {
            const Frame& frame = snapshot_.stacks.frame(id);
            text += fmt::format("{}{{\"name\":{},\"filename\":{},\"line\":{}}}", text.empty() ? "" : ",",
                                json_quoted(snapshot_.strings.view(frame.function)),
                                json_quoted(snapshot_.strings.view(frame.file)), frame.line);
        }
        return text;
    }

    const Timeline& timeline_;
    const Snapshot& snapshot_;
    std::unordered_map<std::uint32_t, std::string> frames_;
};

/// A JSON list with one item per allocation.
MemberText list_member(const Timeline& timeline, Progress& progress,
                       std::function<void(std::string&, AllocationId)> append) {
    return MemberText([&timeline, &progress, append = std::move(append), next = std::uint32_t{0}](std::string& out) mutable {
        if (next == 0) out += '[';
        const bool has_more = next < timeline.allocation_count() && !progress.stop_requested();
        if (has_more) {
            if (next > 0) out += ',';
            append(out, AllocationId{next++});
            progress.update(next, timeline.allocation_count());
        } else {
            out += ']';
        }
        return has_more;
    });
}

struct DiscardArchive {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};

Error write_error(const std::string& what) { return {ErrorCode::io, "cannot be written: " + what, {}, {}}; }

/// Makes the folder, or makes sure that nothing but an earlier export is in it. Gives what removes a new one again, empty,
/// unless it is kept.
Result<std::optional<DraftPath>> prepare_folder(const std::string& folder) {
    std::error_code error;
    if (!fs::exists(folder, error)) {
        std::optional<DraftPath> made(std::in_place, folder, DraftPath::Kind::folder);
        if (fs::create_directory(folder, error)) return made;
        made->keep();  // there is none, or it is another's
    }
    if (error) return write_error(error.message());
    remove_abandoned_drafts(folder);
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (name == k_allocations_file || name == k_elements_file) continue;
        return write_error("the folder holds other files, such as " + name + "; name a new or empty one");
    }
    if (error) return write_error(error.message());
    return std::optional<DraftPath>();
}

Status write_folder(const Timeline& timeline, const fs::path& folder, Progress& progress) {
    Result<OutputFile> allocations = OutputFile::create((folder / k_allocations_file).string());
    if (!allocations) return allocations.error();
    Result<OutputFile> elements = OutputFile::create((folder / k_elements_file).string());
    if (!elements) return elements.error();
    MemberText text =
        list_member(timeline, progress, [&](std::string& out, AllocationId id) { append_polygon(out, timeline, id); });
    std::vector<char> piece(k_written_at_once_bytes);
    while (const std::size_t size = text.read(piece.data(), piece.size())) {
        if (!allocations->write({piece.data(), size})) break;  // putting it in place says why
    }
    if (Status written = write_snapviewer_elements(timeline, elements->draft_path(), progress); !written) return written;
    if (progress.stop_requested()) return stopped();
    return OutputFile::put_in_place(*allocations, *elements);
}

/// A draft as libzip sees it: an archive that does not exist yet. Given a path, libzip would write to a file of its own
/// beside it, which nobody removes where the program is told to end.
struct ArchiveFile {
    std::FILE* stream;
    zip_error_t error{};

    zip_int64_t fail(int zip_code, int system_code) {
        zip_error_set(&error, zip_code, system_code);
        return -1;
    }
};

zip_int64_t serve_archive(void* state, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    auto& file = *static_cast<ArchiveFile*>(state);
    switch (command) {
        case ZIP_SOURCE_STAT: return file.fail(ZIP_ER_READ, ENOENT);
        case ZIP_SOURCE_WRITE:
            if (std::fwrite(data, 1, length, file.stream) != length) return file.fail(ZIP_ER_WRITE, errno);
            return static_cast<zip_int64_t>(length);
        case ZIP_SOURCE_SEEK_WRITE: {
            const auto* to = ZIP_SOURCE_GET_ARGS(zip_source_args_seek_t, data, length, &file.error);
            if (to == nullptr) return -1;
            return ::fseeko(file.stream, to->offset, to->whence) == 0 ? 0 : file.fail(ZIP_ER_SEEK, errno);
        }
        case ZIP_SOURCE_TELL_WRITE: return ::ftello(file.stream);
        case ZIP_SOURCE_COMMIT_WRITE: return std::fflush(file.stream) == 0 ? 0 : file.fail(ZIP_ER_WRITE, errno);
        case ZIP_SOURCE_ERROR: return zip_error_to_data(&file.error, data, length);
        case ZIP_SOURCE_SUPPORTS:
            return zip_source_make_command_bitmap(
                ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
                ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE,
                ZIP_SOURCE_WRITE, ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, -1);
        default: return 0;
    }
}

Status write_archive(std::FILE* stream, MemberText& allocations, MemberText& elements) {
    ArchiveFile file{stream};
    zip_error_t error{};
    zip_source_t* target = zip_source_function_create(serve_archive, &file, &error);
    std::unique_ptr<zip_t, DiscardArchive> archive(
        target == nullptr ? nullptr : zip_open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE, &error));
    if (!archive) {
        zip_source_free(target);
        return write_error(zip_error_strerror(&error));
    }
    for (const auto& [name, text] : {std::pair{"allocations.json", &allocations}, std::pair{"elements.json", &elements}}) {
        zip_source_t* source = zip_source_function(archive.get(), serve, text);
        if (source == nullptr || zip_file_add(archive.get(), name, source, ZIP_FL_ENC_UTF_8) < 0)
            return write_error(zip_strerror(archive.get()));
    }
    if (zip_close(archive.get()) != 0) return write_error(zip_strerror(archive.get()));
    (void)archive.release();  // closing freed it
    return {};
}

}  // namespace

Status export_snapviewer_zip(const Timeline& timeline, const std::string& path, Progress& progress) {
    ElementWriter writer(timeline);
    MemberText allocations =
        list_member(timeline, progress, [&](std::string& out, AllocationId id) { append_polygon(out, timeline, id); });
    MemberText elements =
        list_member(timeline, progress, [&](std::string& out, AllocationId id) { writer.append(out, id); });
    Result<OutputFile> file = OutputFile::create(path);
    if (!file) return file.error();
    if (Status written = write_archive(file->stream(), allocations, elements); !written) return written;
    if (progress.stop_requested()) return stopped();
    return file->put_in_place();
}

Status export_snapviewer_folder(const Timeline& timeline, const std::string& folder, Progress& progress) {
    Result<std::optional<DraftPath>> made = prepare_folder(folder);
    if (!made) return made.error();
    Status written = write_folder(timeline, folder, progress);
    if (written && *made) (*made)->keep();
    return written;
}

}  // namespace snapviewer
