#include "core/document/contradiction_table.h"

#include <algorithm>

#include "core/document/table_rows.h"

namespace snapviewer {
namespace {

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

Status add_contradiction_rows(DeviceAnalyses& device, const Progress* progress, std::vector<ContradictionRow>& rows) {
    if (!device.tells_of_blocks() || !device.why_no_layouts().empty()) return {};
    const auto made = device.address_space(progress);
    if (!made) return made.error();
    const AddressSpace& space = **made;
    if (space.facts().final_ranges.empty()) return {};
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
    return {};
}

}  // namespace

TableFunction contradictions_table(const std::shared_ptr<const Analyses>& analyses) {
    return {"contradictions",
            "Where events and segments of a device cannot both be true, and how often. Empty if they agree, or if there are "
            "no segments.",
            docs_of(contradiction_columns()),
            {},
            [analyses](Arguments, const Progress* progress) -> FunctionRowsResult {
                return rows_of_devices<ContradictionRow>(
                    *analyses,
                    [&](DeviceAnalyses& device, std::vector<ContradictionRow>& rows) {
                        return add_contradiction_rows(device, progress, rows);
                    },
                    contradiction_columns());
            }};
}

}  // namespace snapviewer
