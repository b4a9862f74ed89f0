#include "app/features/conditions.h"
#include "app/features/selection/selection.h"

namespace snapviewer {

void Selection::connect(Switchboard& board) {
    board.commands.add({.id = "selection_clear", .run = [this] { clear(); }});
    board.handlers.on<SelectAllocation>([this](const SelectAllocation& asked) {
        select(asked.id);
        // opens the page of details, even if this allocation is already selected
        if (state_.selected().is_some()) state_.pages.followed = AllocationId::none();
    });
    board.handlers.on<RevealAllocation>([this](const RevealAllocation& asked) { reveal(asked.id); });
    board.handlers.on<SelectNode>([this](const SelectNode& asked) { select_node(asked.node); });
    board.handlers.on<FindText>([this](const FindText& asked) { find(asked.text); });
    board.handlers.on<EmphasiseStack>([this](const EmphasiseStack& asked) { emphasise(asked.stack); });
    board.handlers.on<EmphasiseGroup>([this](const EmphasiseGroup& asked) { emphasise_group(asked.group); });
    board.handlers.on<FollowRow>([this](const FollowRow& asked) { follow(asked.target); });
}

/// A typed search is kept for the next file. Other searches refer to objects of the old file, so they end.
void Selection::leave() {
    const bool is_typed = state_.search.as<TextSought>() != nullptr || state_.search.as<std::monostate>() != nullptr;
    if (!is_typed) state_.search = SearchState{};
}

void Selection::adopt() {
    if (!state_.document) state_.search = SearchState{};
}

}  // namespace snapviewer
