#include "app/features/conditions.h"
#include "app/features/findings/answers.h"

namespace snapviewer {

void Answers::connect_page(Commands& commands, SidePage page, int place, const char* id, const char* words) {
    commands.add(
        {.id = id, .menu = Menu::tools, .place = place, .words = words, .is_possible = has_picture, .run = [this, page] {
             state_.icicle.shown.reset();
             state_.pages.next = page;
         }});
}

void Answers::connect(Switchboard& board) {
    connect_page(board.commands, SidePage::findings, 100, "tools_findings", "Findings");
    connect_page(board.commands, SidePage::growth, 110, "tools_growth", "What grows");
    board.commands.add({.id = "findings_restart", .run = [this] { restart(); }});
    board.commands.add({.id = "findings_stop", .run = [this] { stop(); }});
    board.handlers.on<GoToFinding>([this](const GoToFinding& asked) { go_to(asked.index); });
    board.handlers.on<GoToGrowth>([this](const GoToGrowth& asked) { go_to_growth(asked.index); });
    board.handlers.on<GoToEvent>([this](const GoToEvent& asked) { go_to_event(asked.event); });
    // What kinds are told by is worked out if it was stopped before.
    board.handlers.on<ColourAs>([this](const ColourAs& asked) {
        if (asked.by == ColourBy::kind) restart();
    });
}

}  // namespace snapviewer
