#include "app/features/live/live.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace snapviewer {

void LivePage::connect(Switchboard& board) {
    board.handlers.on<ListLive>([this](const ListLive& asked) {
        if (state_.current_timeline() == nullptr) return;
        show_live_at(state_.live, *state_.current_timeline(), asked.tick);
        if (!state_.selected().is_some()) state_.pages.show_moment();
    });
}

namespace {

using JsonValue = nlohmann::json;

JsonValue live_report(const AppState& state) {
    if (state.current_timeline() == nullptr || state.live.timeline != state.current_timeline()) return nullptr;
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(state.live.order.size(), k_reported_rows); ++i) {
        const std::uint32_t row = state.live.order[i];
        const StackTotal& total = state.live.totals[row];
        rows.push_back({{"bytes", total.bytes}, {"count", total.count}, {"name", state.live.names[row]}});
    }
    return {{"step", state.current_timeline()->step_of_tick(state.live.tick)},
            {"bytes", state.live.bytes},
            {"stacks", state.live.totals.size()},
            {"shown", state.live.order.size()},
            {"first_rows", std::move(rows)}};
}

}  // namespace

void LivePage::describe(nlohmann::json& report) const { report["live"] = live_report(state_); }

}  // namespace snapviewer
