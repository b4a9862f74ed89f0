#include "core/exports/export.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <new>
#include <thread>
#include <utility>

#include "core/base/addresses.h"
#include "core/base/budget.h"
#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/exports/database_file.h"
#include "core/load/containers.h"
#include "core/load/profilers/readers.h"

namespace snapviewer::exports {
namespace {

std::string create_statement(const sqlite::TableDoc& table) {
    std::string columns;
    for (const ColumnDoc& column : table.columns) {
        // An id that follows the device column is only unique within its device, so it cannot be the primary key.
        const bool is_key = columns.empty() && column.name == "id";
        if (!columns.empty()) columns += ", ";
        columns += fmt::format("\"{}\" {}{}", column.name, column.type, is_key ? " PRIMARY KEY" : "");
    }
    return fmt::format("CREATE TABLE {} ({})", table.name, columns);
}

std::string create_allocs_view(const Snapshot& snapshot, std::size_t device_index) {
    const std::int64_t first = query::first_allocation_row(snapshot, device_index);
    const std::int32_t device = snapshot.devices.empty() ? 0 : snapshot.devices[device_index].device;
    return fmt::format(
        "CREATE VIEW allocs AS SELECT a.id - {} AS idx, a.size AS size, a.alloc_step AS start_time, "
        "coalesce(a.free_step, d.steps) AS end_time, s.text AS callstack "
        "FROM allocations a JOIN devices d ON d.device = a.device LEFT JOIN stacks s ON s.id = a.stack_id WHERE a.device = "
        "{}",
        first, device);
}

using Note = std::array<Cell, 3>;  // device, key and value of a note

/// Returns notes that the tables lack and that a reader needs to draw the same picture.
std::vector<Note> notes_of(const Snapshot& snapshot) {
    std::vector<Note> notes = {{Cell(), profilers::export_notes::k_kind, file_kind_name(snapshot.kind)}};
    for (const DeviceTrace& trace : snapshot.devices) {
        const auto add = [&](bool is_worth_it, const char* key, std::string value) {
            if (is_worth_it) notes.push_back({std::int64_t{trace.device}, key, std::move(value)});
        };
        const Presentation& shown = trace.presentation;
        add(!shown.step_axis_title.empty(), profilers::export_notes::k_step_axis, shown.step_axis_title);
        add(!shown.time_axis_title.empty(), profilers::export_notes::k_time_axis, shown.time_axis_title);
        add(!shown.has_wall_clock, profilers::export_notes::k_no_wall_clock, "");
        add(shown.prefers_time, profilers::export_notes::k_prefers_time, "");
        add(trace.start_us != k_no_time, profilers::export_notes::k_start_us, std::to_string(trace.start_us));
        add(trace.end_us != k_no_time, profilers::export_notes::k_end_us, std::to_string(trace.end_us));
    }
    return notes;
}

void write_notes(const DatabaseFile& file, const std::vector<Note>& notes) {
    TableFiller filler(file, profilers::export_notes::k_table, Note().size());
    for (const Note& note : notes) filler.row(note);
}

void copy_table(query::Database& database, const DatabaseFile& file, const sqlite::TableDoc& table) {
    TableCopier copier(file, table.name);
    constexpr double k_no_limit = 1e9;
    throw_if_error(database.run_each("SELECT * FROM " + table.name, k_no_limit, Context::current().progress, copier));
    copier.finish();
}

void write_tables(query::Database& database, const std::string& path, const Snapshot& snapshot,
                  const std::string& allocs_view) {
    DatabaseFile file;
    file.begin(path);
    file.execute(fmt::format("CREATE TABLE {} (device INTEGER, key TEXT, value TEXT)", profilers::export_notes::k_table));
    write_notes(file, notes_of(snapshot));
    for (const sqlite::TableDoc& table : database.schema()) {
        if (table.name == "allocs" || table.is_file_table) continue;
        file.execute(create_statement(table));
        copy_table(database, file, table);
    }
    file.execute(allocs_view);
    file.commit();
}

/// Formats a stack as SnapViewer's converter does.
std::string numbered_stack(const Snapshot& snapshot, StackId stack) {
    std::string text;
    std::size_t number = 0;
    const std::span<const FrameId> frames = snapshot.stacks.stack(stack);
    for (const FrameId id : frames) {
        if (number == limits::k_max_path_frames || text.size() > limits::k_max_stack_bytes) {
            text += "\n" + more_frames(frames.size() - number);
            break;
        }
        const Frame& frame = snapshot.stacks.frame(id);
        const auto cut = [&](StringId name) { return shortened(snapshot.strings.view(name), limits::k_max_frame_bytes); };
        text += fmt::format("{}({}) {}:{}:{}", number == 0 ? "" : "\n", number, cut(frame.file), frame.written_line(),
                            cut(frame.function));
        ++number;
    }
    return valid_utf8(text);
}

constexpr std::string_view k_base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes whole groups of three bytes as four digits each.
std::string digits_of(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size() / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t bits = 0;
        for (const char byte : bytes.substr(i, 3)) bits = bits << 8 | static_cast<unsigned char>(byte);
        for (const unsigned shift : {18U, 12U, 6U, 0U}) text += k_base64_digits[bits >> shift & 63];
    }
    return text;
}

}  // namespace

Status export_database(query::Database& database, const Snapshot& snapshot, std::size_t device_index,
                       const std::string& path, Progress& progress) {
    return caught(&progress, [&] {
        OutputFile file = value_or_throw(OutputFile::create(path));
        write_tables(database, file.temporary_path(), snapshot, create_allocs_view(snapshot, device_index));
        throw_if_error(file.commit());
    });
}

void write_snapviewer_elements(const Timeline& timeline, const std::string& path) {
    DatabaseFile file;
    file.begin(path);
    file.execute(
        "CREATE TABLE allocs (idx INTEGER PRIMARY KEY, size INTEGER, start_time INTEGER, end_time INTEGER, callstack TEXT)");
    TableCopier copier(file, "allocs");
    const std::array<std::string, 5> columns = {"idx", "size", "start_time", "end_time", "callstack"};
    copier.begin(columns);
    const AllocationColumns& allocations = timeline.trace().allocations;
    StackId last = StackId::none();  // stack of stack_text, because neighbouring allocations mostly have the same stack
    std::string stack_text;
    for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i) {
        const AllocationId id{i};
        if (allocations.stack[i] != last) stack_text = numbered_stack(timeline.snapshot(), allocations.stack[i]);
        last = allocations.stack[i];
        const std::array<Cell, 5> row = {std::int64_t{i}, static_cast<std::int64_t>(allocations.size_bytes[i]),
                                         static_cast<std::int64_t>(timeline.start_step(id)),
                                         static_cast<std::int64_t>(timeline.end_step(id)), stack_text};
        copier.row(row);
    }
    copier.finish();
    file.commit();
}

bool Base64Writer::write(std::string_view bytes) {
    rest_ += bytes;
    const std::size_t whole = rest_.size() / 3 * 3;
    const std::string text = digits_of(std::string_view(rest_).substr(0, whole));
    rest_.erase(0, whole);
    return output_(text);
}

bool Base64Writer::end() {
    const std::size_t missing = rest_.empty() ? 0 : 3 - rest_.size();
    std::string text = digits_of(rest_ + std::string(missing, '\0'));
    return output_(text.replace(text.size() - missing, missing, missing, '='));
}

namespace {

constexpr std::uint64_t k_max_part_bytes = std::uint64_t{64} << 20;
/// Bytes of a snapshot that are compressed before the size of the whole page is estimated.
constexpr std::uint64_t k_judged_bytes = std::uint64_t{8} << 20;
constexpr const char* k_page_of_another_version = "holds a page of another version than this program";

/// Content security policy: the browser only runs and draws what the file itself contains.
constexpr std::string_view k_content_security_policy =
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; form-action 'none'; "
    "base-uri 'none'";

/// The page of app/web in three parts: before its content security policy, between the policy and the script, and after the
/// script.
struct PageText {
    std::string begin, middle, end;
};

std::optional<PageText> split_page(std::string text) {
    constexpr std::string_view k_icon = "<link rel=\"icon\" href=\"snapviewer.svg\">\n";
    constexpr std::string_view k_policy = "Content-Security-Policy\" content=\"";
    constexpr std::string_view k_script = "<script src=\"page.js\"></script>";
    if (const std::size_t icon = text.find(k_icon); icon != text.npos) text.erase(icon, k_icon.size());
    const std::size_t policy = text.find(k_policy);
    const std::size_t script = text.find(k_script);
    if (policy == text.npos || script == text.npos) return std::nullopt;
    const std::size_t policy_begin = policy + k_policy.size();
    const std::size_t policy_end = text.find('"', policy_begin);
    if (policy_end > script) return std::nullopt;
    return PageText{text.substr(0, policy_begin), text.substr(policy_end, script - policy_end),
                    text.substr(script + k_script.size())};
}

/// Escapes a text for use as a quoted attribute value.
std::string attribute_text(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '&' || c == '"' || c == '<' || c == '>')
            escaped += fmt::format("&#{};", static_cast<int>(c));
        else
            escaped += c;
    }
    return escaped;
}

/// Compresses bytes with gzip in one call. Only for small inputs.
std::string gzip(std::string_view bytes) {
    constexpr int k_gzip_window_bits = 15 + 16;
    constexpr int k_max_memory = 9;
    z_stream stream{};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, k_gzip_window_bits, k_max_memory, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib only reads the input
    stream.avail_in = static_cast<uInt>(bytes.size());
    std::string packed;
    int status = Z_OK;
    while (status == Z_OK) {
        std::array<char, 64 << 10> buffer;
        stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
        stream.avail_out = static_cast<uInt>(buffer.size());
        status = deflate(&stream, Z_FINISH);
        packed.append(buffer.data(), buffer.size() - stream.avail_out);
    }
    deflateEnd(&stream);
    return packed;
}

/// Writes the parts of the page, one after another.
class PageWriter {
public:
    explicit PageWriter(OutputFile& out) : out_(out) {}

    bool write(std::string_view text) {
        written_bytes_ += text.size();
        return out_.write(text);
    }

    /// Embeds base64 data, written by `fill`, in an element that app/web/page.js finds by its id.
    bool embed(std::string_view what, const std::string& attributes, std::string_view before, std::string_view behind,
               const std::function<bool(Base64Writer&)>& fill) {
        write(fmt::format("<script id=\"embedded-{}\" type=\"text/plain\"{}>{}", what, attributes, before));
        Base64Writer base64([this](std::string_view text) { return write(text); });
        return fill(base64) && base64.end() && write(behind) && write("</script>\n");
    }

    std::uint64_t written_bytes() const { return written_bytes_; }

private:
    OutputFile& out_;
    std::uint64_t written_bytes_ = 0;
};

/// Embeds the snapshot in JSON as torch.cuda._memory_viz does, so that programs that open its pages can open this one. For a
/// large snapshot, calls `report_size` once with the expected size of the snapshot in the page and with the size of its
/// content.
void embed_snapshot(PageWriter& page, const std::string& snapshot, const std::string& place, int level, Progress& progress,
                    WrittenPage& written, const std::function<void(double, std::uint64_t)>& report_size) {
    ZstdPacker packer(level, 0);
    bool is_reported = false;
    const std::string attributes =
        fmt::format(" data-name=\"{}\" data-place=\"{}\"", attribute_text(display_name(snapshot)), attribute_text(place));
    const std::uint64_t before = page.written_bytes();
    page.embed("file", attributes, "{\"base64\": \"", "\"}", [&](Base64Writer& base64) {
        const auto write = [&](std::string_view packed) { return base64.write(packed); };
        const auto pack = [&](std::string_view piece, std::optional<std::uint64_t> size_bytes) {
            const Status taken = packer.take(piece, size_bytes, write);
            if (!is_reported && size_bytes.value_or(0) >= 2 * k_judged_bytes && packer.taken_bytes() >= k_judged_bytes) {
                const double share = static_cast<double>(packer.taken_bytes()) / static_cast<double>(*size_bytes);
                report_size(static_cast<double>(page.written_bytes() - before) / share, *size_bytes);
                is_reported = true;
            }
            return taken;
        };
        value_or_throw(load::read_snapshot_bytes(snapshot, progress, pack));
        throw_if_error(packer.end(write));
        return true;
    });
    written.content_bytes = packer.taken_bytes();
    written.snapshot_bytes = page.written_bytes() - before;
}

}  // namespace

Result<WrittenPage> write_page_file(const std::string& snapshot, const std::string& page, const std::string& place,
                                    int level, OutputFile& out, Progress& progress,
                                    const std::function<void(const WrittenPage&)>& expect) {
    std::array<std::string, 4> parts;
    constexpr std::array k_names = {"index.html", "page.js", "alone.js", "alone.wasm"};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Result<std::string> part = read_plain_file(page + "/" + k_names[i], k_max_part_bytes);
        if (!part) return Error{ErrorCode::environment, fmt::format("the page's {} {}", k_names[i], part.error().text())};
        parts[i] = *std::move(part);
    }
    auto& [index, script, program_script, program] = parts;
    const std::optional<PageText> text = split_page(std::move(index));
    if (!text || script.find("</script") != script.npos) return Error{ErrorCode::environment, k_page_of_another_version};

    return caught([&] {
        const std::string packed_program = gzip(program);
        const auto report_size = [&](double snapshot_bytes, std::uint64_t content_bytes) {
            const std::uint64_t in_base64 = (program_script.size() + packed_program.size()) / 3 * 4;
            expect({script.size() + in_base64, static_cast<std::uint64_t>(snapshot_bytes), content_bytes});
        };
        WrittenPage written;
        PageWriter writer(out);
        writer.write(text->begin + std::string(k_content_security_policy) + text->middle);
        embed_snapshot(writer, snapshot, place, level, progress, written, report_size);
        writer.embed("script", "", "", "", [&](Base64Writer& base64) { return base64.write(program_script); });
        writer.embed("program", "", "", "", [&](Base64Writer& base64) { return base64.write(packed_program); });
        writer.write("<script>\n" + script + "</script>" + text->end);
        written.program_bytes = writer.written_bytes() - written.snapshot_bytes;
        return written;
    });
}

ZstdPacker::ZstdPacker(int level, unsigned threads)
    : context_(ZSTD_createCCtx(), [](ZSTD_CCtx* context) { ZSTD_freeCCtx(context); }), buffer_(ZSTD_CStreamOutSize()) {
    if (!context_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
    // A Zstandard library without thread support refuses this setting and compresses on the caller's thread.
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_nbWorkers, static_cast<int>(threads));
}

Status ZstdPacker::take(std::string_view piece, std::optional<std::uint64_t> size_bytes, const Output& output) {
    // If the total size is set before the first byte, the header contains it. Some programs need it there.
    if (taken_bytes_ == 0 && size_bytes) ZSTD_CCtx_setPledgedSrcSize(context_.get(), *size_bytes);
    taken_bytes_ += piece.size();
    return pack(piece, false, output);
}

Status ZstdPacker::end(const Output& output) { return pack({}, true, output); }

Status ZstdPacker::pack(std::string_view piece, bool is_end, const Output& output) {
    ZSTD_inBuffer input{piece.data(), piece.size(), 0};
    for (std::size_t left = 1; input.pos < input.size || (is_end && left != 0);) {
        ZSTD_outBuffer packed{buffer_.data(), buffer_.size(), 0};
        left = ZSTD_compressStream2(context_.get(), &packed, &input, is_end ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left) != 0)
            return Error{ErrorCode::memory, std::string("cannot be packed: ") + ZSTD_getErrorName(left)};
        if (!output({buffer_.data(), packed.pos})) return Error{ErrorCode::io, "cannot be written"};
    }
    return {};
}

namespace {

constexpr unsigned k_max_packers = 8;  // each thread takes about 100 MB at the highest level

}  // namespace

Result<PackedSnapshot> pack_snapshot(const std::string& path, OutputFile& out, int level, Progress& progress) {
    return caught([&] {
        ZstdPacker packer(level, std::clamp(std::thread::hardware_concurrency(), 1U, k_max_packers));
        PackedSnapshot packed;
        const auto write = [&](std::string_view bytes) {
            packed.packed_bytes += bytes.size();
            return out.write(bytes);
        };
        packed.unpacked_from = value_or_throw(
            load::read_snapshot_bytes(path, progress, [&](std::string_view piece, std::optional<std::uint64_t> size_bytes) {
                return packer.take(piece, size_bytes, write);
            }));
        throw_if_error(packer.end(write));
        packed.content_bytes = packer.taken_bytes();
        return packed;
    });
}

}  // namespace snapviewer::exports
