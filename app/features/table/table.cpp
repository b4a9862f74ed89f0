#include "app/features/table/table.h"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "app/features/session.h"
#include "app/features/table/allocation_rows.h"

namespace snapviewer {

void AllocationList::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::window,
                            .command = CommandId::tools_table,
                            .is_possible = has_picture,
                            .is_open = &session_.table.is_open,
                            .draw = [this](const Area& /*area*/, Requests& requests) { draw(requests); }});
    board.commands.on(CommandId::table_copy, {.run = [this] { copy(); }});
    board.handlers.on<SaveTable>([this](const SaveTable& asked) { save(asked.path); });
}

void AllocationList::draw(Requests& requests) {
    if (session_.current_timeline() == nullptr) return;
    const bool has_hits = session_.search.emphasis && session_.search.emphasis->count() > 0;
    draw_allocation_table(session_.table, {session_.selected(), has_hits, session_.document->path}, requests);
    if (session_.table.is_focused) session_.focused = Pane::table;
}

namespace {

using JsonValue = nlohmann::json;

/// Report of the table of allocations while it is open and has rows, else null.
JsonValue table_report(const Session& session) {
    const AllocationTableState& table = session.table;
    if (!session.table.is_open || table.arranged == nullptr) return nullptr;
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

void AllocationList::describe(nlohmann::json& report) const { report["table"] = table_report(session_); }

}  // namespace snapviewer
