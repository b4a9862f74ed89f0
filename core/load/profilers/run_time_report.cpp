#include "core/load/profilers/run_time_report.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/context.h"
#include "core/load/profilers/probe.h"

namespace snapviewer {

RunTimeSums sum_of(const std::vector<OperationRow>& operations) {
    RunTimeSums sums;
    for (const OperationRow& operation : operations) {
        sums.forward_ms += operation.forward_ms;
        sums.backward_ms += operation.backward_ms.value_or(0);
    }
    return sums;
}

std::vector<IcicleRows> run_time_icicles(const std::vector<OperationRow>& operations) {
    IcicleRows executed;
    IcicleRows merged;
    const auto entry = [&](std::size_t i, double width_ms, IcicleGroup group) {
        return IcicleEntry{operations[i].frames, operations[i].operation, width_ms, group, static_cast<std::uint32_t>(i)};
    };
    for (std::size_t i = 0; i < operations.size(); ++i) {
        check_stop();
        const double both_ms = operations[i].forward_ms + operations[i].backward_ms.value_or(0);
        executed.entries.push_back(entry(i, operations[i].forward_ms, IcicleGroup::forward));
        merged.entries.push_back(entry(i, both_ms, IcicleGroup::forward_and_backward));
    }
    for (std::size_t i = operations.size(); i-- > 0;) {
        check_stop();
        if (operations[i].backward_ms)
            executed.entries.push_back(entry(i, *operations[i].backward_ms, IcicleGroup::backward));
    }
    const std::string sum_title = "sum of separately measured operations (not the time of an iteration)";
    const IcicleTitle order{"execution order", sum_title, Unit::milliseconds};
    const IcicleTitle apart{"execution order, calls apart", sum_title, Unit::milliseconds};
    const IcicleTitle source{"by source", sum_title + ", longest first", Unit::milliseconds};
    executed.pictures = {{order, IcicleLayout::in_order}, {apart, IcicleLayout::in_order_apart}};
    merged.pictures = {{source, IcicleLayout::by_source}};
    return {std::move(executed), std::move(merged)};
}

bool is_run_time_report(const SqliteFile& file) { return has_any_table(file, {"run_time_entries"}); }

void read_run_time_report(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded) {
    snapshot.kind = FileKind::run_time_report;
    const std::vector<OperationRow> operations = read_run_time_report_rows(*file, snapshot.log);
    if (operations.empty()) {
        snapshot.log.add(ImportCode::report_empty,
                         "the report lists no operations; was the model inside the project folder?");
    }
    const RunTimeSums sums = sum_of(operations);
    const auto put = [&](const char* name, double value) { snapshot.settings.emplace_back(name, fmt::format("{}", value)); };
    put("forward_ms", sums.forward_ms);
    put("backward_ms", sums.backward_ms);
    put("sum_ms", sums.forward_ms + sums.backward_ms);
    if (sums.forward_ms > 0) put("backward_per_forward", sums.backward_ms / sums.forward_ms);
    loaded.icicles = run_time_icicles(operations);
}

}  // namespace snapviewer
