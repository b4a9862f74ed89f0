#include "app/features/query/querying.h"

#include <utility>

#include "app/ui/sandboxed.h"
#include "core/base/output_file.h"

namespace snapviewer {

Job<QueryOutcome>::Work make_query_job(std::shared_ptr<Database> database, QueryTask task) {
    return [database = std::move(database), task = std::move(task)](Progress& progress) {
        enter_sandbox_here({});
        const QueryLimits limits{.max_rows = task.max_rows, .parameters = task.parameters, .progress = &progress};
        QueryOutcome outcome;
        for (const std::string& sql : task.statements) {
            Result<QueryResult> result = database->run(sql, limits);
            if (!result) {
                outcome.failed_sql = sql;
                outcome.error = result.error();
                break;
            }
            auto chart = std::make_shared<const ResultChart>(make_chart(*result));
            outcome.answers.push_back({sql, std::make_shared<const QueryResult>(std::move(*result)), std::move(chart)});
        }
        return outcome;
    };
}

Job<SavedFile>::Work make_saving_job(std::string path, std::shared_ptr<const QueryResult> result,
                                     std::vector<std::uint32_t> order, ResultFormat format) {
    return [path = std::move(path), result = std::move(result), order = std::move(order), format](Progress&) {
        Result<OutputFile> file = OutputFile::create(path);
        if (!file) return SavedFile{path, file.error()};
        file->write(result_text(*result, order, format));
        return SavedFile{path, file->put_in_place()};
    };
}

}  // namespace snapviewer
