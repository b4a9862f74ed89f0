#include <algorithm>

#include "app/features/fleet/fleet_runs.h"
#include "app/features/fleet/fleet_view.h"

namespace snapviewer {
namespace {

/// True if the open file has several devices. Parts such as pinned host memory do not count.
bool has_several_devices(const AppState& state) {
    return state.document &&
           std::ranges::count_if(state.document->snapshot->devices, &std::string::empty, &DeviceTrace::part) > 1;
}

/// Paths of all files that are open together as `document`.
std::vector<std::string> paths_of(const Document& document) {
    if (document.with.empty()) return {document.path};
    return {document.path, document.with};
}

}  // namespace

void FleetRuns::connect(Switchboard& board) {
    board.commands.add({.id = "tools_fleet",
                        .menu = Menu::panels,
                        .place = 330,
                        .words = "Fleet of ranks…",
                        .synonyms = "distributed job",
                        .keys = "F4",
                        .is_possible = [](const AppState& state) { return !state.fleet.paths.empty(); },
                        .doc =
                            [](const AppState& state) {
                                return std::string(state.fleet.paths.empty() ? "File > Open a folder of ranks… opens one"
                                                                             : "The ranks of a job side by side");
                            },
                        .keys_while_typing = true,
                        .run = [this] { state_.open_window(state_.fleet.is_open); }});
    board.commands.add({.id = "tools_devices",
                        .menu = Menu::tools,
                        .place = 300,
                        .words = "Devices of this file as a fleet…",
                        .synonyms = "gpus ranks",
                        .is_possible = has_several_devices,
                        .run = [this] {
                            if (state_.document) begin(paths_of(*state_.document));
                        }});
    board.commands.add({.id = "fleet_stop", .run = [this] { stop(); }});
    board.commands.add({.id = "fleet_restart", .run = [this] {
                            if (!reading_job_.is_busy()) restart();
                        }});
    board.commands.add({.id = "fleet_compare", .run = [this] { compare_chosen(); }});
    board.handlers.on<OpenFleet>([this](const OpenFleet& asked) { begin(asked.paths); });
    board.handlers.on<OpenRank>([this](const OpenRank& asked) { open(asked.rank); });
}

void FleetRuns::draw(Requests& requests) {
    draw_fleet_window(state_.fleet, requests);
    if (state_.fleet.is_focused) state_.focused = Pane::fleet;
}

}  // namespace snapviewer
