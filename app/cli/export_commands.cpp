#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/cli/arguments.h"
#include "app/cli/command_run.h"
#include "app/cli/commands.h"
#include "app/features/link/links.h"
#include "app/features/save_picture/picture_spec.h"
#include "app/serve/page_files.h"
#include "core/base/addresses.h"
#include "core/base/budget.h"
#include "core/base/output_file.h"
#include "core/base/text.h"
#include "core/exports/export.h"
#include "core/query/database.h"
#include "core/system/files.h"
#include "core/system/streams.h"

namespace snapviewer::cli {
namespace {

struct ExportOptions {
    std::string file;
    std::optional<std::size_t> part;
    std::string out;
    std::string with;
    std::optional<int> device;
    std::string picture = "allocations";
    bool has_safe_csv = false;
    std::string page;
    std::string place;
};

std::string ending_of(const std::string& path) {
    std::string ending = std::filesystem::path(path).extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending;
}

bool is_folder(const std::string& path) {
    std::error_code ignored;
    return ends_with_separator(path) || std::filesystem::is_directory(path, ignored);
}

std::string is_export_path(const std::string& path) {
    const std::string ending = ending_of(path);
    if (ending == ".zst")
        return "'" + path + "' is not made by export: snapviewer pack FILE --out " + path + " packs the file as it is";
    constexpr std::array k_endings = {".zip", ".db", ".json", ".csv", ".html"};
    if (std::ranges::find(k_endings, ending) != k_endings.end() || is_folder(path)) return "";
    return "'" + path + "' has an unknown ending; expected .zip, .db, .json, .csv, .html, or / for a folder";
}

/// Exports the table `allocations` of one device or of all, with the text of each stack.
Status export_allocations(const Document& document, const ExportOptions& options, Progress& progress) {
    Result<OutputFile> file = OutputFile::create(options.out);
    if (!file) return file.error();
    Status within;
    const auto output = [&](std::string_view text) {
        if (within) within = progress.budget().write(text.size(), exports::k_too_long_export);
        return within.ok() && file->write(text) && !progress.stop_requested();
    };
    const query::CsvTexts texts = options.has_safe_csv ? query::CsvTexts::safe : query::CsvTexts::exact;
    const auto writer =
        ending_of(options.out) == ".csv" ? query::make_csv_writer(output, texts) : query::make_json_writer(output);
    const std::string where = options.device ? fmt::format(" WHERE a.device = {}", *options.device) : "";
    constexpr double k_no_limit = 1e9;
    const std::string with_stacks =
        "SELECT a.*, s.text AS callstack FROM allocations a LEFT JOIN stacks s ON s.id = a.stack_id";
    Status read = document.database->run_each(with_stacks + where, k_no_limit, &progress, *writer);
    writer->end();
    if (!read) return read;
    if (!within) return within;
    if (progress.stop_requested()) return stopped();
    return file->commit();
}

Status export_file(const Document& document, std::size_t device_index, const ExportOptions& options, Progress& progress) {
    const std::string ending = ending_of(options.out);
    if (ending == ".zip" || is_folder(options.out)) {
        const ViewKind kind = view_kind_named(options.picture).value_or(ViewKind::allocations);
        const Result<DeviceView> view = build_view(document, device_index, kind, progress);
        if (!view) return view.error();
        const auto write = is_folder(options.out) ? exports::export_snapviewer_folder : exports::export_snapviewer_zip;
        return write(*view->timeline, options.out, progress);
    }
    if (ending == ".db")
        return exports::export_database(*document.database, *document.snapshot, device_index, options.out, progress);
    return export_allocations(document, options, progress);
}

/// Exports an HTML page that contains the snapshot's bytes, which are not parsed.
int export_page(CommandRun& session, const ExportOptions& options) {
    const Result<serve::PageFiles> page = serve::PageFiles::open(options.page);
    if (!page) return session.report(page.error(), options.page);
    if (!page->is_there()) {
        return session.report({ErrorCode::environment,
                               "needs the program for browsers, which is not installed; scripts/web.sh makes it, and --page "
                               "names its folder"},
                              options.out);
    }
    Result<OutputFile> file = OutputFile::create(options.out);
    if (!file) return session.report(file.error(), options.out);
    const auto say_expected = [&](const exports::WrittenPage& expected) {
        session.note(fmt::format("{} will be about {}, of which {} are the program", options.out,
                                 format_bytes(expected.program_bytes + expected.snapshot_bytes),
                                 format_bytes(expected.program_bytes)));
    };
    const Result<exports::WrittenPage> written = exports::write_page_file(
        options.file, page->folder(), options.place, exports::k_default_pack_level, *file, session.progress(), say_expected);
    if (!written && !file->has_failed()) {
        const bool concerns_page = written.error().code == ErrorCode::environment;
        return session.report(written.error(), concerns_page ? page->folder() : "");
    }
    if (const Status placed = file->commit(); !placed) return session.report(placed.error(), options.out);
    return session.print(fmt::format("{}: {}: {} the program, {} the snapshot of {}\n", options.out,
                                     format_bytes(written->program_bytes + written->snapshot_bytes),
                                     format_bytes(written->program_bytes), format_bytes(written->snapshot_bytes),
                                     format_bytes(written->content_bytes)));
}

int run_export(const ExportOptions& options) {
    CommandRun session(options.file, {.outputs = {options.out}}, {options.with});
    const auto is_written = [&](const std::string& path) {
        const std::filesystem::path out = options.out;
        return std::ranges::any_of(std::array{out, out / "allocations.json", out / "elements.db"},
                                   [&](const auto& written) { return are_same_file(path, written); });
    };
    if (is_written(options.file) || is_written(options.with))
        return session.refuse("is the file to export, so it cannot be the output", options.out);
    if (ending_of(options.out) == ".html" && options.part)
        return session.report(
            {ErrorCode::unsupported, "cannot be exported in part as .html, which contains the whole file"});
    if (ending_of(options.out) == ".html") return export_page(session, options);
    const auto device =
        session.open_device({.mesh = false, .with = options.with, .part = part_of(options.part)}, options.device);
    if (!device) return session.status();
    const Status exported = export_file(*session.document(), *device, options, session.progress());
    if (!exported) return session.report(exported.error(), exported.error().code == ErrorCode::io ? options.out : "");
    session.report_import_log();
    return k_done;
}

}  // namespace

void add_export_command(CommandLine& line) {
    const auto options = std::make_shared<ExportOptions>();
    line.command("export", "Write a file's contents in another format", [options] { return run_export(*options); })
        .value("FILE", options->file, "The snapshot", {.required = true, .is_file = true})
        .value("--out", options->out,
               "What to write; the ending decides the format: / a folder for today's SnapViewer, one device; .zip the older "
               "SnapViewer format, one device; .db all tables as SQLite; .json or .csv the allocations with their stacks; "
               ".html "
               "the program and the snapshot in one page, some 6 MB and the packed snapshot, that opens by a double click",
               {.required = true, .type_name = "DIR/|X.zip|X.db|X.json|X.csv|X.html", .check = is_export_path})
        .value("--device", options->device,
               "Device number as in the file; for DIR/ and .zip, the default is the one that the window opens on",
               {.type_name = "N"})
        .value("--part", options->part, save_picture::k_part_about, {.type_name = "N"})
        .value("--with", options->with, save_picture::k_with_about, {.is_file = true})
        .flag("--safe-csv", options->has_safe_csv, k_safe_csv_about)
        .value("--picture", options->picture, "What a .zip or folder holds; allocations by default",
               {.one_of = view_kind_names()})
        .value("--show", options->place, link::k_show_about, {.type_name = "PLACE", .check = link::is_place})
        .value("--page", options->page, "For .html, as of serve: a folder with the program for browsers",
               {.type_name = "FOLDER"});
}

namespace {

constexpr double k_no_time_limit_s = 1e9;
constexpr std::size_t k_write_batch_bytes = 64 << 10;

struct QueryOptions {
    std::string file;
    std::optional<std::size_t> part;
    std::string sql;
    std::string with;
    std::string log;
    std::string format = "table";
    bool has_safe_csv = false;
    std::optional<std::size_t> limit;         ///< --limit, the maximum number of rows; 0 means all
    std::optional<std::size_t> time_limit_s;  ///< --time-limit in seconds; 0 means none
    std::optional<int> device;
    std::string compare;  ///< --compare, the path of file B
    std::optional<int> device_b;
};

std::size_t row_limit(const QueryOptions& options, std::size_t otherwise) {
    if (!options.limit) return otherwise;
    return *options.limit == 0 ? std::numeric_limits<std::size_t>::max() : *options.limit;
}

double time_limit_s(const QueryOptions& options, double otherwise) {
    if (!options.time_limit_s) return otherwise;
    return *options.time_limit_s == 0 ? k_no_time_limit_s : static_cast<double>(*options.time_limit_s);
}

/// Writes data for programs to stdout. The data is unchanged for a file or a pipe; control characters are escaped for a
/// terminal. Buffers the beginning until it is large or finish() is called, so that most failing queries write nothing.
class DataOutput {
public:
    /// Stops when `budget` is exhausted; null means no limit.
    explicit DataOutput(Budget* budget) : budget_(budget) {}

    bool write(std::string_view text) {
        if (within_ && budget_ != nullptr) within_ = budget_->write(text.size(), k_too_long);
        if (!within_) return false;
        waiting_ += is_terminal_ ? terminal_text(text, LineFeeds::kept) : text;
        return waiting_.size() < k_write_batch_bytes || send();
    }
    bool finish() { return send() && std::fflush(stdout) == 0; }
    bool has_failed() const { return has_failed_; }
    const Status& within() const { return within_; }  ///< error if the budget was exceeded

private:
    bool send() {
        has_failed_ = has_failed_ || std::fwrite(waiting_.data(), 1, waiting_.size(), stdout) != waiting_.size();
        waiting_.clear();
        return !has_failed_;
    }

    static constexpr std::string_view k_too_long = "select fewer columns, or use --limit 0 for every row";
    Budget* budget_;
    Status within_;
    std::string waiting_;
    bool is_terminal_ = is_output_terminal();
    bool has_failed_ = false;
};

/// Passes at most `max_rows` rows to another sink.
class FirstRows final : public query::RowSink {
public:
    FirstRows(query::RowSink& sink, std::size_t max_rows) : sink_(sink), max_rows_(max_rows) {}

    bool begin(std::span<const std::string> columns) override { return sink_.begin(columns); }
    bool row(std::span<const Cell> cells) override {
        has_more_ = count_ == max_rows_;
        if (has_more_) return false;
        ++count_;
        return sink_.row(cells);
    }
    bool has_more() const { return has_more_; }
    std::size_t count() const { return count_; }

private:
    query::RowSink& sink_;
    std::size_t max_rows_;
    std::size_t count_ = 0;
    bool has_more_ = false;
};

/// Writes rows while they arrive, so that memory use does not depend on their number. The size of the text is limited unless
/// the user gave a maximum number of rows.
int write_rows(CommandRun& session, query::Database& database, const QueryOptions& options) {
    DataOutput out(options.limit ? nullptr : &session.progress().budget());
    const auto output = [&out](std::string_view text) { return out.write(text); };
    const query::CsvTexts texts = options.has_safe_csv ? query::CsvTexts::safe : query::CsvTexts::exact;
    const auto writer = options.format == "csv" ? query::make_csv_writer(output, texts) : query::make_json_writer(output);
    FirstRows rows(*writer, row_limit(options, std::numeric_limits<std::size_t>::max()));
    const Status status =
        database.run_each(options.sql, time_limit_s(options, k_no_time_limit_s), &session.progress(), rows);
    if (!status) return session.report(status.error());
    if (!out.within()) {
        Error error = out.within().error();
        error.message += fmt::format(" (stopped after {})", counted(rows.count() - 1, "row"));
        return session.report(error);
    }
    if (!out.has_failed()) writer->end();
    if (out.has_failed() || !out.finish()) return session.report_no_output();
    session.report_import_log();
    if (rows.has_more()) session.note(fmt::format("stopped after {}, but there are more", counted(rows.count(), "row")));
    return k_done;
}

int print_table(CommandRun& session, query::Database& database, const QueryOptions& options) {
    query::QueryLimits limits{.progress = &session.progress()};
    limits.max_rows = row_limit(options, limits.max_rows);
    if (!options.limit) limits.max_bytes = limits::max_held_bytes(session.progress().budget().read_bytes());
    limits.max_seconds = time_limit_s(options, limits.max_seconds);
    const auto result = database.run(options.sql, limits);
    if (!result) return session.report(result.error());
    session.report_import_log();
    if (const int status = session.print(query::format_result(*result, query::TableFormat::table)); status != k_done)
        return status;
    if (result->truncated) {
        session.note(fmt::format("stopped after {}, but there are more; --format csv or json gives every row",
                                 counted(result->row_count(), "row")));
    }
    return k_done;
}

int run_query(const QueryOptions& options) {
    CommandRun session(options.file, {}, {options.with, options.compare, options.log});
    const Document* document =
        session.open({.mesh = false, .with = options.with, .log = options.log, .part = part_of(options.part)});
    if (document == nullptr) return session.status();
    const auto device = session.find_device(options.device);
    if (!device) return session.status();
    document->database->set_allocs_device(*device);
    const auto answer = options.format == "table" ? print_table : write_rows;
    if (options.compare.empty()) return answer(session, *document->database, options);
    CommandRun other(options.compare, session);
    const Document* b = other.open({.mesh = false});
    if (b == nullptr) return other.status();
    const auto device_b = other.find_device(options.device_b);
    if (!device_b) return other.status();
    const auto both = document->database->joined_with(*b->database, options.compare, *device_b);
    if (!both) return session.report(both.error());
    const int status = answer(session, **both, options);
    if (status == k_done) other.report_import_log();
    return status;
}

}  // namespace

void add_query_command(CommandLine& line) {
    const auto options = std::make_shared<QueryOptions>();
    Arguments arguments = line.command("query", "Query a file with SQL; docs/sql.md lists the tables",
                                       [options] { return run_query(*options); });
    arguments.value("FILE", options->file, "The snapshot", {.required = true, .is_file = true})
        .value("SQL", options->sql, "One SELECT statement", {.required = true})
        .value("--format", options->format,
               "csv and json are for programs and hold every row; table is for people, ends after 100,000 rows and cuts "
               "long texts",
               {.one_of = {"table", "csv", "json"}})
        .flag("--safe-csv", options->has_safe_csv, k_safe_csv_about)
        .value("--limit", options->limit, "Maximum number of rows; 0 for every row, also with --format table",
               {.type_name = "N", .check = is_row_limit})
        .value(
            "--time-limit", options->time_limit_s,
            "Seconds after which the query is stopped; 0 for never. The default is 30 for table, and never for csv and json",
            {.type_name = "S", .check = is_time_limit})
        .value("--part", options->part, save_picture::k_part_about, {.type_name = "N"})
        .value("--with", options->with, save_picture::k_with_about, {.is_file = true})
        .value("--device", options->device, "Device that the table `allocs` shows", {.type_name = "N"})
        .value("--compare", options->compare,
               "Another snapshot to query together with this one: tables of FILE are a.NAME, those of the other b.NAME",
               {.is_file = true})
        .value("--device2", options->device_b, "Device that the table b.allocs shows", {.type_name = "N"});
    add_job_log(arguments, options->log);
}

namespace {

constexpr std::string_view k_packed_ending = ".zst";

struct PackOptions {
    std::string file;
    std::string out;
    std::string level;
};

std::string is_packed_path(const std::string& path) {
    return path.ends_with(k_packed_ending) ? "" : "'" + path + "' does not end in .zst";
}

std::string is_pack_level(const std::string& text) {
    const auto level = parse_number<int>(text);
    if (level && *level >= exports::k_min_pack_level && *level <= exports::k_max_pack_level) return "";
    return fmt::format("'{}' is not a level from {} to {}", text, exports::k_min_pack_level, exports::k_max_pack_level);
}

/// Returns the default output path: "run.pickle.gz" becomes "run.pickle.zst".
std::string packed_name(std::string_view path) {
    for (const std::string_view ending : {".gz", ".bz2", ".xz", ".lzma", ".zst"}) {
        if (path.ends_with(ending)) path.remove_suffix(ending.size());
    }
    return std::string(path).append(k_packed_ending);
}

/// Returns the reason why the output must not be written, else "".
std::string why_not_written(const PackOptions& options, const std::string& out) {
    if (are_same_file(options.file, out))
        return "is the file to pack, so it cannot be the output; name another one with --out";
    std::error_code ignored;
    if (options.out.empty() && std::filesystem::exists(out, ignored))
        return fmt::format("already exists; --out {} replaces it", out);
    return "";
}

std::string packed_text(const PackOptions& options, const std::string& out, const exports::PackedSnapshot& packed) {
    const double times = static_cast<double>(packed.content_bytes) / static_cast<double>(packed.packed_bytes);
    const std::string first =
        packed.unpacked_from.empty() ? "" : fmt::format(", unpacked from {} first", packed.unpacked_from);
    return fmt::format("{}: {}, {:.1f} times smaller than the {} of {}{}\n", out, format_bytes(packed.packed_bytes), times,
                       format_bytes(packed.content_bytes), display_path(options.file), first);
}

int run_pack(const PackOptions& options) {
    const std::string out = options.out.empty() ? packed_name(options.file) : options.out;
    CommandRun session(options.file, {.outputs = {out}});
    if (options.out.empty() && (is_standard_input(options.file) || is_remote(options.file)))
        return session.refuse("is no file on this machine to write beside; name one with --out");
    if (const std::string reason = why_not_written(options, out); !reason.empty()) return session.refuse(reason, out);
    Result<OutputFile> file = OutputFile::create(out);
    if (!file) return session.report(file.error(), out);
    const int level = parse_number<int>(options.level).value_or(exports::k_default_pack_level);
    const Result<exports::PackedSnapshot> packed = exports::pack_snapshot(options.file, *file, level, session.progress());
    if (!packed && !file->has_failed()) return session.report(packed.error());
    if (const Status placed = file->commit(); !placed) return session.report(placed.error(), out);
    return session.print(packed_text(options, out, *packed));
}

}  // namespace

void add_pack_command(CommandLine& line) {
    const auto options = std::make_shared<PackOptions>();
    line.command("pack", "Compress a snapshot many times smaller with Zstandard; zstd -d gives the same bytes again",
                 [options] { return run_pack(*options); })
        .value("FILE", options->file, "The snapshot; if it is compressed in another way, it is decompressed first",
               {.required = true, .is_file = true})
        .value("--out", options->out, "What to write; FILE.zst by default", {.type_name = "X.zst", .check = is_packed_path})
        .value("--level", options->level, "From 1, the fastest, to 19, the smallest; 9 by default",
               {.type_name = "N", .check = is_pack_level});
}

}  // namespace snapviewer::cli
