#include "core/document/document.h"

#include <algorithm>

#include "core/analysis/report/device_table.h"

namespace snapviewer {
namespace {

/// Calls `work(DeviceAnalyses&)` for every device.
template <typename Work>
void for_all_devices(const Analyses& analyses, Work work) {
    for (std::size_t i = 0; i < analyses.device_count(); ++i) std::invoke(work, analyses.device(i));
}

/// Reads a value for an allocations.id. `read` gets its device, which is the last one that begins at or before this id.
template <typename Read>
auto of_allocation(const Analyses& analyses, std::int64_t id, Read read)
    -> std::invoke_result_t<Read, DeviceAnalyses&, AllocationId> {
    for (std::size_t i = analyses.device_count(); i-- > 0;) {
        DeviceAnalyses& device = analyses.device(i);
        const std::int64_t row = id - device.allocation_id(AllocationId{0});
        if (row >= 0) return read(device, AllocationId{static_cast<std::uint32_t>(row)});
    }
    return {};
}

AddedColumn module_column(const AnalysesPointer& analyses) {
    const auto read = [analyses](std::int64_t id) {
        return of_allocation(*analyses, id,
                             [](DeviceAnalyses& device, AllocationId allocation) -> std::optional<std::string> {
                                 const auto modules = device.modules();
                                 const auto module = modules->empty() ? k_no_module : modules->of[allocation.value].module;
                                 return module == k_no_module ? std::nullopt : std::optional(modules->path(module));
                             });
    };
    return {"allocations",
            "id",
            "compile_context",
            {"module", FieldUnit::text,
             "path of the module it belongs to, as the program's annotations or metadata say; '' is the model itself; NULL "
             "where they do not say",
             read},
            [analyses] { for_all_devices(*analyses, &DeviceAnalyses::modules); }};
}

AddedColumn block_bytes_column(const AnalysesPointer& analyses) {
    const auto read = [analyses](std::int64_t id) {
        return of_allocation(*analyses, id,
                             [](DeviceAnalyses& device, AllocationId allocation) -> std::optional<std::uint64_t> {
                                 if (!device.has_blocks()) return std::nullopt;
                                 return device.address_space()->block_size(allocation).bytes;
                             });
    };
    return {"allocations",
            "id",
            "alloc_step",
            {"block_bytes", FieldUnit::bytes,
             "bytes of the block it was given: as the file lists it, otherwise by the allocator's rules for rounding and "
             "splitting; NULL where blocks are unknown",
             read},
            [analyses] { for_all_devices(*analyses, &DeviceAnalyses::address_space); }};
}

/// Creates a column of the table `markers` about why memory ran out. `get` returns its text; an empty text becomes NULL.
template <typename Get>
AddedColumn verdict_column(const AnalysesPointer& analyses, const char* name, const char* sentence, Get get) {
    const auto read = [analyses, get](std::int64_t id) -> std::optional<std::string> {
        for (std::size_t i = 0; i < analyses->device_count(); ++i) {
            const auto report = analyses->device(i).oom();
            const std::int64_t event = id - analyses->device(i).event_id(0);
            const auto& verdicts = report->verdicts;
            const auto found = std::ranges::lower_bound(
                verdicts, event, {}, [](const OomVerdict& verdict) { return std::int64_t{verdict.event}; });
            if (found != verdicts.end() && std::int64_t{found->event} == event)
                return null_if_empty(std::invoke(get, *found));
        }
        return std::nullopt;
    };
    return {"markers", "event_id", "", {name, FieldUnit::text, sentence, read}, [analyses] {
                for_all_devices(*analyses, &DeviceAnalyses::oom);
            }};
}

}  // namespace

AddedTables analysis_tables(const AnalysesPointer& analyses) {
    AddedTables added;
    for (auto table :
         {steps_table, growth_table, generations_table, kinds_table, call_tree_table, device_memory_table, pool_use_table,
          modules_table, contradictions_table, findings_table, holes_table, layout_table, pins_table, changes_table})
        added.tables.push_back(table(analyses));
    added.columns = {
        block_bytes_column(analyses), module_column(analyses),
        verdict_column(analyses, "cause",
                       "for 'oom': the cause, one of 'unknown', 'limit', 'too_large', 'pending', 'private_pools', "
                       "'unreleased', 'fragmentation', 'outside', 'mixed' or 'capacity'; otherwise NULL",
                       [](const OomVerdict& verdict) { return std::string(oom_cause_name(verdict.cause)); }),
        verdict_column(analyses, "sentence", "for 'oom': the cause in a sentence", &OomVerdict::sentence),
        verdict_column(analyses, "hint", "for 'oom': what to do about it; NULL if there is nothing to advise",
                       &OomVerdict::hint)};
    return added;
}

}  // namespace snapviewer
