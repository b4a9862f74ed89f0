#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/features/table/allocation_list.h"
#include "app/features/table/allocation_rows.h"
#include "app/features/table/table_tasks.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

/// Report of the table of allocations while it is open and has rows, else null.
JsonValue table_report(const AppState& state) {
    const AllocationTableState& table = state.table;
    if (!state.table.is_open || table.arranged == nullptr) return nullptr;
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(table.arranged->ids.size(), k_reported_rows); ++i) {
        const AllocationId id{table.arranged->ids[i]};
        rows.push_back({{"id", id.value},
                        {"size", table.rows->timeline().trace().allocations.size_bytes[id.value]},
                        {"stack", table.rows->shown(AllocationColumn::stack, id)}});
    }
    JsonValue columns = JsonValue::array();
    for (const AllocationColumnInfo& info : allocation_columns()) {
        if (table.columns[static_cast<std::size_t>(info.column)]) columns.push_back(info.sql_name);
    }
    return {{"rows", table.arranged->ids.size()},
            {"bytes", table.arranged->bytes},
            {"arranging", table.is_arranging},
            {"sorted_by", info_of(table.shown.sorted_by).sql_name},
            {"descending", table.shown.is_descending},
            {"only_hits", table.shown.among != nullptr},
            {"row", table.row ? JsonValue(*table.row) : JsonValue(nullptr)},
            {"columns", std::move(columns)},
            {"first_rows", std::move(rows)}};
}

}  // namespace

void AllocationList::describe(nlohmann::json& report) const { report["table"] = table_report(state_); }

}  // namespace snapviewer
