#include "app/cli/query_command.h"
#include "app/features/save_picture/picture_spec.h"

#include <fmt/format.h>

#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "app/cli/arguments.h"
#include "app/cli/option_values.h"
#include "app/cli/session.h"
#include "core/base/budget.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/query/database.h"
#include "core/query/result_writer.h"
#include "core/system/streams.h"

namespace snapviewer {
namespace {

constexpr double k_no_time_limit_s = 1e9;
constexpr std::size_t k_written_at_once_bytes = 64 << 10;

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
        return waiting_.size() < k_written_at_once_bytes || send();
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
class FirstRows final : public RowSink {
public:
    FirstRows(RowSink& sink, std::size_t max_rows) : sink_(sink), max_rows_(max_rows) {}

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
    RowSink& sink_;
    std::size_t max_rows_;
    std::size_t count_ = 0;
    bool has_more_ = false;
};

/// Writes rows while they arrive, so that memory use does not depend on their number. The size of the text is limited unless
/// the user gave a maximum number of rows.
int write_rows(Session& session, Database& database, const QueryOptions& options) {
    DataOutput out(options.limit ? nullptr : &session.progress().budget());
    const auto output = [&out](std::string_view text) { return out.write(text); };
    const CsvTexts texts = options.has_safe_csv ? CsvTexts::safe : CsvTexts::exact;
    const auto writer = options.format == "csv" ? make_csv_writer(output, texts) : make_json_writer(output);
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

int print_table(Session& session, Database& database, const QueryOptions& options) {
    QueryLimits limits{.progress = &session.progress()};
    limits.max_rows = row_limit(options, limits.max_rows);
    if (!options.limit) limits.max_bytes = limits::most_held_bytes(session.progress().budget().read_bytes());
    limits.max_seconds = time_limit_s(options, limits.max_seconds);
    const auto result = database.run(options.sql, limits);
    if (!result) return session.report(result.error());
    session.report_import_log();
    if (const int status = session.print(format_result(*result, TableFormat::table)); status != k_done) return status;
    if (result->truncated) {
        session.note(fmt::format("stopped after {}, but there are more; --format csv or json gives every row",
                                 counted(result->row_count(), "row")));
    }
    return k_done;
}

int run_query(const QueryOptions& options) {
    Session session(options.file, {}, {options.with, options.compare, options.log});
    const Document* document =
        session.open({.mesh = false, .with = options.with, .log = options.log, .part = part_of(options.part)});
    if (document == nullptr) return session.status();
    const auto device = session.find_device(options.device);
    if (!device) return session.status();
    document->database->set_allocs_device(*device);
    const auto answer = options.format == "table" ? print_table : write_rows;
    if (options.compare.empty()) return answer(session, *document->database, options);
    Session other(options.compare, session);
    const Document* b = other.open({.mesh = false});
    if (b == nullptr) return other.status();
    const auto device_b = other.find_device(options.device_b);
    if (!device_b) return other.status();
    const auto both = join_databases(*document->database, *b->database, options.compare, *device_b);
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
        .value("--part", options->part, k_part_about, {.type_name = "N"})
        .value("--with", options->with, k_with_about, {.is_file = true})
        .value("--device", options->device, "Device that the table `allocs` shows", {.type_name = "N"})
        .value("--compare", options->compare,
               "Another snapshot to query together with this one: tables of FILE are a.NAME, those of the other b.NAME",
               {.is_file = true})
        .value("--device2", options->device_b, "Device that the table b.allocs shows", {.type_name = "N"});
    add_job_log(arguments, options->log);
}

}  // namespace snapviewer
