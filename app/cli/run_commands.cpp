#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/command_run.h"
#include "app/cli/commands.h"
#include "core/analysis/report/report.h"
#include "core/base/addresses.h"
#include "core/base/context.h"
#include "core/base/text.h"
#include "core/fleet/fleet.h"
#include "core/fleet/fleet_reader.h"
#include "core/fleet/series/series.h"
#include "core/fleet/series/series_reader.h"
#include "core/system/files.h"

namespace snapviewer::cli {
namespace {

struct CompareOptions {
    std::string file_a;
    std::string file_b;
    std::optional<int> device_a;
    std::optional<int> device_b;
    std::string by = "stack";
    std::string basis = "all";
    bool json = false;
};

int run_compare(const CompareOptions& options) {
    CommandRun session_a(options.file_a, {}, {options.file_b});
    findings::DeviceAnalyses* a = session_a.open_analyses(options.device_a);
    if (a == nullptr) return session_a.status();
    CommandRun session(options.file_b, session_a);
    findings::DeviceAnalyses* b = session.open_analyses(options.device_b);
    if (b == nullptr) return session.status();
    const compare::CompareBy by = compare::compare_by_named(options.by).value_or(compare::CompareBy::stack);
    const compare::CompareBasis basis = compare::compare_basis_named(options.basis).value_or(compare::CompareBasis::all);
    if (options.json) {
        const auto json = caught(&session.progress(), [&] { return report::compare_json(*a, *b, by, basis); });
        if (!json) return session.report(json.error());
        session_a.report_import_log();
        session.report_import_log();
        return session.print(json->dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    }
    const auto text = caught(&session.progress(), [&] { return report::compare_text(*a, *b, by, basis); });
    if (!text) return session.report(text.error());
    return session.print(terminal_text("A: " + display_path(options.file_a)) + "\n" +
                         terminal_text("B: " + display_path(options.file_b)) + "\n" + terminal_text(*text, LineFeeds::kept));
}

}  // namespace

void add_compare_command(CommandLine& line) {
    const auto options = std::make_shared<CompareOptions>();
    line.command("compare", "Show why the peak of one file is higher than that of another, by stack",
                 [options] { return run_compare(*options); })
        .value("A", options->file_a, "The first file", {.required = true, .is_file = true})
        .value("B", options->file_b, "The other", {.required = true, .is_file = true})
        .flag("--json", options->json, "Print JSON, for scripts")
        .value("--by", options->by,
               "What allocations of both files are matched by: the whole stack, the stack without line numbers, its Python "
               "lines, the one line that stands for it, or the kind of memory",
               {.one_of = compare::compare_by_names()})
        .value("--basis", options->basis,
               "What is compared: everything; only what was allocated during the recording; or only that, at the moment of "
               "its own peak",
               {.one_of = compare::compare_basis_names()})
        .value("--device", options->device_a,
               "Device of A, as numbered in the file; by default the one that the window opens on", {.type_name = "N"})
        .value("--device2", options->device_b, "Device of B, likewise", {.type_name = "N"});
}

namespace {

struct FleetOptions {
    std::vector<std::string> paths;
    std::string write;
    bool json = false;
    bool totals = false;
    bool list = false;
    std::string max_file;
};

std::string is_database_path(const std::string& path) {
    return path.ends_with(".db") ? "" : "'" + path + "' does not end in .db";
}

/// Reads the ranks and writes the results while reading, if requested. Returns nullopt after an error, which it has
/// reported.
std::optional<fleet::Fleet> read_ranks(CommandRun& session, const FleetOptions& options,
                                       const std::vector<fleet::FleetFile>& files) {
    std::optional<fleet::FleetDatabaseWriter> writer;
    if (!options.write.empty()) {
        Result<fleet::FleetDatabaseWriter> created = fleet::FleetDatabaseWriter::create(options.write);
        if (!created) {
            session.report(created.error(), options.write);
            return std::nullopt;
        }
        writer.emplace(*std::move(created));
    }
    fleet::Fleet fleet;
    const auto take = [&](std::size_t, fleet::FileSummary summary) {
        fleet.add(summary);
        return writer ? writer->add(summary) : Status();
    };
    Status done = fleet::read_fleet(files, {.step_stacks = writer.has_value(), .totals = options.totals && writer},
                                    session.progress(), take);
    if (done && fleet.read_count() == 0) {
        const fleet::RankRow& first = *fleet.ranks().front();
        const std::string others =
            files.size() == 1 ? "" : fmt::format("; the other {} cannot be read either", files.size() - 1);
        session.report({ErrorCode::bad_file, first.error + others}, first.file);
        return std::nullopt;
    }
    if (done && writer) done = writer->commit();
    if (!done) {
        session.report(done.error(), options.write);
        return std::nullopt;
    }
    return fleet;
}

/// Marks files above the limit of --max-file as not read. Their names and sizes stay in the list.
void give_up_larger_files(const std::string& max_file, std::vector<fleet::FleetFile>& files) {
    const std::optional<std::uint64_t> most_bytes = parse_bytes(max_file);
    for (fleet::FleetFile& file : files) {
        if (most_bytes && file.file_bytes > *most_bytes && file.error.empty())
            file.error = fmt::format("has {}, more than the {} allowed by --max-file", format_bytes(file.file_bytes),
                                     format_bytes(*most_bytes));
    }
}

int print_json(CommandRun& session, const nlohmann::ordered_json& json) { return session.print(json_text(json, 2) + "\n"); }

int run_fleet(const FleetOptions& options) {
    CommandRun session(options.paths.front(), {.outputs = {options.write}}, options.paths);
    if (options.totals && options.write.empty()) return session.refuse("--totals adds to the database, so it needs --write");
    auto files = fleet::find_fleet_files(options.paths, options.write, session.progress());
    if (!files) return session.report(files.error());
    if (files->empty()) return session.report({ErrorCode::bad_file, fleet::k_no_fleet_files});
    if (std::ranges::any_of(*files, [&](const auto& file) { return are_same_file(options.write, file.path); }))
        return session.refuse("is one of the files to read, so it cannot be the output", options.write);
    give_up_larger_files(options.max_file, *files);
    if (options.list) return print_json(session, fleet::fleet_files_json(*files));
    const std::optional<fleet::Fleet> fleet = read_ranks(session, options, *files);
    if (!fleet) return session.status();
    if (!options.json) return session.print(fleet::fleet_text(*fleet));
    return print_json(session, fleet::fleet_json(*fleet));
}

}  // namespace

void add_fleet_command(CommandLine& line) {
    const auto options = std::make_shared<FleetOptions>();
    line.command("fleet", "Show which ranks of a job stand out, what grows on them and which ran out of memory",
                 [options] { return run_fleet(*options); })
        .value("FILE", options->paths, "Folders with one snapshot per rank, snapshots, or a database made by --write",
               {.required = true, .is_file = true})
        .flag("--json", options->json, "Print JSON, for scripts")
        .value("--write", options->write, "Save the results in a database, for SQL and for this command",
               {.type_name = "X.db", .check = is_database_path})
        .flag("--totals", options->totals, "Also save the curve of each rank in it, with at most 4,096 moments")
        .value("--max-file", options->max_file, "Do not read files larger than this; they are listed as unreadable",
               {.type_name = "SIZE", .check = is_bytes})
        .flag("--list", options->list, "Only list the files and their ranks, as JSON, without reading them");
}

namespace {

struct SeriesOptions {
    std::vector<std::string> paths;
    std::string database;
    bool json = false;
};

int run_series(const SeriesOptions& options) {
    CommandRun session(options.paths.front(), {.outputs = {options.database}}, options.paths);
    const Result<series::SampleSeries> series = series::read_series(options.paths, session.progress());
    if (!series) return session.report(series.error());
    if (series->lines.empty() && series->dumps.empty()) {
        const series::SeriesFailure& first = series->failed.front();
        const std::size_t others = series->failed.size() - 1;
        const std::string more = others == 0 ? "" : "; the other " + std::to_string(others) + " cannot be read either";
        return session.report({ErrorCode::bad_file, first.error + more}, first.file);
    }
    const series::SeriesFindings findings = series::find_in_series(*series);
    if (!options.database.empty()) {
        if (const Status written = series::write_series_database(options.database, *series, findings, session.progress());
            !written)
            return session.report(written.error(), options.database);
    }
    return session.print(options.json ? json_text(series::series_json(*series, findings), 2) + "\n"
                                      : series::series_text(*series, findings));
}

}  // namespace

void add_series_command(CommandLine& line) {
    const auto options = std::make_shared<SeriesOptions>();
    line.command(
            "series",
            "Show what grows over hours in a folder of small snapshots, where some are missing, and what else lies there",
            [options] { return run_series(*options); })
        .value("DIR", options->paths,
               "Folders that a recorder wrote with series=, or files of snapshots of the same ranks one after another",
               {.required = true})
        .flag("--json", options->json, "Print JSON, for scripts")
        .value("--db", options->database, "Save every sample in a database, for SQL",
               {.type_name = "OUT.db", .check = is_database_path});
}

}  // namespace snapviewer::cli
