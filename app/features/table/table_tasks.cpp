#include "app/features/table/table_tasks.h"

#include <utility>

#include "app/ui/sandboxed.h"
#include "core/base/answer_budget.h"
#include "core/base/output_file.h"
#include "core/query/result_writer.h"

namespace snapviewer {
namespace {

Status write_csv(const WriteTask& task, const Progress& progress) {
    Result<OutputFile> file = OutputFile::create(task.path);
    if (!file) return file.error();
    AnswerBudget budget(task.rows->timeline().snapshot().read_bytes);
    bool is_too_long = false;
    const auto writer = make_csv_writer([&](std::string_view text) {
        is_too_long = is_too_long || !budget.write(text.size());
        return !is_too_long && file->write(text);
    });
    const bool is_whole = write_rows(*task.rows, task.arranged->ids, task.columns, progress, *writer);
    if (!is_whole && progress.stop_requested()) return stopped();
    if (is_too_long) return budget.too_long("nothing was written; choose fewer columns");
    writer->end();
    return file->put_in_place();
}

}  // namespace

Job<ArrangedTable>::Work make_arranging_job(ArrangeTask task) {
    return [task = std::move(task)](Progress& progress) {
        enter_sandbox_here({});
        ArrangedTable table{task.rows, nullptr, task.arrangement};
        if (table.rows == nullptr) table.rows = std::make_shared<const AllocationRows>(task.timeline, task.first_id);
        if (auto arranged = arrange_rows(*table.rows, task.arrangement, progress))
            table.arranged = std::make_shared<const ArrangedRows>(std::move(*arranged));
        return table;
    };
}

Job<WrittenRows>::Work make_writing_job(WriteTask task) {
    return [task = std::move(task)](Progress& progress) {
        WrittenRows written{task.path, {}, {}, task.arranged->ids.size()};
        if (task.path.empty())
            written.text = rows_as_tsv(*task.rows, task.arranged->ids, task.columns, progress);
        else
            written.status = write_csv(task, progress);
        return written;
    };
}

}  // namespace snapviewer
