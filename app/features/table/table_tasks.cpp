#include "app/features/table/table_tasks.h"

#include <utility>

#include "app/ui/sandboxed.h"
#include "core/base/budget.h"
#include "core/base/context.h"
#include "core/base/output_file.h"
#include "core/query/result_writer.h"

namespace snapviewer {
namespace {

void write_csv(const WriteTask& task) {
    OutputFile file = value_or_throw(OutputFile::create(task.path));
    const auto writer = make_csv_writer([&](std::string_view text) {
        charge_written(text.size(), "nothing was written; choose fewer columns");
        return file.write(text);
    });
    write_rows(*task.rows, task.arranged->ids, task.columns, *writer);
    writer->end();
    need_ok(file.put_in_place());
}

}  // namespace

Job<ArrangedTable>::Work make_arranging_job(ArrangeTask task) {
    return [task = std::move(task)](Progress&) {
        enter_sandbox_here({});
        ArrangedTable table{task.rows, nullptr, task.arrangement};
        if (table.rows == nullptr) table.rows = std::make_shared<const AllocationRows>(task.timeline, task.first_id);
        table.arranged = std::make_shared<const ArrangedRows>(arrange_rows(*table.rows, task.arrangement));
        return table;
    };
}

Job<WrittenRows>::Work make_writing_job(WriteTask task) {
    return [task = std::move(task)](Progress& progress) {
        progress.budget().add_file(task.rows->timeline().snapshot().read_bytes);
        WrittenRows written{task.path, {}, {}, task.arranged->ids.size()};
        if (task.path.empty())
            written.text = rows_as_tsv(*task.rows, task.arranged->ids, task.columns);
        else
            written.status = caught(&progress, [&] { write_csv(task); });
        return written;
    };
}

}  // namespace snapviewer
