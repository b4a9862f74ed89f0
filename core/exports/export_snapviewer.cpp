#include "core/exports/export.h"

#include <fmt/format.h>
#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <future>
#include <new>
#include <thread>
#include <unordered_map>
#include <utility>

#include "core/base/budget.h"
#include "core/base/job.h"
#include "core/base/text.h"
#include "core/system/files.h"
#include "core/trace/stack_table.h"

namespace snapviewer::exports {
namespace {

/// Allocations per piece. A piece cannot refer to text before it, which increases the size by a few percent.
constexpr std::uint32_t k_allocations_per_piece = 2048;
constexpr std::size_t k_text_batch_bytes = 64 << 10;

/// Deflates one piece of a stream, with or without the end of the stream.
class PieceDeflater {
public:
    explicit PieceDeflater(int level) {
        constexpr int k_raw_window_bits = -15;
        constexpr int k_memory_level = 8;
        if (deflateInit2(&stream_, level, Z_DEFLATED, k_raw_window_bits, k_memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
            throw std::bad_alloc();
    }
    ~PieceDeflater() { deflateEnd(&stream_); }
    PieceDeflater(const PieceDeflater&) = delete;
    PieceDeflater& operator=(const PieceDeflater&) = delete;

    void add(const std::string& text, int flush, std::string& out) {
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib only reads the input
        stream_.avail_in = static_cast<uInt>(text.size());
        do {
            char bytes[16 << 10];
            stream_.next_out = reinterpret_cast<Bytef*>(bytes);
            stream_.avail_out = sizeof(bytes);
            deflate(&stream_, flush);
            out.append(bytes, sizeof(bytes) - stream_.avail_out);
        } while (stream_.avail_out == 0);
    }

private:
    z_stream stream_{};
};

/// A deflated JSON list with one item per allocation. Pieces of the list are deflated in parallel on all cores and returned
/// in order, while the next pieces are in progress. Neither the text nor the deflated bytes are ever in memory as a whole.
class DeflatedList {
public:
    /// Appends the JSON of one allocation. Called on several threads at once, each with its own copy of the function.
    using Append = std::function<void(std::string&, AllocationId)>;
    /// Prepares a list of `count` allocations. `level` is zlib's compression level.
    DeflatedList(std::uint32_t count, Append append, int level) : count_(count), append_(std::move(append)), level_(level) {}

    /// Reads up to `size` bytes of a raw deflate stream. Returns 0 at its end. Throws if the text exceeds the budget, and
    /// stopped() if asked to stop.
    std::size_t read(char* out, std::size_t size) {
        while (used_ == ready_.size()) {
            if (!take_next()) return 0;
        }
        const std::size_t count = std::min(size, ready_.size() - used_);
        std::memcpy(out, ready_.data() + used_, count);
        used_ += count;
        return count;
    }

    /// Size of the text whose deflated bytes were read so far.
    std::uint64_t text_bytes() const { return text_bytes_; }
    std::uint32_t text_crc() const { return text_crc_; }

private:
    struct Piece {
        std::string deflated;
        std::uint64_t text_bytes = 0;
        std::uint32_t text_crc = 0;
    };

    Piece make(std::uint32_t first, std::uint32_t end) {
        Piece piece;
        PieceDeflater deflater(level_);
        Append append = append_;
        std::string text;
        const auto deflate_text = [&](int flush) {
            charge_written(text.size(), k_too_long_export);
            piece.text_crc = static_cast<std::uint32_t>(
                crc32_z(piece.text_crc, reinterpret_cast<const Bytef*>(text.data()), text.size()));
            piece.text_bytes += text.size();
            deflater.add(text, flush, piece.deflated);
            text.clear();
        };
        if (first == 0) text += '[';
        for (std::uint32_t i = first; i < end; ++i) {
            check_stop();
            if (i > 0) text += ',';
            append(text, AllocationId{i});
            if (text.size() >= k_text_batch_bytes) deflate_text(Z_NO_FLUSH);
        }
        if (end == count_) text += ']';
        deflate_text(end == count_ ? Z_FINISH : Z_SYNC_FLUSH);
        return piece;
    }

    void begin_more() {
        // Pieces take different times. With twice as many pieces as cores, a core that finishes early gets another piece.
        const std::size_t at_once = 2 * std::size_t{std::max(std::thread::hardware_concurrency(), 1U)};
        while (making_.size() < at_once && !has_begun_last_) {
            const std::uint32_t first = begun_;
            begun_ += std::min(k_allocations_per_piece, count_ - begun_);
            has_begun_last_ = begun_ == count_;
            making_.push_back(start_async([this, first, end = begun_] { return make(first, end); }));
        }
    }

    bool take_next() {
        begin_more();
        if (making_.empty()) return false;
        check_stop();
        std::future<Piece> next = std::move(making_.front());
        making_.pop_front();
        Piece piece = next.get();
        begin_more();
        text_crc_ =
            static_cast<std::uint32_t>(crc32_combine(text_crc_, piece.text_crc, static_cast<z_off_t>(piece.text_bytes)));
        text_bytes_ += piece.text_bytes;
        report_done(begun_, count_);
        ready_ = std::move(piece.deflated);
        used_ = 0;
        return true;
    }

    std::uint32_t count_;
    Append append_;
    int level_;
    std::uint32_t begun_ = 0;  ///< Number of allocations whose pieces are complete or in progress
    bool has_begun_last_ = false;
    std::string ready_;
    std::size_t used_ = 0;
    std::uint64_t text_bytes_ = 0;
    std::uint32_t text_crc_ = 0;
    std::deque<std::future<Piece>> making_;  ///< Last member, so that its threads end before the other members are destroyed
};

namespace fs = std::filesystem;

constexpr const char* k_allocations_file = "allocations.json";
constexpr const char* k_elements_file = "elements.db";
constexpr std::size_t k_write_batch_bytes = 1 << 20;

/// Compression levels. Higher levels take far longer and save little: elements repeat earlier frames, and allocations are
/// numbers.
constexpr int k_allocations_level = 4;
constexpr int k_elements_level = 5;
constexpr std::size_t k_max_stack_cache_bytes = 8 << 20;  // cached stack texts of one thread

/// A list as a libzip source. Stores the error, because no exception may pass through libzip.
struct ListSource {
    DeflatedList list;
    Status failed;  ///< Error that ended the list early
};

zip_int64_t serve(void* state, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    auto* source = static_cast<ListSource*>(state);
    const DeflatedList* list = &source->list;
    switch (command) {
        case ZIP_SOURCE_READ: {
            const auto count = caught([&] { return source->list.read(static_cast<char*>(data), length); });
            if (count) return static_cast<zip_int64_t>(*count);
            source->failed = count.error();
            return -1;
        }
        case ZIP_SOURCE_ERROR: {
            zip_error_t error{};
            zip_error_set(&error, ZIP_ER_READ, 0);
            return zip_error_to_data(&error, data, length);
        }
        case ZIP_SOURCE_STAT: {
            // libzip asks again after it has read everything. The data is already deflated, because libzip would deflate on
            // a single core.
            auto* stat = static_cast<zip_stat_t*>(data);
            zip_stat_init(stat);
            stat->comp_method = ZIP_CM_DEFLATE;
            stat->valid = ZIP_STAT_COMP_METHOD;
            if (list->text_bytes() > 0) {
                stat->size = list->text_bytes();
                stat->crc = list->text_crc();
                stat->valid |= ZIP_STAT_SIZE | ZIP_STAT_CRC;
            }
            return sizeof(zip_stat_t);
        }
        case ZIP_SOURCE_SUPPORTS:
            return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                                  ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
        default: return 0;
    }
}

void append_number(std::string& out, std::uint64_t number) {
    char digits[20];
    out.append(digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr);
}

void append_numbers(std::string& out, std::span<const PathPoint> path, std::uint64_t PathPoint::*field) {
    for (const PathPoint& point : path) {
        append_number(out, point.*field);
        out += ',';
    }
    out.pop_back();  // a path has at least two points, so the last character is a comma
}

/// Writes the polygons of one device as JSON.
class PolygonWriter {
public:
    explicit PolygonWriter(const Timeline& timeline)
        : paths_(std::make_shared<const AllPaths>(timeline)), sizes_(&timeline.trace().allocations.size_bytes) {}

    void append(std::string& out, AllocationId id) {
        paths_->read(id, path_);
        out += "{\"elem\":";
        append_number(out, id.value);
        out += ",\"timesteps\":[";
        append_numbers(out, path_, &PathPoint::step);
        out += "],\"offsets\":[";
        append_numbers(out, path_, &PathPoint::offset_bytes);
        out += "],\"size\":";
        append_number(out, (*sizes_)[id.value]);
        out += ",\"color\":";
        append_number(out, id.value);
        out += '}';
    }

private:
    std::shared_ptr<const AllPaths> paths_;  ///< Shared by all copies of this object
    const std::vector<std::uint64_t>* sizes_;
    std::vector<PathPoint> path_;
};

/// Throws if the text of the polygons would exceed the budget, before the first one is created. If a recording frees much of
/// its memory in the order in which it was allocated, polygons are by far the larger part of the output.
void need_polygons_fit(const Timeline& timeline) {
    constexpr std::uint64_t k_min_point_bytes = 4;  // two one-digit numbers, each with a comma
    const Budget* const budget = Context::current().budget;
    if (budget == nullptr || timeline.path_point_count() <= budget->max_written_bytes() / k_min_point_bytes) return;
    charge_written(timeline.path_point_count() * k_min_point_bytes, k_too_long_export);
}

/// Writes the elements of one device as JSON. The text of a stack's frames is created once and then copied.
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
        if (event.is_some() && events.time_us[event.value] != k_no_time)
            fmt::format_to(std::back_inserter(out), ",\"time_us\":{}", events.time_us[event.value]);
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
        if (kept_bytes_ > k_max_stack_cache_bytes) frames_.clear(), kept_bytes_ = 0;
        std::string& text = frames_[stack.value];
        if (!text.empty()) return text;
        const std::span<const FrameId> frames = snapshot_.stacks.stack(stack);
        const auto add = [&text](std::string_view name, std::string_view file, std::uint64_t line) {
            text += fmt::format("{}{{\"name\":{},\"filename\":{},\"line\":{}}}", text.empty() ? "" : ",", json_quoted(name),
                                json_quoted(file), line);
        };
        for (std::size_t i = 0; i < frames.size(); ++i) {
            if (i == limits::k_max_path_frames || text.size() > limits::k_max_stack_bytes) {
                add(more_frames(frames.size() - i), "", 0);
                break;
            }
            const Frame& frame = snapshot_.stacks.frame(frames[i]);
            const auto cut = [&](StringId name) {
                return shortened(snapshot_.strings.view(name), limits::k_max_frame_bytes);
            };
            add(cut(frame.function), cut(frame.file), frame.written_line());
        }
        kept_bytes_ += text.size();
        return text;
    }

    const Timeline& timeline_;
    const Snapshot& snapshot_;
    std::unordered_map<std::uint32_t, std::string> frames_;
    std::size_t kept_bytes_ = 0;
};

struct DiscardArchive {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};

/// Creates the folder, or checks that it contains nothing but an earlier export. Returns a guard that removes a new folder
/// again unless it is kept.
std::optional<TemporaryPath> prepare_folder(const std::string& folder) {
    std::error_code error;
    if (!fs::exists(folder, error)) {
        std::optional<TemporaryPath> made(std::in_place, folder, TemporaryPath::Kind::folder);
        if (fs::create_directory(folder, error)) return made;
        made->keep();  // the folder does not exist, or another process made it
    }
    if (error) throw Failure{write_error(error.message())};
    for (const std::string& name : list_names(folder, error)) {
        if (name == k_allocations_file || name == k_elements_file || is_temporary_name(name)) continue;
        throw Failure{
            write_error("the folder already holds other files, such as " + name + "; choose a new or empty folder")};
    }
    if (error) throw Failure{write_error(error.message())};
    return std::nullopt;
}

void write_polygons(OutputFile& file, const Timeline& timeline) {
    need_polygons_fit(timeline);
    PolygonWriter writer(timeline);
    std::string text = "[";
    for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i) {
        check_stop();
        if (i > 0) text += ',';
        writer.append(text, AllocationId{i});
        report_done(i, timeline.allocation_count());
        if (text.size() < k_write_batch_bytes) continue;
        charge_written(text.size(), k_too_long_export);
        if (!file.write(text)) return;  // commit() reports the error
        text.clear();
    }
    file.write(text + "]");
}

void write_folder(const Timeline& timeline, const fs::path& folder) {
    OutputFile allocations = value_or_throw(OutputFile::create((folder / k_allocations_file).string()));
    OutputFile elements = value_or_throw(OutputFile::create((folder / k_elements_file).string()));
    write_polygons(allocations, timeline);
    write_snapviewer_elements(timeline, elements.temporary_path());
    check_stop();
    throw_if_error(OutputFile::commit(allocations, elements));
}

/// Lets libzip write an archive to an open temporary file. Given a path, libzip would write to its own file beside it, which
/// would remain if a signal ended the program.
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

void write_archive(std::FILE* stream, ListSource& allocations, ListSource& elements) {
    ArchiveFile file{stream};
    zip_error_t error{};
    zip_source_t* target = zip_source_function_create(serve_archive, &file, &error);
    std::unique_ptr<zip_t, DiscardArchive> archive(
        target == nullptr ? nullptr : zip_open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE, &error));
    if (!archive) {
        zip_source_free(target);
        throw Failure{write_error(zip_error_strerror(&error))};
    }
    for (const auto& [name, list] : {std::pair{"allocations.json", &allocations}, std::pair{"elements.json", &elements}}) {
        zip_source_t* source = zip_source_function(archive.get(), serve, list);
        if (source == nullptr || zip_file_add(archive.get(), name, source, ZIP_FL_ENC_UTF_8) < 0)
            throw Failure{write_error(zip_strerror(archive.get()))};
    }
    const bool is_closed = zip_close(archive.get()) == 0;
    for (const ListSource* source : {&allocations, &elements}) throw_if_error(source->failed);
    if (!is_closed) throw Failure{write_error(zip_strerror(archive.get()))};
    (void)archive.release();  // zip_close() has freed the archive
}

void write_zip(const Timeline& timeline, const std::string& path) {
    const auto count = static_cast<std::uint32_t>(timeline.allocation_count());
    need_polygons_fit(timeline);
    const auto source_of = [&](auto writer, int level) {
        return ListSource{{count, [writer](std::string& out, AllocationId id) mutable { writer.append(out, id); }, level},
                          {}};
    };
    ListSource allocations = source_of(PolygonWriter(timeline), k_allocations_level);
    ListSource elements = source_of(ElementWriter(timeline), k_elements_level);
    OutputFile file = value_or_throw(OutputFile::create(path));
    write_archive(file.stream(), allocations, elements);
    check_stop();
    throw_if_error(file.commit());
}

}  // namespace

Status export_snapviewer_zip(const Timeline& timeline, const std::string& path, Progress& progress) {
    return caught(&progress, [&] { write_zip(timeline, path); });
}

Status export_snapviewer_folder(const Timeline& timeline, const std::string& folder, Progress& progress) {
    return caught(&progress, [&] {
        std::optional<TemporaryPath> made = prepare_folder(folder);
        write_folder(timeline, folder);
        if (made) made->keep();
    });
}

}  // namespace snapviewer::exports
