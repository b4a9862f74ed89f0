#include "app/features/moments/moment_marks.h"

namespace snapviewer {

void MomentMarks::connect(Switchboard& board) {
    board.handlers.on<EmphasiseChange>([this](const EmphasiseChange& asked) { emphasise(asked); });
}

void MomentMarks::leave() {
    state_.moments = MomentsState{};
    state_.generation = GenerationState{};
}

}  // namespace snapviewer
