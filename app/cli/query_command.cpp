#include "app/cli/query_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/cli/session.h"
#include "core/base/units.h"

namespace snapviewer {
namespace {

struct QueryOptions {
    std::string file;
    std::string sql;
    std::string with;
    std::string format = "table";
    std::int64_t limit = 0;
    std::optional<int> device;
};

TableFormat format_of(const std::string& name) {
    if (name == "csv") return TableFormat::csv;
    return name == "json" ? TableFormat::json : TableFormat::table;
}

int run_query(const QueryOptions& options) {
    Session session(options.file);
    const Document* document = session.open({.mesh = false, .with = options.with});
    if (document == nullptr) return session.status();
    const auto device = session.find_device(options.device);
    if (!device) return session.status();
    document->database->set_allocs_device(*device);
    QueryLimits limits{.progress = &session.progress()};
    if (options.limit > 0) limits.max_rows = static_cast<std::size_t>(options.limit);
    const auto result = document->database->run(options.sql, limits);
    if (!result) return session.report(result.error());
    session.report_findings();
    if (const int status = session.print(format_result(*result, format_of(options.format))); status != k_done) return status;
    if (result->truncated) {
        fmt::print(stderr, "snapviewer: {}: stopped after {} rows, there are more\n", options.file,
                   format_count(result->row_count()));
    }
    return k_done;
}

}  // namespace

void add_query_command(CLI::App& app, int& status) {
    const auto options = std::make_shared<QueryOptions>();
    CLI::App* command = app.add_subcommand("query", "Ask a file in SQL; docs/sql.md lists the tables");
    command->add_option("FILE", options->file, "The snapshot")->required();
    command->add_option("SQL", options->sql, "One SELECT statement")->required();
    command->add_option("--format", options->format, "csv and json are complete, table cuts long texts")
        ->check(CLI::IsMember({"table", "csv", "json"}));
    command->add_option("--limit", options->limit, "Rows at most; 0 = as many as the window shows")
        ->check(CLI::NonNegativeNumber)
        ->type_name("N");
    command->add_option(
        "--with", options->with,
        "Opened together with it: the other report of the same model, or the Ascend profile of another rank");
    command->add_option("--device", options->device, "Device that the table `allocs` shows")->type_name("N");
    command->callback([options, &status] { status = run_query(*options); });
}

}  // namespace snapviewer
