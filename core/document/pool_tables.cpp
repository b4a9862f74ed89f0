#include "core/document/pool_tables.h"

#include "core/document/table_rows.h"

namespace snapviewer {
namespace {

/// A pool of a device.
struct PoolTableRow {
    const DeviceAnalyses* device = nullptr;
    std::shared_ptr<const std::vector<PoolUse>> uses;  ///< keeps `use`
    const PoolUse* use = nullptr;

    Cell at_peak(std::uint64_t bytes) const { return use->at_peak ? size_cell(bytes) : Cell(); }
    PoolHolding peak() const { return use->at_peak.value_or(PoolHolding()); }
};

Cell known_text_cell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

const RowColumns<PoolTableRow>& pool_columns() {
    static const RowColumns<PoolTableRow> all = {
        {device_doc(), [](const PoolTableRow& row) -> Cell { return device_cell(*row.device); }},
        {text_doc("pool", "as '(1, 2)'; '(0, 0)' is the default pool"),
         [](const PoolTableRow& row) -> Cell { return row.use->pool; }},
        {integer_doc("is_private", "1 for a pool of a CUDA graph or one created by the program, otherwise 0"),
         [](const PoolTableRow& row) -> Cell { return std::int64_t{row.use->is_private ? 1 : 0}; }},
        {integer_doc("reserved_at_peak", "bytes of its segments when most was allocated; NULL if that is not known"),
         [](const PoolTableRow& row) -> Cell { return row.at_peak(row.peak().reserved); }},
        {integer_doc("used_at_peak", "of these, in blocks"),
         [](const PoolTableRow& row) -> Cell { return row.at_peak(row.peak().used); }},
        {integer_doc("idle_at_peak", "of these, in no block"),
         [](const PoolTableRow& row) -> Cell { return row.at_peak(row.peak().idle()); }},
        {integer_doc("reserved_at_end", "bytes of its segments when the snapshot was taken"),
         [](const PoolTableRow& row) -> Cell { return size_cell(row.use->at_end.reserved); }},
        {integer_doc("used_at_end", "of these, in blocks"),
         [](const PoolTableRow& row) -> Cell { return size_cell(row.use->at_end.used); }},
        {integer_doc("idle_at_end", "of these, in no block"),
         [](const PoolTableRow& row) -> Cell { return size_cell(row.use->at_end.idle()); }},
        {integer_doc("made_event",
                     "events.id of the first that reserved memory for it; NULL if none was recorded, or for the "
                     "default pool"),
         [](const PoolTableRow& row) -> Cell {
             return row.use->made_event ? Cell(row.device->event_id(*row.use->made_event)) : Cell();
         }},
        {integer_doc("made_stack_id", "stacks.id of that event, or of a segment of the pool; NULL if there is none"),
         [](const PoolTableRow& row) -> Cell {
             return row.use->made_stack.is_some() ? Cell(std::int64_t{row.use->made_stack.value}) : Cell();
         }},
        {text_doc("made_by", "the line of that stack; NULL without one"),
         [](const PoolTableRow& row) -> Cell { return known_text_cell(row.use->made_by); }},
        {text_doc("captured_by", "the frame of that stack that captures a CUDA graph; NULL if none does"),
         [](const PoolTableRow& row) -> Cell { return known_text_cell(row.use->captured_by); }}};
    return all;
}

Status add_pool_rows(DeviceAnalyses& device, const Progress* progress, std::vector<PoolTableRow>& rows) {
    const auto uses = device.pool_uses(progress);
    if (!uses) return uses.error();
    for (const PoolUse& use : **uses) rows.push_back({&device, *uses, &use});
    return {};
}

}  // namespace

TableFunction pool_use_table(const std::shared_ptr<const Analyses>& analyses) {
    return {"pool_use",
            "What each memory pool holds at the peak and when the snapshot was taken, and who made it: pools of CUDA graphs "
            "and of MemPool are closed to everything else.",
            docs_of(pool_columns()),
            {},
            [analyses](Arguments, const Progress* progress) -> FunctionRowsResult {
                return rows_of_devices<PoolTableRow>(
                    *analyses,
                    [&](DeviceAnalyses& device, std::vector<PoolTableRow>& rows) {
                        return add_pool_rows(device, progress, rows);
                    },
                    pool_columns());
            }};
}

}  // namespace snapviewer
