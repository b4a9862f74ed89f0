#include "app/cli/series_command.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/session.h"
#include "core/base/json_text.h"
#include "core/fleet/series/series.h"
#include "core/fleet/series/series_database.h"
#include "core/fleet/series/series_reader.h"
#include "core/fleet/series/series_report.h"

namespace snapviewer {
namespace {

struct SeriesOptions {
    std::vector<std::string> paths;
    std::string database;
    bool json = false;
};

std::string ends_as_database(const std::string& path) {
    return path.ends_with(".db") ? "" : "'" + path + "' does not end in .db";
}

int run_series(const SeriesOptions& options) {
    Session session(options.paths.front(), {.outputs = {options.database}}, options.paths);
    const Result<SampleSeries> series = read_series(options.paths, session.progress());
    if (!series) return session.report(series.error());
    if (series->lines.empty() && series->dumps.empty()) {
        const SeriesFailure& first = series->failed.front();
        const std::size_t others = series->failed.size() - 1;
        const std::string more = others == 0 ? "" : "; the other " + std::to_string(others) + " cannot be read either";
        return session.report({ErrorCode::bad_file, first.error + more}, first.file);
    }
    const SeriesFindings findings = find_in_series(*series);
    if (!options.database.empty()) {
        if (const Status written = write_series_database(options.database, *series, findings, session.progress()); !written)
            return session.report(written.error(), options.database);
    }
    return session.print(options.json ? json_text(series_json(*series, findings), 2) + "\n"
                                      : series_text(*series, findings));
}

}  // namespace

void add_series_command(CommandLine& line) {
    const auto options = std::make_shared<SeriesOptions>();
    line.command(
            "series",
            "Show what grows over hours in a folder of small snapshots, where some are missing, and what else lies there",
            [options] { return run_series(*options); })
        .values("DIR", options->paths,
                "Folders that a recorder wrote with series=, or files of snapshots of the same ranks one after another",
                {.required = true})
        .flag("--json", options->json, "Print JSON, for scripts")
        .value("--db", options->database, "Save every sample in a database, for SQL",
               {.type_name = "OUT.db", .check = ends_as_database});
}

}  // namespace snapviewer
