#include "core/load/profilers/memory_report.h"

#include <string>

#include "core/load/failure.h"
#include "core/load/profilers/probe.h"

namespace snapviewer {
namespace {

void put_settings(Snapshot& snapshot, const MemoryReportRows& rows, const IterationSums& sums) {
    const auto put = [&](const char* name, std::uint64_t value) {
        snapshot.settings.emplace_back(name, std::to_string(value));
    };
    if (rows.peak_bytes) snapshot.settings.emplace_back("peak_usage_bytes", std::to_string(*rows.peak_bytes));
    put("weight_bytes", sums.weight_bytes);
    put("gradient_bytes", sums.gradient_bytes);
    put("activation_bytes", sums.activation_bytes);
    put("untracked_bytes", sums.untracked_bytes);
}

}  // namespace

bool is_memory_report(const SqliteFile& file) { return has_any_table(file, {"weight_entries", "activation_entries"}); }

Iteration show_memory_report(const SqliteFile& file, const MemoryReportRows& rows, const IterationTimes* times,
                             Snapshot& snapshot, LoadedFile& loaded) {
    snapshot.kind = FileKind::memory_report;
    Iteration iteration = Iteration::build(file, rows, times, snapshot);
    put_settings(snapshot, rows, iteration.sums());
    if (iteration.entries().empty()) {
        snapshot.log.add(ImportCode::report_empty,
                         "the report lists no weights and no activations with a size; was the model on a GPU?");
    }
    const IcicleTitle title{"by source", "bytes at the peak, largest first", Unit::bytes};
    IcicleRows& report = loaded.icicles.emplace_back();
    report.pictures = {{title, IcicleLayout::by_source}};
    for (const IcicleEntry& entry : iteration.entries()) {
        check_stop();
        report.entries.push_back(entry);
        report.allocations.push_back(AllocationId{entry.entry});
    }
    loaded.details = iteration.details();
    return iteration;
}

void read_memory_report(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded) {
    const MemoryReportRows rows = read_memory_report_rows(*file, snapshot.log);
    check_stop();
    show_memory_report(*file, rows, nullptr, snapshot, loaded);
    check_stop();
}

}  // namespace snapviewer
