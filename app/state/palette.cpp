#include "app/state/palette.h"

#include <algorithm>
#include <string>

#include "app/state/actions.h"
#include "app/text/ready_queries.h"
#include "app/text/stack_names.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/timeline/range_totals.h"

namespace snapviewer {
namespace {

/// More than that nobody tells apart by name.
constexpr std::size_t k_most_stacks = 20'000;

void add_actions(const AppState& state, std::vector<PaletteEntry>& entries) {
    for (const UserAction& action : all_actions()) {
        if (!action.is_possible(state)) continue;
        const std::string menu =
            action.menu == Menu::colour || action.menu == Menu::theme ? std::string(menu_title(action.menu)) + " " : "";
        entries.push_back({"", menu + action_words(action, state), action.keys, action.request});
    }
}

void add_what_is_shown(const AppState& state, std::vector<PaletteEntry>& entries) {
    if (state.devices.size() > 1) {
        for (std::size_t i = 0; i < state.devices.size(); ++i)
            entries.push_back({"device", device_title(state.devices[i]), "", ShowDevice{i}});
    }
    if (state.tabs.has_several()) {
        for (std::size_t i = 0; i < state.tabs.tabs.size(); ++i)
            entries.push_back({"tab", state.tabs.tabs[i].name, "", ShowTab{i}});
    }
    for (const OverlayItem& item : overlay_items(state.current_overlays(), state.settings.overlays)) {
        entries.push_back(
            {"overlay", (item.is_shown ? "Hide " : "Show ") + item.name, "", ShowOverlay{item.id, !item.is_shown}});
    }
    for (const Note& note : state.notes.notes) {
        if (!note.text.empty()) entries.push_back({"note", one_line(note.text), "", GoToNote{note.id}});
    }
    const std::vector<Marker>& markers = state.current_overlays().markers;
    for (std::size_t i = 0; i < markers.size(); ++i) entries.push_back({"marker", markers[i].label, "", GoToMarker{i}});
}

void add_queries(const AppState& state, std::vector<PaletteEntry>& entries) {
    if (state.query.database == nullptr) return;
    for (const ReadyQuery& query : ready_queries_of(state.query.database->schema()))
        entries.push_back({"query", query.name, "", put_ready_query(query)});
    for (const ReadyQuery& query : ready_queries()) entries.push_back({"query", query.name, "", put_ready_query(query)});
}

std::shared_ptr<const std::vector<PaletteEntry>> name_stacks(const Timeline& timeline, const Progress& progress) {
    auto entries = std::make_shared<std::vector<PaletteEntry>>();
    const std::vector<StackTotal> stacks = range_totals(timeline, 0, timeline.tick_count() - 1, k_most_stacks).stacks;
    if (progress.stop_requested()) return entries;
    const std::vector<std::string> names = stack_names(timeline, stacks);
    for (std::size_t i = 0; i < stacks.size(); ++i)
        entries->push_back({"stack", names[i], "", EmphasiseStack{stacks[i].stack}});
    return entries;
}

}  // namespace

void PaletteFiller::open() {
    PaletteState& palette = state_.palette;
    palette.matches.clear();
    palette.entries.clear();
    add_actions(state_, palette.entries);
    add_what_is_shown(state_, palette.entries);
    add_queries(state_, palette.entries);
    palette.wants_open = true;
    const std::shared_ptr<const Timeline> timeline =
        state_.current_timeline() ? state_.devices[state_.device_index].current().made.timeline : nullptr;
    if (timeline == named_) return;
    named_ = timeline;
    palette.stacks.reset();
    job_.discard();
    if (timeline) job_.start([timeline](Progress& progress) { return name_stacks(*timeline, progress); });
}

void PaletteFiller::update() {
    if (auto named = job_.take()) state_.palette.stacks = *std::move(named);
    if (state_.document || !named_) return;
    job_.discard();
    named_.reset();
    state_.palette.stacks.reset();
}

}  // namespace snapviewer
