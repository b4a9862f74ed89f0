#include "app/features/live/live.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace snapviewer {

void LivePage::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::page,
                            .id = k_live_page,
                            .command = CommandId::page_live,
                            .draw =
                                [this](const Area& /*area*/, Requests& requests) {
                                    draw_live_view(session_.live, *session_.current_timeline(), session_.search.stack(),
                                                   requests);
                                },
                            .draw_in_picture = [this](Requests& requests) { draw_line(requests); }});
    board.handlers.on<ListLive>([this](const ListLive& asked) {
        if (session_.current_timeline() == nullptr) return;
        show_live_at(session_.live, *session_.current_timeline(), asked.tick);
        if (!session_.selected().is_some()) session_.show_moment();
    });
}

void LivePage::draw_line(Requests& requests) {
    const Timeline& timeline = *session_.current_timeline();
    const bool is_in_use = session_.pages.shown == k_live_page || session_.pages.shown == k_pins_page;
    if (is_in_use && session_.live.timeline == &timeline)
        draw_live_line(session_.timeline.projection, timeline, session_.current_device().axis, session_.live.tick, requests);
}

namespace {

using JsonValue = nlohmann::json;

JsonValue live_report(const Session& session) {
    if (session.current_timeline() == nullptr || session.live.timeline != session.current_timeline()) return nullptr;
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(session.live.order.size(), k_reported_rows); ++i) {
        const std::uint32_t row = session.live.order[i];
        const StackTotal& total = session.live.totals[row];
        rows.push_back({{"bytes", total.bytes}, {"count", total.count}, {"name", session.live.names[row]}});
    }
    return {{"step", session.current_timeline()->step_of_tick(session.live.tick)},
            {"bytes", session.live.bytes},
            {"stacks", session.live.totals.size()},
            {"shown", session.live.order.size()},
            {"first_rows", std::move(rows)}};
}

}  // namespace

void LivePage::describe(nlohmann::json& report) const { report["live"] = live_report(session_); }

}  // namespace snapviewer
