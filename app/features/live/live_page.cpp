#include "app/features/live/live_page.h"

#include "app/features/live/live_view.h"

namespace snapviewer {

void LivePage::connect(Switchboard& board) {
    board.handlers.on<ListLive>([this](const ListLive& asked) {
        if (state_.current_timeline() == nullptr) return;
        show_live_at(state_.live, *state_.current_timeline(), asked.tick);
        if (!state_.selected().is_some()) state_.pages.show_moment();
    });
}

}  // namespace snapviewer
