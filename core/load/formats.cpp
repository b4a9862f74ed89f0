#include "core/load/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <utility>

#include "core/base/addresses.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/load/bytes/pages.h"
#include "core/load/containers.h"
#include "core/load/pytorch/json_snapshot.h"
#include "core/load/pytorch/pickle.h"
#include "core/load/read_database.h"
#include "core/load/remote/source.h"
#include "core/trace/segments.h"
#include "core/trace/snapshot.h"

namespace snapviewer::load {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

profilers::LoadedFile read(FileOnDisk& file, std::uint32_t part) {
    profilers::LoadedFile loaded;
    if (file.is_folder()) {
        Input folder;
        folder.file = &file;
        folder.part = part;
        read_input(folder, loaded);
        return loaded;
    }
    bytes::MappedSource source(file.bytes());
    bytes::PeekedSource peeked(source);
    read_input({peeked.front(), &peeked, &file, file.bytes().size_bytes(), 0, part}, loaded);
    return loaded;
}

/// Loads a file from the disk. Calls `opened` after opening the file and before reading it.
template <typename Opened>
profilers::LoadedFile load_from_disk(const std::string& path, std::uint32_t part, Opened opened) {
    const std::unique_ptr<FileOnDisk> file = FileOnDisk::open(path);
    budget_of_thread().add_file(file->bytes().size_bytes());
    opened();
    Result<profilers::LoadedFile> loaded = caught([&] { return read(*file, part); });
    throw_if_error(file->bytes().check_still_whole());
    return value_or_throw(std::move(loaded));
}

/// Loads a file from a stream. Stores zips and databases in a temporary file first, because they need random access; reads
/// other formats while they arrive.
template <typename Source>
profilers::LoadedFile read_streamed(const std::string& path, Source source, std::uint32_t part) {
    bytes::PeekedSource peeked(source);
    if (bytes::looks_like_zip(peeked.front()) || looks_like_sqlite(peeked.front()))
        return read(*FileOnDisk::keep(path, peeked, source.expected_bytes()), part);
    profilers::LoadedFile loaded;
    read_input({peeked.front(), &peeked, nullptr, source.expected_bytes(), 0, part}, loaded);
    return loaded;
}

profilers::LoadedFile load_standard_input(std::uint32_t part) {
    throw_if_error(bytes::StandardInputSource::take());
    return read_streamed(k_standard_input, bytes::StandardInputSource(), part);
}

profilers::LoadedFile load_remote(const std::string& path, std::uint32_t part) {
    return read_streamed(path, remote::RemoteSource(value_or_throw(remote::take_fetch(path))), part);
}

}  // namespace

FileOnDisk::FileOnDisk(std::string path, bool is_folder, MappedFile bytes)
    : path_(std::move(path)), is_folder_(is_folder), bytes_(std::move(bytes)) {}

std::unique_ptr<FileOnDisk> FileOnDisk::open(const std::string& path) {
    std::error_code ignored;
    const bool is_folder = std::filesystem::is_directory(path, ignored);
    MappedFile bytes = is_folder ? MappedFile() : value_or_throw(MappedFile::open(path));
    return std::unique_ptr<FileOnDisk>(new FileOnDisk(path, is_folder, std::move(bytes)));
}

std::unique_ptr<FileOnDisk> FileOnDisk::keep(const std::string& path, bytes::ByteSource& bytes,
                                             std::uint64_t expected_bytes) {
    ScratchFile scratch = value_or_throw(ScratchFile::create(expected_bytes));
    std::uint64_t kept_bytes = 0;
    for (std::string_view piece = bytes.next_piece(); !piece.empty(); piece = bytes.next_piece()) {
        if (kept_bytes + piece.size() > limits::k_database_bytes)
            bytes::fail(fmt::format("is more than the {} that are kept in a temporary file",
                                    format_bytes(limits::k_database_bytes)));
        throw_if_error(scratch.write(std::as_bytes(std::span(piece)), kept_bytes));
        kept_bytes += piece.size();
    }
    MappedFile mapped = value_or_throw(MappedFile::of(scratch));
    std::unique_ptr<FileOnDisk> file(new FileOnDisk(path, false, std::move(mapped)));
    file->is_kept_ = true;
    file->scratch_ = std::move(scratch);
    return file;
}

converted::FolderParts FileOnDisk::folder() const {
    if (is_folder_) return converted::FolderParts(path_);
    const std::string parent = std::filesystem::path(path_).parent_path().string();
    return converted::FolderParts(parent.empty() ? "." : parent);
}

bytes::ZipArchive& FileOnDisk::zip() {
    if (!zip_) zip_.emplace(bytes_.bytes());
    return *zip_;
}

const std::shared_ptr<sqlite::SqliteFile>& FileOnDisk::database() {
    if (database_) return database_;
    database_ = value_or_throw(scratch_ ? sqlite::SqliteFile::open_unpacked(*std::move(scratch_), display_name(path_))
                                        : sqlite::SqliteFile::open(path_));
    return database_;
}

namespace {

bool is_zip(const Input& input) { return input.file != nullptr && bytes::looks_like_zip(input.front); }

/// True for any folder, for SnapViewer's allocations.json, and for an elements.db that lies beside it.
bool is_snapviewer_folder(const Input& input) {
    if (input.file == nullptr || input.file->is_kept()) return false;
    if (input.file->is_folder() ||
        converted::looks_like_polygons(input.front.substr(0, bytes::PeekedSource::k_min_front_bytes)))
        return true;
    return looks_like_sqlite(input.front) && converted::is_snapviewer(input.file->folder()) &&
           input.file->database()->find_column("allocs", {"callstack"}).has_value();
}

void read_snapviewer_folder(const Input& input, profilers::LoadedFile& loaded) {
    converted::FolderParts parts = input.file->folder();
    if (!converted::is_snapviewer(parts))
        bytes::fail("is a folder; expected a snapshot, or a folder that holds SnapViewer's allocations.json");
    loaded.snapshot = converted::read_snapviewer(parts);
    loaded.snapshot->kind = FileKind::snapviewer_folder;
}

bool is_snapviewer_zip(const Input& input) {
    return is_zip(input) && converted::is_snapviewer(converted::ZippedParts(input.file->zip()));
}

void read_snapviewer_zip(const Input& input, profilers::LoadedFile& loaded) {
    converted::ZippedParts parts(input.file->zip());
    loaded.snapshot = converted::read_snapviewer(parts);
    loaded.snapshot->kind = FileKind::snapviewer_zip;
}

void read_zip(const Input& input, profilers::LoadedFile& loaded) {
    loaded.snapshot = read_zipped_snapshot(input.file->zip());
}

void read_packed_file(const Input& input, profilers::LoadedFile& loaded) { loaded.snapshot = read_packed_snapshot(input); }

constexpr std::size_t k_searched_log_bytes = std::size_t{64} * 1024 * 1024;

/// Returns the end of a file, which is searched for an error message at the end of a log.
std::string_view log_text(const Input& input) {
    if (input.file == nullptr || input.file->is_folder()) return input.front;
    const std::span<const std::byte> bytes = input.file->bytes().bytes();
    const std::span<const std::byte> end = bytes.last(std::min(bytes.size(), k_searched_log_bytes));
    return {reinterpret_cast<const char*>(end.data()), end.size()};
}

/// Reads a text file or a pickle with `read`. If that fails and the file turns out to be of a foreign kind, throws a message
/// about that kind instead.
template <typename Read>
std::shared_ptr<Snapshot> read_or_describe(const Input& input, Read read) {
    const std::string front(input.front);  // a copy, because input.front is invalid after more bytes are read
    try {
        return read();
    } catch (const Failure& failure) {
        if (failure.error.code != ErrorCode::bad_file) throw;
        const std::string_view text = input.file == nullptr ? std::string_view(front) : log_text(input);
        if (const std::optional<std::string> foreign = describe_foreign(front, text)) bytes::fail(*foreign);
        throw;
    }
}

void read_page(const Input& input, profilers::LoadedFile& loaded) {
    if (pytorch::looks_like_memory_timeline_page(input.front)) pytorch::fail_memory_timeline_page();
    if (converted::looks_like_plot_page(input.front)) {
        loaded.snapshot = converted::read_plot_page(*input.bytes);
    } else {
        refuse_foreign_page(input.front);
        loaded.snapshot = read_page_snapshot(input);
    }
    loaded.snapshot->kind = FileKind::pytorch_html;
}

void read_timeline(const Input& input, profilers::LoadedFile& loaded) {
    loaded.snapshot = pytorch::read_memory_timeline(*input.bytes);
    loaded.snapshot->kind = FileKind::memory_timeline;
}

void read_pickled(const Input& input, profilers::LoadedFile& loaded) {
    const bool is_of_torch_save = pytorch::torch_save_number_end(input.front) > 0;
    loaded.snapshot = read_or_describe(input, [&] {
        try {
            return pytorch::read_pickle(*input.bytes, input.expected_bytes, input.part);
        } catch (const Failure& failure) {
            if (is_of_torch_save && !failure.is_cut && failure.error.code == ErrorCode::bad_file)
                bytes::fail(k_is_checkpoint);
            throw;
        }
    });
    loaded.snapshot->kind = FileKind::pytorch_pickle;
}

void read_json(const Input& input, profilers::LoadedFile& loaded) {
    refuse_foreign_json(input.front);
    loaded.snapshot = read_or_describe(input, [&] { return pytorch::read_json_snapshot(*input.bytes); });
    loaded.snapshot->kind = FileKind::pytorch_json;
}

constexpr std::array k_formats = {
    Format{"SnapViewer's folder with elements.db", "drawn with the steps and offsets it carries", "", is_snapviewer_folder,
           read_snapviewer_folder},
    Format{"SnapViewer's zip: elements.json, in shards, or elements.db", "drawn with the steps and offsets it carries",
           ".zip", is_snapviewer_zip, read_snapviewer_zip},
    Format{"zip that holds any of the next five", "the largest snapshot in it", ".zip", is_zip, read_zip},
    Format{
        "gzip, zlib (joblib), bzip2, xz, LZMA or Zstandard of any of the next four; JSON in UTF-16; a page saved as MHTML",
        "what is in it", ".gz .bz2 .xz .lzma .zst .mhtml .mht", [](const Input& input) { return looks_packed(input.front); },
        read_packed_file},
    Format{"HTML page of PyTorch's viewer: trace_plot, segment_plot or profile_plot, also of 2022", "the snapshot in it",
           ".html", [](const Input& input) { return bytes::looks_like_html(input.front); }, read_page},
    Format{"memory timeline of torch.profiler (export_memory_timeline) as JSON, PyTorch's or Ascend's",
           "bytes by category over time, stacked; it holds no allocations", ".json",
           [](const Input& input) { return pytorch::looks_like_memory_timeline(input.front); }, read_timeline},
    Format{"PyTorch memory snapshot, pickle protocols 0 to 5, from Python, C++, torch.save or PaddlePaddle, or several in a "
           "dict or list by rank; CUDA, Ascend, XPU and others alike",
           "everything", ".pickle .pkl", [](const Input& input) { return pytorch::looks_like_pickle(input.front); },
           read_pickled},
    Format{"PyTorch memory snapshot as JSON", "everything", ".json",
           [](const Input& input) { return pytorch::looks_like_json(input.front); }, read_json},
    Format{"Skyline and DeepView memory report", "the iteration reconstructed, icicles by source", ".db .sqlite",
           is_database_of<profilers::is_memory_report>, read_database_with<profilers::read_memory_report>},
    Format{"Skyline and DeepView run-time report",
           "icicles by source and in order of execution; with the memory report of the model, both together", ".db .sqlite",
           is_database_of<profilers::is_run_time_report>, read_database_with<profilers::read_run_time_report>},
    Format{"Ascend PyTorch profiler database",
           "every block, memory from before the profile, curves, steps, GC, network and bus traffic", ".db",
           is_database_of<profilers::is_ascend_profiler>, read_database_with<profilers::read_ascend_profiler>},
    Format{"msprof database", "the graph engine's blocks with their addresses, curves, traffic", ".db",
           is_database_of<profilers::is_msprof>, read_database_with<profilers::read_msprof>},
    Format{"msMemScope database: memscope_dump or the older leaks_dump",
           "every block with address, stack and owner; a picture for each kind of memory; marks, operators and kernels",
           ".db", is_database_of<profilers::is_msmemscope>, read_database_with<profilers::read_msmemscope>},
    Format{"MindStudio Insight's database of a snapshot (X.pkl.db)",
           "every event, block and segment, with stacks; the file has no times and no pools", ".db",
           is_database_of<profilers::is_insight_snapshot>, read_database_with<profilers::read_insight_snapshot>},
    Format{"database exported by snapviewer", "the picture it came from, except a profiler's curves and tracks", ".db",
           is_database_of<profilers::is_exported_snapshot>, read_database_with<profilers::read_exported_snapshot>},
    Format{"any other SQLite database", "its tables, in the query pane and on the command line", ".db .sqlite", is_database,
           read_database_with<read_other_database>},
};

}  // namespace

std::span<const Format> formats() { return k_formats; }

void read_input(const Input& input, profilers::LoadedFile& loaded) {
    const auto found = std::ranges::find_if(k_formats, [&](const Format& format) { return format.looks_like(input); });
    if (found == k_formats.end()) {
        const bool is_unpacked = input.depth > 0 && input.bytes != nullptr;
        const std::string unknown = describe_unknown(input.front, log_text(input));
        if (const auto damage = is_unpacked ? bytes::read_to_end(*input.bytes) : std::nullopt) throw Failure(*damage);
        bytes::fail(unknown);
    }
    const bool has_parts = found->read == read_pickled || found->read == read_packed_file || found->read == read_page;
    if (input.part == 0) bytes::fail("has no part 0; parts are numbered from 1");
    if (input.part > 1 && !has_parts) bytes::fail(fmt::format("is one snapshot, so it has no part {}", input.part));
    found->read(input, loaded);
}

std::string formats_markdown() {
    std::string table = "| file | what is shown |\n| --- | --- |\n";
    for (const Format& format : k_formats) table += fmt::format("| {} | {} |\n", format.name, format.kept);
    return table;
}

Result<profilers::LoadedFile> load_file(const std::string& path, Progress& progress, LoadTimings* timings,
                                        std::uint32_t part) {
    return caught(&progress, [&] {
        report_stage(Stage::reading);
        const auto start = std::chrono::steady_clock::now();
        double read_ms = 0;
        profilers::LoadedFile loaded = is_standard_input(path) ? load_standard_input(part)
                                       : is_remote(path)
                                           ? load_remote(path, part)
                                           : load_from_disk(path, part, [&] { read_ms = milliseconds_since(start); });
        check_stop();
        limit_values(*loaded.snapshot);
        if (is_pytorch_recording(loaded.snapshot->kind)) repair_clocks(*loaded.snapshot);
        check_stop();
        // A profiler's database has stream numbers of its own, which are kept.
        if (loaded.databases.empty()) number_streams(*loaded.snapshot);
        if (timings != nullptr) *timings = {read_ms, milliseconds_since(start) - read_ms};
        return loaded;
    });
}

Result<std::shared_ptr<sqlite::SqliteFile>> load_database(const std::string& path, Progress& progress) {
    return caught(&progress, [&] {
        if (!is_remote(path)) {
            budget_of_thread().add_file_at(path);
            return value_or_throw(sqlite::SqliteFile::open(path));
        }
        remote::RemoteSource source(value_or_throw(remote::take_fetch(path)));
        return FileOnDisk::keep(path, source, source.expected_bytes())->database();
    });
}

}  // namespace snapviewer::load
