#include "app/features/live/live.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace snapviewer {

void LivePage::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::page,
                            .id = k_live_page,
                            .title = "Live",
                            .order = 103,
                            .command = {.id = "page_live", .synonyms = "alive at a step moment"},
                            .draw =
                                [this](const Area& /*area*/, Requests& requests) {
                                    draw_live_view(state_.live, *state_.current_timeline(), state_.search.stack(), requests);
                                },
                            .draw_in_picture = [this](Requests& requests) { draw_line(requests); }});
    board.handlers.on<ListLive>([this](const ListLive& asked) {
        if (state_.current_timeline() == nullptr) return;
        show_live_at(state_.live, *state_.current_timeline(), asked.tick);
        if (!state_.selected().is_some()) state_.show_moment();
    });
}

void LivePage::draw_line(Requests& requests) {
    const Timeline& timeline = *state_.current_timeline();
    const bool is_in_use = state_.pages.shown == k_live_page || state_.pages.shown == k_pins_page;
    if (is_in_use && state_.live.timeline == &timeline)
        draw_live_line(state_.timeline.projection, timeline, state_.current_device().axis, state_.live.tick, requests);
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
