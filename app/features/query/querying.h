#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/query/result_chart.h"
#include "app/ui/result_grid.h"
#include "core/base/job.h"
#include "core/query/database.h"

namespace snapviewer {

/// The result of one statement.
struct StatementAnswer {
    std::string sql;
    std::shared_ptr<const QueryResult> result;
    std::shared_ptr<const ResultChart> chart;  ///< chart of `result`, or the reason why there is none
};
/// The results of several statements, which run until one of them fails.
struct QueryOutcome {
    std::vector<StatementAnswer> answers;
    std::string failed_sql;
    std::optional<Error> error;  ///< error of `failed_sql`
};
struct QueryTask {
    std::vector<std::string> statements;
    std::vector<QueryParameter> parameters;
    std::size_t max_rows = 0;
};
Job<QueryOutcome>::Work make_query_job(std::shared_ptr<Database> database, QueryTask task);

/// Outcome of writing a result to a file.
struct SavedFile {
    std::string path;
    Status status;
};
/// Creates a job that writes the rows of a result in the given order.
Job<SavedFile>::Work make_saving_job(std::string path, std::shared_ptr<const QueryResult> result,
                                     std::vector<std::uint32_t> order, ResultFormat format);

}  // namespace snapviewer
