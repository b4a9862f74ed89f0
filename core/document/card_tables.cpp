#include "core/document/card_tables.h"

#include "core/document/table_rows.h"

namespace snapviewer {
namespace {

/// A part of a card's memory.
struct CardTableRow {
    const DeviceAnalyses* device = nullptr;
    std::shared_ptr<const std::vector<CardUse>> uses;  ///< keeps the next two
    const CardUse* use = nullptr;
    const CardRow* row = nullptr;
};

const RowColumns<CardTableRow>& card_columns() {
    static const RowColumns<CardTableRow> all = {
        {device_doc(), [](const CardTableRow& row) -> Cell { return device_cell(*row.device); }},
        {text_doc("source",
                  "who told: 'recorder' is the .about.json beside the file, 'message' PyTorch's error in the job's log"),
         [](const CardTableRow& row) -> Cell { return std::string(figures_source_name(row.use->source)); }},
        {integer_doc("event_id", "events.id of the event after which it was so; NULL if that is not known"),
         [](const CardTableRow& row) -> Cell {
             return row.use->moment ? integer_cell(row.device->event_id_of_moment(*row.use->moment)) : Cell();
         }},
        {text_doc(
             "part",
             "'allocated' and 'pending' (freed, but another stream may still use it) by PyTorch; 'idle' and 'private_idle' "
             "reserved by PyTorch, the latter in private pools; 'this_process' outside PyTorch's allocator, or all of it if "
             "PyTorch counts more than the card has and no other part is about PyTorch; "
             "'other_processes'; 'free'; 'no_process' of the driver itself; 'unknown'"),
         [](const CardTableRow& row) -> Cell { return std::string(card_part_name(row.row->part)); }},
        {integer_doc("bytes", "together as much as the card has"),
         [](const CardTableRow& row) -> Cell { return size_cell(row.row->bytes); }},
        {text_doc("words", "the part in words"), [](const CardTableRow& row) -> Cell { return row.row->words; }}};
    return all;
}

Status add_card_rows(DeviceAnalyses& device, const Progress* progress, std::vector<CardTableRow>& rows) {
    const auto uses = device.card_uses(progress);
    if (!uses) return uses.error();
    for (const CardUse& use : **uses) {
        for (const CardRow& row : use.rows) rows.push_back({&device, *uses, &use, &row});
    }
    return {};
}

}  // namespace

TableFunction device_memory_table(const std::shared_ptr<const Analyses>& analyses) {
    return {
        "device_memory",
        "All memory of the card by who uses it, other processes included, where snapviewer's recorder wrote it down beside "
        "the snapshot, or the error in a job's log tells it (--log). Empty otherwise.",
        docs_of(card_columns()),
        {},
        [analyses](Arguments, const Progress* progress) -> FunctionRowsResult {
            return rows_of_devices<CardTableRow>(
                *analyses,
                [&](DeviceAnalyses& device, std::vector<CardTableRow>& rows) {
                    return add_card_rows(device, progress, rows);
                },
                card_columns());
        }};
}

}  // namespace snapviewer
