#include "core/load/containers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "core/base/addresses.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/load/bytes/pages.h"
#include "core/load/read_database.h"
#include "core/load/remote/source.h"

namespace snapviewer::load {
namespace {

/// A kind of file that is not a snapshot: a function that recognises it, and the message about it.
struct ForeignFormat {
    bool (*fits)(std::string_view front);
    const char* sentence;
    bool explains_recording = false;  ///< True if the message also says how to record a snapshot
};

constexpr const char* k_record_instead =
    "; to see every allocation, record a snapshot with torch.cuda.memory._record_memory_history() and "
    "torch.cuda.memory._dump_snapshot()";

bool has_words(std::string_view front, std::string_view part) { return contains_in_any_case(front, part); }

constexpr std::size_t k_examined_bytes = std::size_t{64} * 1024;

/// Returns the first format in `looks` whose function recognises `front`, or null.
const ForeignFormat* find_format(std::span<const ForeignFormat> looks, std::string_view front) {
    front = front.substr(0, k_examined_bytes);
    const auto found = std::ranges::find_if(looks, [&](const ForeignFormat& look) { return look.fits(front); });
    return found == looks.end() ? nullptr : &*found;
}

std::string sentence_of(const ForeignFormat& look) {
    return std::string(look.sentence) + (look.explains_recording ? k_record_instead : "");
}

std::string_view without_mark(std::string_view front) {
    if (front.starts_with("\xEF\xBB\xBF")) front.remove_prefix(3);
    return front;
}

std::string_view first_line(std::string_view front) {
    front = without_mark(front);
    return front.substr(0, front.find_first_of("\r\n"));
}

/// True if JSON text contains this quoted text as a key, not as a value.
bool has_key(std::string_view text, std::string_view quoted_key) {
    for (std::size_t at = text.find(quoted_key); at != text.npos; at = text.find(quoted_key, at + 1)) {
        const std::size_t next = text.find_first_not_of(" \t\r\n", at + quoted_key.size());
        if (next != text.npos && text[next] == ':') return true;
    }
    return false;
}

constexpr std::size_t k_first_event_bytes = 4096;

/// True for a trace in Chrome's format: a list of events, or an object with the key traceEvents. Kineto writes schemaVersion
/// as the first key.
bool is_trace(std::string_view front) {
    const std::string_view text = without_mark(front);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos || (text[first] != '{' && text[first] != '[')) return false;
    if (text[first] == '[') return has_key(text.substr(0, k_first_event_bytes), "\"ph\"");
    const std::size_t key = text.find_first_not_of(" \t\r\n", first + 1);
    return (key != text.npos && text.substr(key).starts_with("\"schemaVersion\"")) || has_key(text, "\"traceEvents\"");
}

/// Removes a protobuf varint from the front of `bytes`; false at the end.
bool skip_number(std::string_view& bytes) {
    const auto last = std::ranges::find_if(bytes, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (last == bytes.end()) return false;
    bytes.remove_prefix(static_cast<std::size_t>(last - bytes.begin()) + 1);
    return true;
}

/// True for a profile of pprof, which is a protobuf. It begins with a sample type, which consists of two indices of strings,
/// followed by another sample type or a sample.
bool is_pprof(std::string_view front) {
    if (front.size() < 2 || front[0] != '\x0a') return false;
    const std::size_t length = static_cast<unsigned char>(front[1]);
    if (front.size() < length + 3) return false;
    std::string_view type = front.substr(2, length);
    for (const char tag : {'\x08', '\x10'}) {
        if (!type.starts_with(tag)) return false;
        type.remove_prefix(1);
        if (!skip_number(type)) return false;
    }
    return type.empty() && (front[2 + length] == '\x0a' || front[2 + length] == '\x12');
}

bool is_radeon_capture(std::string_view front) {
    // AMD's container, or an older capture, which begins with MINI and a version.
    return front.starts_with("AMD_RDF ") || (front.starts_with("MINI") && front.substr(4, 4).find('\0') != front.npos);
}

bool has_counters(std::string_view front) {
    return has_words(front, ".all.allocated") || has_words(front, ".all.current") ||
           (has_words(front, "small_pool") && has_words(front, "large_pool")) || has_words(front, "CUDA memory summary");
}

/// True for a CSV file of msMemScope, whose first columns changed several times.
bool is_memscope_csv(std::string_view front) {
    const std::string_view line = first_line(front);
    const bool has_place = has_words(line, ",Ptr") || has_words(line, ",Addr");
    return (has_words(line, "Event Type,") && has_place) || line.starts_with("type,name,processID,");
}

bool is_ascend_csv(std::string_view front) {
    const std::string_view line = first_line(front);
    return has_words(line, "Allocation Total Allocated(") ||
           (has_words(line, "Component,Timestamp(us),") && has_words(line, "Total Reserved("));
}

/// True for text such as a log: it contains no control characters except those for lines and terminals.
bool is_text(std::string_view front) {
    return std::ranges::all_of(
        front, [](char c) { return static_cast<unsigned char>(c) >= ' ' || (c >= '\b' && c <= '\r') || c == '\x1b'; });
}

constexpr std::array k_foreign_kinds = {
    ForeignFormat{is_trace,
                  "is a trace of torch.profiler or of another program that writes Chrome's format, not a memory snapshot; "
                  "Perfetto (ui.perfetto.dev) shows it",
                  true},
    ForeignFormat{is_pprof,
                  "is a profile in pprof's format, as jax.profiler.save_device_memory_profile() writes one, not a memory "
                  "snapshot; open it with 'pprof -http=: FILE'"},
    ForeignFormat{
        [](std::string_view front) { return front.starts_with("NVIDIA Tegra Profiler Report"); },
        "is a report of NVIDIA's Nsight Systems, not a memory snapshot; run 'nsys export --type sqlite FILE' and open "
        "the database, whose tables can be queried",
        true},
    ForeignFormat{
        is_radeon_capture,
        "is a capture of AMD's Radeon Memory Visualizer or a tool related to it, not a memory snapshot; open it there",
        true},
    ForeignFormat{
        [](std::string_view front) { return has_words(front, "memories_allocated"); },
        "holds what MemoryTracker.save_stats() of torch.distributed wrote, totals after each operator, not a memory "
        "snapshot; MemoryTracker.load() and summary() print them",
        true},
    ForeignFormat{has_counters, "holds the counters of torch.cuda.memory_stats(), not a memory snapshot", true},
    ForeignFormat{is_memscope_csv,
                  "is a table of msMemScope as CSV, which is not read; run msMemScope with --data-format=db and open the "
                  "memscope_dump_*.db that it writes"},
    ForeignFormat{is_ascend_csv,
                  "is operator_memory.csv or memory_record.csv of Ascend's profiler, which is not read; open the "
                  "ascend_pytorch_profiler_*.db of the same profile, which export_type db of torch_npu's profiler writes"},
};

constexpr const char* k_is_oom_log =
    "is a log with PyTorch's out-of-memory error, not a snapshot; give it beside the snapshot of the same run: 'snapviewer "
    "report SNAPSHOT --log FILE'";
constexpr std::string_view k_oom_error_words = "out of memory. Tried to allocate";

/// The output of any failed program. Tested after all more specific kinds.
constexpr const char* k_is_traceback =
    "is the text of a Python error, not a snapshot; its last line says why the program that was to write one failed";

constexpr std::array k_foreign_bytes = {
    ForeignFormat{[](std::string_view front) { return front.empty(); },
                  "is empty; the program that was to write it may have died first, or its disk was full"},
    ForeignFormat{[](std::string_view front) { return looks_like_sqlite(front); },
                  "is an SQLite database inside another file; unpack it first"},
    ForeignFormat{[](std::string_view front) { return bytes::looks_like_zip(front); },
                  "is a zip inside another compressed file; unpack the outer one first"},
    ForeignFormat{[](std::string_view front) { return front.starts_with("version https://git-lfs.github.com/spec/"); },
                  "is a Git LFS pointer, which only names the snapshot; run 'git lfs pull' where it was cloned"},
    ForeignFormat{[](std::string_view front) { return std::ranges::all_of(front, [](char c) { return c == '\0'; }); },
                  "is not a file that snapviewer can read, but begins with zeros: room was made for it, and it was never "
                  "written; copy or record it again"},
    ForeignFormat{[](std::string_view) { return true; },
                  "is not a file that snapviewer can read; expected a PyTorch memory snapshot (pickle, JSON or HTML), a "
                  "SnapViewer zip or the database of a memory profiler"},
};

bool is_login_page(std::string_view front) {
    constexpr std::array<std::string_view, 6> k_words = {"login",  "log in",   "sign in",
                                                         "signin", "password", "single sign-on"};
    return std::ranges::any_of(k_words, [&](std::string_view word) { return has_words(front, word); });
}

/// True for a page of PyTorch's viewer, whose data is in the list local_files.
bool has_data(std::string_view front) { return has_words(front, "local_files"); }

constexpr std::array k_foreign_pages = {
    ForeignFormat{
        [](std::string_view front) { return !has_data(front) && is_login_page(front); },
        "is an HTML page that asks to log in, not a snapshot: whoever fetched the file got this page in its place; "
        "log in and fetch it again"},
    ForeignFormat{[](std::string_view front) { return has_words(front, "<Error>") && has_words(front, "<Code>"); },
                  "is the answer of an object store that refused the file, not a snapshot; its <Code> says why"},
};

std::shared_ptr<Snapshot> read_packed(bytes::ByteReader& reader, std::uint64_t expected_bytes, const Input& input,
                                      const char* context) {
    if (input.depth >= limits::k_container_depth) bytes::fail("is compressed more times over than any real snapshot");
    return bytes::in_context(context, [&] {
        bytes::ReadAhead unpacked(reader);
        return read_stream(unpacked, expected_bytes, input.depth + 1, input.part);
    });
}

}  // namespace

std::optional<std::string> describe_foreign(std::string_view front, std::string_view text) {
    if (const ForeignFormat* look = find_format(k_foreign_kinds, front)) return sentence_of(*look);
    if (!is_text(front.substr(0, k_examined_bytes))) return std::nullopt;
    if (text.find(k_oom_error_words) != text.npos) return k_is_oom_log;
    if (has_words(front.substr(0, k_examined_bytes), "Traceback (most recent call last)")) return k_is_traceback;
    return std::nullopt;
}

std::string describe_unknown(std::string_view front, std::string_view text) {
    if (!front.empty()) {
        if (std::optional<std::string> foreign = describe_foreign(front, text)) return *foreign;
    }
    return sentence_of(*find_format(k_foreign_bytes, front));
}

void refuse_foreign_page(std::string_view front) {
    if (const ForeignFormat* look = find_format(k_foreign_pages, front)) bytes::fail(sentence_of(*look));
}

void refuse_foreign_json(std::string_view front) {
    if (is_trace(front.substr(0, k_examined_bytes))) bytes::fail(sentence_of(k_foreign_kinds.front()));
}

bool looks_like_snapshot(std::string_view front) {
    Input input;
    input.front = front;
    return std::ranges::any_of(formats(), [&](const Format& format) { return format.looks_like(input); });
}

std::shared_ptr<Snapshot> read_stream(bytes::ByteSource& source, std::uint64_t expected_bytes, int depth,
                                      std::uint32_t part) {
    bytes::PeekedSource peeked(source);
    profilers::LoadedFile loaded;
    read_input({peeked.front(), &peeked, nullptr, expected_bytes, depth, part}, loaded);
    return std::move(loaded.snapshot);
}

bool looks_packed(std::string_view front) { return bytes::packing_of(front) != nullptr; }

std::shared_ptr<Snapshot> read_packed_snapshot(const Input& input) {
    const bytes::Packing& packing = *bytes::packing_of(input.front);
    if (packing.is_dense) budget_of_thread().expect_dense_packing();
    const std::unique_ptr<bytes::ByteReader> reader = packing.unpack(*input.bytes);
    std::shared_ptr<Snapshot> snapshot =
        read_packed(*reader, packing.usual_ratio * input.expected_bytes, input, packing.context);
    snapshot->container = packing.name + (snapshot->container.empty() ? "" : "/" + snapshot->container);
    return snapshot;
}

std::shared_ptr<Snapshot> read_page_snapshot(const Input& input) {
    bytes::HtmlReader reader(*input.bytes);
    std::shared_ptr<Snapshot> snapshot = read_packed(reader, input.expected_bytes / 4 * 3, input, "as decoded from base64");
    if (const std::string view = reader.take_view_name(); !view.empty()) snapshot->log.add("page_view", {}, {view});
    return snapshot;
}

namespace {

using Member = bytes::ZipArchive::Member;

constexpr std::size_t k_max_named_members = 10;

/// True for members that are never snapshots: folders, and files that macOS adds.
bool is_never_snapshot(const Member& member) { return member.name.ends_with('/') || member.name.starts_with("__MACOSX/"); }

/// True for a checkpoint that torch.save wrote.
bool is_checkpoint(bytes::ZipArchive& archive) {
    return std::ranges::any_of(archive.members(), [](const Member& member) { return member.name.ends_with("/data.pkl"); });
}

/// Members that may be snapshots, the largest first, and the first member that cannot be unpacked.
struct Candidates {
    std::vector<const Member*> members;
    const Member* unreadable = nullptr;
    std::string why_unreadable;
};

Candidates candidates_of(bytes::ZipArchive& archive) {
    Candidates found;
    std::vector<const Member*>& members = found.members;
    for (const Member& member : archive.members()) {
        if (!is_never_snapshot(member)) members.push_back(&member);
    }
    std::ranges::stable_sort(members, std::greater<>{}, &Member::size_bytes);
    if (members.size() > limits::k_zip_candidates) members.resize(limits::k_zip_candidates);
    std::erase_if(members, [&](const Member* member) {
        check_stop();
        std::array<char, bytes::PeekedSource::k_min_front_bytes> front;
        try {
            const std::size_t size = bytes::ZipMemberReader(archive, *member).read(front);
            return !looks_like_snapshot({front.data(), size});
        } catch (const Failure& failure) {
            if (failure.error.code == ErrorCode::cancelled) throw;
            if (found.unreadable == nullptr) {
                found.unreadable = member;
                found.why_unreadable = failure.error.message;
            }
            return true;
        }
    });
    return found;
}

std::shared_ptr<Snapshot> read_member(bytes::ZipArchive& archive, const Member& member) {
    try {
        bytes::ZipMemberReader reader(archive, member);
        bytes::ReadAhead unpacked(reader);
        const std::uint64_t expected_bytes = std::min(member.size_bytes, limits::k_zip_ratio * archive.bytes().size());
        return read_stream(unpacked, expected_bytes, 1);
    } catch (Failure& failure) {
        if (failure.error.code != ErrorCode::bad_file) throw;
        const std::string& inner = failure.error.context;
        failure.error.context =
            "member " + member.name + (inner.empty() || inner.starts_with("member ") ? "" : ", " + inner);
        throw;
    }
}

std::string names_of(const std::vector<const Member*>& members) {
    std::string names;
    for (std::size_t i = 0; i < std::min(members.size(), k_max_named_members); ++i)
        names += (i == 0 ? "" : ", ") + members[i]->name;
    return members.size() > k_max_named_members ? names + ", ..." : names;
}

}  // namespace

std::shared_ptr<Snapshot> read_zipped_snapshot(bytes::ZipArchive& archive) {
    const Candidates found = candidates_of(archive);
    const std::vector<const Member*>& candidates = found.members;
    std::vector<const Member*> refused;
    std::optional<Failure> first_failure;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        try {
            std::shared_ptr<Snapshot> snapshot = read_member(archive, *candidates[i]);
            snapshot->container = snapshot->container.empty() ? "zip" : "zip/" + snapshot->container;
            if (!refused.empty()) {
                snapshot->log.add("unusable_members", {.count = refused.size()},
                                  {names_of(refused), first_failure->error.text()});
            }
            const std::vector<const Member*> others(candidates.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                                    candidates.end());
            if (!others.empty()) {
                snapshot->log.add(
                    "other_snapshots", {.count = others.size()},
                    {fmt::format("the zip holds more files that may be snapshots; {}, the largest, is shown, but not {}",
                                 candidates[i]->name, names_of(others))});
            }
            return snapshot;
        } catch (const Failure& failure) {
            if (failure.error.code != ErrorCode::bad_file) throw;
            refused.push_back(candidates[i]);
            if (!first_failure) first_failure = failure;
        }
    }
    if (is_checkpoint(archive)) bytes::fail(k_is_checkpoint);
    if (candidates.empty() && found.unreadable != nullptr)
        bytes::fail(fmt::format("is a zip file whose member {} {}", found.unreadable->name, found.why_unreadable));
    bytes::fail(
        fmt::format("is a zip file of {} members without a snapshot{}; expected a pickled or JSON snapshot, or SnapViewer's "
                    "allocations.json and elements.json",
                    archive.members().size(),
                    first_failure ? fmt::format(" ({} {})", refused.front()->name, first_failure->error.text()) : ""));
}

namespace {

/// Passes the unpacked content of `source` to `take`. Appends the names of the packings to `packed_with`.
void pass_bytes(bytes::ByteSource& source, std::optional<std::uint64_t> size_bytes, int depth, const TakeBytes& take,
                std::string& packed_with) {
    bytes::PeekedSource peeked(source);
    if (const bytes::Packing* packing = bytes::packing_of(peeked.front())) {
        if (depth >= limits::k_container_depth) bytes::fail("is compressed more times over than any real snapshot");
        if (packing->is_dense) budget_of_thread().expect_dense_packing();
        packed_with += (depth == 0 ? "" : "/") + std::string(packing->name);
        const std::unique_ptr<bytes::ByteReader> reader = packing->unpack(peeked);
        bytes::ReadAhead unpacked(*reader);
        return pass_bytes(unpacked, std::nullopt, depth + 1, take, packed_with);
    }
    if (!looks_like_snapshot(peeked.front()))
        bytes::fail(
            "is not a file that can be packed; expected a PyTorch snapshot as pickle, JSON or HTML, or a memory timeline");
    for (std::string_view piece = peeked.next_piece(); !piece.empty(); piece = peeked.next_piece())
        throw_if_error(take(piece, size_bytes));
}

}  // namespace

Result<std::string> read_snapshot_bytes(const std::string& path, Progress& progress, const TakeBytes& take) {
    return caught(&progress, [&] {
        report_stage(Stage::reading);
        const auto pass_all = [&](bytes::ByteSource& source, std::optional<std::uint64_t> size_bytes) {
            std::string packings;
            pass_bytes(source, size_bytes, 0, take, packings);
            return packings;
        };
        if (is_standard_input(path)) {
            throw_if_error(bytes::StandardInputSource::take());
            bytes::StandardInputSource source;
            return pass_all(source, std::nullopt);
        }
        if (is_remote(path)) {
            remote::RemoteSource source(value_or_throw(remote::take_fetch(path)));
            return pass_all(source, source.expected_bytes() > 0 ? std::optional(source.expected_bytes()) : std::nullopt);
        }
        MappedFile file = value_or_throw(MappedFile::open(path));
        const std::uint64_t size_bytes = file.size_bytes();
        budget_of_thread().add_file(size_bytes);
        Result<std::string> packed_with = caught([&] {
            bytes::MappedSource source(file);
            return pass_all(source, size_bytes);
        });
        throw_if_error(file.check_still_whole());
        return value_or_throw(std::move(packed_with));
    });
}

}  // namespace snapviewer::load
