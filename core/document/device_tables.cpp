#include "core/document/analysis_tables.h"

#include <algorithm>

namespace snapviewer {
namespace {

/// One pool of a device, with its memory use.
struct PoolTableRow {
    const DeviceAnalyses* device = nullptr;
    std::shared_ptr<const std::vector<PoolUse>> uses;  ///< Keeps `use` alive
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

void add_pool_rows(DeviceAnalyses& device, std::vector<PoolTableRow>& rows) {
    const auto uses = device.pool_uses();
    for (const PoolUse& use : *uses) rows.push_back({&device, uses, &use});
}

/// One part of a card's memory, for example the memory of one process.
struct CardTableRow {
    const DeviceAnalyses* device = nullptr;
    std::shared_ptr<const std::vector<CardUse>> uses;  ///< Keeps `use` and `row` alive
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

void add_card_rows(DeviceAnalyses& device, std::vector<CardTableRow>& rows) {
    const auto uses = device.card_uses();
    for (const CardUse& use : *uses) {
        for (const CardRow& row : use.rows) rows.push_back({&device, uses, &use, &row});
    }
}

struct ContradictionRow {
    const DeviceAnalyses* device = nullptr;
    std::string what;
    std::uint64_t backward = 0;
    std::uint64_t forward = 0;
};

const RowColumns<ContradictionRow>& contradiction_columns() {
    static const RowColumns<ContradictionRow> all = {
        {device_doc(), [](const ContradictionRow& row) -> Cell { return device_cell(*row.device); }},
        {text_doc("contradiction", "in words, as in the finding 'contradictions'"),
         [](const ContradictionRow& row) -> Cell { return row.what; }},
        {integer_doc("backward", "how often it was met on the way from the segments at the end back to the beginning"),
         [](const ContradictionRow& row) -> Cell { return size_cell(row.backward); }},
        {integer_doc("forward", "how often it was met on the way from the beginning forward"),
         [](const ContradictionRow& row) -> Cell { return size_cell(row.forward); }}};
    return all;
}

void add_contradiction_rows(DeviceAnalyses& device, std::vector<ContradictionRow>& rows) {
    if (!device.tells_of_blocks() || !device.why_no_layouts().empty()) return;
    const auto made = device.address_space();
    const AddressSpace& space = *made;
    if (space.facts().final_ranges.empty()) return;
    std::vector<ContradictionRow> found;
    for (std::size_t i = 0; i < k_contradictions; ++i) {
        const std::uint64_t backward = space.backward_contradictions()[i];
        const std::uint64_t forward = space.forward_contradictions()[i];
        if (backward + forward > 0)
            found.push_back({&device, contradiction_text(static_cast<Contradiction>(i)), backward, forward});
    }
    const auto& replaced = space.facts().replaced_by_allocation;
    const auto unfreed = replaced.size() - static_cast<std::size_t>(std::ranges::count(replaced, AddressFacts::k_none));
    if (found.empty() && unfreed > 0)
        found.push_back({&device, "allocations at addresses that were never freed", 0, unfreed});
    rows.insert(rows.end(), found.begin(), found.end());
}

}  // namespace

TableFunction pool_use_table(const std::shared_ptr<const Analyses>& analyses) {
    return {"pool_use",
            "What each memory pool holds at the peak and when the snapshot was taken, and who made it: pools of CUDA graphs "
            "and of MemPool are closed to everything else.",
            docs_of(pool_columns()),
            {},
            [analyses](Arguments) { return rows_of_devices<PoolTableRow>(*analyses, add_pool_rows, pool_columns()); }};
}

TableFunction device_memory_table(const std::shared_ptr<const Analyses>& analyses) {
    return {
        "device_memory",
        "All memory of the card by who uses it, other processes included, where snapviewer's recorder wrote it down beside "
        "the snapshot, or the error in a job's log tells it (--log). Empty otherwise.",
        docs_of(card_columns()),
        {},
        [analyses](Arguments) { return rows_of_devices<CardTableRow>(*analyses, add_card_rows, card_columns()); }};
}

TableFunction contradictions_table(const std::shared_ptr<const Analyses>& analyses) {
    return {"contradictions",
            "Where events and segments of a device cannot both be true, and how often. Empty if they agree, or if there are "
            "no segments.",
            docs_of(contradiction_columns()),
            {},
            [analyses](Arguments) {
                return rows_of_devices<ContradictionRow>(*analyses, add_contradiction_rows, contradiction_columns());
            }};
}

}  // namespace snapviewer
