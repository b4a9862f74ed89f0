#include "app/features/conditions.h"
#include "app/features/table/allocation_list.h"
#include "app/features/table/allocation_table.h"

namespace snapviewer {

void AllocationList::connect(Switchboard& board) {
    board.commands.add({.id = "tools_table",
                        .menu = Menu::panels,
                        .place = 300,
                        .words = "Table of allocations…",
                        .synonyms = "list blocks",
                        .keys = "Ctrl+L",
                        .is_possible = has_picture,
                        .keys_while_typing = true,
                        .run = [this] { state_.open_window(state_.table.is_open); }});
    board.commands.add({.id = "table_copy", .run = [this] { copy(); }});
    board.handlers.on<SaveTable>([this](const SaveTable& asked) { save(asked.path); });
}

void AllocationList::draw(Requests& requests) {
    if (state_.current_timeline() == nullptr) return;
    const bool has_hits = state_.search.emphasis && state_.search.emphasis->count() > 0;
    draw_allocation_table(state_.table, {state_.selected(), has_hits, state_.document->path}, requests);
    if (state_.table.is_focused) state_.focused = Pane::table;
}

}  // namespace snapviewer
