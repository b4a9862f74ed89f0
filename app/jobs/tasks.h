#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/jobs/file_stamps.h"
#include "app/text/characters.h"
#include "app/text/result_chart.h"
#include "app/text/result_grid.h"
#include "core/base/job.h"
#include "core/document/document.h"
#include "core/query/database.h"
#include "core/trace/detail_source.h"

/// What the window has done on threads of their own.
namespace snapviewer {

struct OpenedFile {
    std::string path;
    std::vector<std::string> paths;  ///< of all that was read
    FileStamps stamps;               ///< of `paths`, from before they were
    Result<std::shared_ptr<const Document>> document;
    CharacterSet characters;  ///< of what the document can show
    std::string companion;    ///< a file that was open before and is seen together with this one; mostly empty
    std::optional<std::uint64_t> content = {};  ///< see content_hash()
    bool is_fleet = false;                      ///< many files, of which nothing is read yet: there is no document
};

/// Opens a file. `before` is what is open now, if anything. `onlooker` sees what is read so far.
Job<OpenedFile>::Work opening(std::string path, OpenOptions options, std::shared_ptr<const Document> before,
                              std::shared_ptr<Onlooker> onlooker);
/// Of many files, `path` the first of them: nothing is read yet.
Job<OpenedFile>::Work opening_fleet(std::string path);

struct BuiltView {
    std::shared_ptr<const Document> document;
    std::size_t device_index = 0;
    ViewKind kind = ViewKind::allocations;
    Result<DeviceView> view;
};

/// Makes one more picture of a device.
Job<BuiltView>::Work building_of(std::shared_ptr<const Document> document, std::size_t device_index, ViewKind kind);

struct LookedUpDetails {
    std::shared_ptr<DetailSource> source;
    AllocationId id;
    Result<std::vector<DetailSection>> sections;
};

/// Asks the file about one allocation: milliseconds.
Job<LookedUpDetails>::Work looking_up(std::shared_ptr<DetailSource> source, std::size_t device_index, AllocationId id);

/// What one statement gave.
struct StatementAnswer {
    std::string sql;
    std::shared_ptr<const QueryResult> result;
    std::shared_ptr<const ResultChart> chart;  ///< of `result`, or why there is none
};
/// Of several statements, until one fails.
struct QueryOutcome {
    std::vector<StatementAnswer> answers;
    std::string failed_sql;
    std::optional<Error> error;  ///< of `failed_sql`
};
struct QueryTask {
    std::vector<std::string> statements;
    std::vector<QueryParameter> parameters;
    std::size_t max_rows = 0;
};
Job<QueryOutcome>::Work querying(std::shared_ptr<Database> database, QueryTask task);

/// What became of a file that was to be written.
struct SavedFile {
    std::string path;
    Status status;
};
/// Writes the rows of a result in their order.
Job<SavedFile>::Work saving(std::string path, std::shared_ptr<const QueryResult> result, std::vector<std::uint32_t> order,
                            ResultFormat format);

}  // namespace snapviewer
