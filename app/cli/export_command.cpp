#include "app/cli/export_command.h"
#include "app/features/save_picture/picture_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/cli/arguments.h"
#include "app/cli/option_values.h"
#include "app/cli/session.h"
#include "app/features/link/place.h"
#include "app/serve/page_files.h"
#include "core/base/budget.h"
#include "core/base/number_text.h"
#include "core/base/output_file.h"
#include "core/export/export_database.h"
#include "core/export/export_snapviewer.h"
#include "core/export/packed_snapshot.h"
#include "core/export/page_file.h"
#include "core/query/result_writer.h"
#include "core/system/files.h"

namespace snapviewer {
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
        if (within) within = progress.budget().write(text.size(), k_too_long_export);
        return within.ok() && file->write(text) && !progress.stop_requested();
    };
    const CsvTexts texts = options.has_safe_csv ? CsvTexts::safe : CsvTexts::exact;
    const auto writer = ending_of(options.out) == ".csv" ? make_csv_writer(output, texts) : make_json_writer(output);
    const std::string where = options.device ? fmt::format(" WHERE a.device = {}", *options.device) : "";
    constexpr double k_no_limit = 1e9;
    const std::string with_stacks =
        "SELECT a.*, s.text AS callstack FROM allocations a LEFT JOIN stacks s ON s.id = a.stack_id";
    Status read = document.database->run_each(with_stacks + where, k_no_limit, &progress, *writer);
    writer->end();
    if (!read) return read;
    if (!within) return within;
    if (progress.stop_requested()) return stopped();
    return file->put_in_place();
}

Status export_file(const Document& document, std::size_t device_index, const ExportOptions& options, Progress& progress) {
    const std::string ending = ending_of(options.out);
    if (ending == ".zip" || is_folder(options.out)) {
        const ViewKind kind = view_kind_named(options.picture).value_or(ViewKind::allocations);
        const Result<DeviceView> view = build_view(document, device_index, kind, progress);
        if (!view) return view.error();
        const auto write = is_folder(options.out) ? export_snapviewer_folder : export_snapviewer_zip;
        return write(*view->timeline, options.out, progress);
    }
    if (ending == ".db") return export_database(*document.database, *document.snapshot, device_index, options.out, progress);
    return export_allocations(document, options, progress);
}

/// Exports an HTML page that contains the snapshot's bytes, which are not parsed.
int export_page(Session& session, const ExportOptions& options) {
    const Result<PageFiles> page = PageFiles::open(options.page);
    if (!page) return session.report(page.error(), options.page);
    if (!page->is_there()) {
        return session.report({ErrorCode::environment,
                               "needs the program for browsers, which is not installed; scripts/web.sh makes it, and --page "
                               "names its folder"},
                              options.out);
    }
    Result<OutputFile> file = OutputFile::create(options.out);
    if (!file) return session.report(file.error(), options.out);
    const auto say_expected = [&](const WrittenPage& expected) {
        session.note(fmt::format("{} will be about {}, of which {} are the program", options.out,
                                 format_bytes(expected.program_bytes + expected.snapshot_bytes),
                                 format_bytes(expected.program_bytes)));
    };
    const Result<WrittenPage> written = write_page_file(options.file, page->folder(), options.place, k_usual_pack_level,
                                                        *file, session.progress(), say_expected);
    if (!written && !file->has_failed()) {
        const bool is_of_page = written.error().code == ErrorCode::environment;
        return session.report(written.error(), is_of_page ? page->folder() : "");
    }
    if (const Status placed = file->put_in_place(); !placed) return session.report(placed.error(), options.out);
    return session.print(fmt::format("{}: {}: {} the program, {} the snapshot of {}\n", options.out,
                                     format_bytes(written->program_bytes + written->snapshot_bytes),
                                     format_bytes(written->program_bytes), format_bytes(written->snapshot_bytes),
                                     format_bytes(written->content_bytes)));
}

int run_export(const ExportOptions& options) {
    Session session(options.file, {.outputs = {options.out}}, {options.with});
    const auto is_written = [&](const std::string& path) {
        const std::filesystem::path out = options.out;
        return std::ranges::any_of(std::array{out, out / "allocations.json", out / "elements.db"},
                                   [&](const auto& written) { return are_same_file(path, written); });
    };
    if (is_written(options.file) || is_written(options.with)) {
        session.report({ErrorCode::io, "is the file to export, so it cannot be the output"}, options.out);
        return k_wrong_usage;
    }
    if (ending_of(options.out) == ".html" && options.part)
        return session.report(
            {ErrorCode::unsupported, "cannot be exported in part as .html, which contains the whole file"});
    if (ending_of(options.out) == ".html") return export_page(session, options);
    const Document* document = session.open({.mesh = false, .with = options.with, .part = part_of(options.part)});
    if (document == nullptr) return session.status();
    const auto device = session.require_device(options.device);
    if (!device) return session.status();
    const Status exported = export_file(*document, *device, options, session.progress());
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
        .value("--part", options->part, k_part_about, {.type_name = "N"})
        .value("--with", options->with, k_with_about, {.is_file = true})
        .flag("--safe-csv", options->has_safe_csv, k_safe_csv_about)
        .value("--picture", options->picture, "What a .zip or folder holds; allocations by default",
               {.one_of = view_kind_names()})
        .value("--show", options->place, k_show_about, {.type_name = "PLACE", .check = is_place})
        .value("--page", options->page, "For .html, as of serve: a folder with the program for browsers",
               {.type_name = "FOLDER"});
}

}  // namespace snapviewer
