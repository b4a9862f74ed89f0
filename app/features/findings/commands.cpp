#include "app/features/findings/answers.h"

namespace snapviewer {

void Answers::connect(Switchboard& board) {
    board.commands.add({.id = "findings_restart", .run = [this] { restart(); }});
    board.commands.add({.id = "findings_stop", .run = [this] { stop(); }});
    board.handlers.on<GoToFinding>([this](const GoToFinding& asked) { go_to(asked.index); });
    board.handlers.on<GoToGrowth>([this](const GoToGrowth& asked) { go_to_growth(asked.index); });
    board.handlers.on<GoToEvent>([this](const GoToEvent& asked) { go_to_event(asked.event); });
    board.handlers.on<ReadOomMessage>([this](const ReadOomMessage& asked) { read_error(asked.text); });
    // Kinds of allocations come from the analyses, so colouring by kind restarts them if they were stopped.
    board.handlers.on<ColourAs>([this](const ColourAs& asked) {
        if (asked.by == ColourBy::kind) restart();
    });
}

}  // namespace snapviewer
