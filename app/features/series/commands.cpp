#include "app/features/series/series_runs.h"
#include "app/features/series/series_view.h"

namespace snapviewer {

void SeriesRuns::connect(Switchboard& board) {
    board.commands.add(
        {.id = "tools_series",
         .menu = Menu::tools,
         .place = 310,
         .words = "Series over hours…",
         .synonyms = "samples days growth",
         .is_possible = [](const AppState& state) { return !state.series.paths.empty() || !state.fleet.paths.empty(); },
         .doc =
             [](const AppState& state) {
                 const bool is_possible = !state.series.paths.empty() || !state.fleet.paths.empty();
                 return std::string(is_possible
                                        ? "What small snapshots of the same ranks, taken one after another, say together"
                                        : "File > Open a folder of ranks… opens one");
             },
         .run =
             [this] {
                 if (state_.series.paths.empty()) return begin(state_.fleet.paths);
                 state_.open_window(state_.series.is_open);
             }});
    board.commands.add({.id = "series_stop", .run = [this] { stop(); }});
    board.commands.add({.id = "series_restart", .run = [this] { restart(); }});
    board.commands.add({.id = "series_follow", .run = [this] { turn_following(); }});
}

void SeriesRuns::draw(Requests& requests) { draw_series_window(state_.series, requests); }

}  // namespace snapviewer
