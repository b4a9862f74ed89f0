#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/features/table/allocation_rows.h"
#include "core/base/job.h"
#include "core/base/result.h"

/// Jobs of the table of allocations, which run on worker threads.
namespace snapviewer {

struct ArrangeTask {
    std::shared_ptr<const AllocationRows> rows;  ///< rows to sort and filter; null to create them from `timeline` first
    std::shared_ptr<const Timeline> timeline;
    std::int64_t first_id = 0;
    RowArrangement arrangement;
};
struct ArrangedTable {
    std::shared_ptr<const AllocationRows> rows;
    std::shared_ptr<const ArrangedRows> arranged;
    RowArrangement arrangement;
};
Job<ArrangedTable>::Work make_arranging_job(ArrangeTask task);

struct WriteTask {
    std::shared_ptr<const AllocationRows> rows;
    std::shared_ptr<const ArrangedRows> arranged;
    ChosenColumns columns = {};
    std::string path;  ///< path of the CSV file to write; empty to return text for the clipboard
};
struct WrittenRows {
    std::string path;
    Status status;
    std::string text;
    std::size_t count = 0;
};
Job<WrittenRows>::Work make_writing_job(WriteTask task);

}  // namespace snapviewer
