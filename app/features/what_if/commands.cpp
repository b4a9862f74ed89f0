#include "app/features/conditions.h"
#include "app/features/what_if/what_if_runs.h"
#include "app/features/what_if/what_if_view.h"

namespace snapviewer {
namespace {

std::string why_no_what_if(const AppState& state) {
    return has_picture(state) ? why_no_replay(*state.document->snapshot, state.device_index) : "";
}

}  // namespace

void WhatIfRuns::connect(Switchboard& board) {
    board.commands.add(
        {.id = "tools_what_if",
         .menu = Menu::panels,
         .place = 320,
         .words = "What if…",
         .synonyms = "replay simulate expandable_segments max_split_size allocator settings",
         .is_possible = [](const AppState& state) { return has_picture(state) && why_no_what_if(state).empty(); },
         .doc = why_no_what_if,
         .run = [this] { state_.open_window(state_.what_if.is_open); }});
    board.commands.add({.id = "what_if_stop", .run = [this] { stop(); }});
    board.commands.add({.id = "what_if_restart", .run = [this] { restart(); }});
}

void WhatIfRuns::draw(Requests& requests) {
    if (state_.current_timeline() != nullptr) draw_what_if_window(state_.what_if, requests);
}

}  // namespace snapviewer
