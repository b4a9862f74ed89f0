#include "app/features/compare/compare_runs.h"
#include "app/features/conditions.h"

namespace snapviewer {

void CompareRuns::connect(Switchboard& board) {
    board.commands.add(
        {.id = "tools_compare",
         .menu = Menu::panels,
         .place = 310,
         .words = "Comparison…",
         .synonyms = "difference diff",
         .is_possible = [](const AppState& state) { return has_picture(state) && !state.compare.path.empty(); },
         .doc =
             [](const AppState& state) {
                 return std::string(state.compare.path.empty() ? "File > Compare with… chooses another file"
                                                               : "How this file and another differ at their peaks");
             },
         .run = [this] { state_.open_window(state_.compare.is_open); }});
    board.commands.add({.id = "compare_stop", .run = [this] { stop(); }});
    board.commands.add({.id = "compare_restart", .run = [this] { restart(); }});
    board.commands.add({.id = "compare_copy", .run = [this, &board] {
                            const std::string line = command_line();
                            if (!line.empty()) board.requests.ask(CopyText{line, "The command"});
                        }});
    board.handlers.on<CompareWith>([this](const CompareWith& asked) { begin(asked.path); });
    board.handlers.on<GoToCompared>([this](const GoToCompared& asked) { go_to(asked.key); });
    board.handlers.on<ShowComparedBox>([this](const ShowComparedBox& asked) { show_box(asked.box); });
}

}  // namespace snapviewer
