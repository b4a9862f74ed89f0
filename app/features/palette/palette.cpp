#include "app/features/palette/palette.h"

#include <imgui.h>

#include <algorithm>
#include <string>
#include <utility>

#include "app/features/palette/palette_view.h"
#include "app/features/query/ready_queries.h"
#include "app/features/timeline/stack_names.h"
#include "core/base/context.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/timeline/markers.h"
#include "core/timeline/totals.h"

namespace snapviewer {
namespace {

/// Upper bound for the listed stacks; longer lists cannot be told apart by name.
constexpr std::size_t k_most_stacks = 20'000;

void add_commands(const Commands& commands, const AppState& state, std::vector<PaletteEntry>& entries) {
    for (const Command& command : commands.in_menus()) {
        if (!command.can_run(state)) continue;
        const bool is_choice = command.menu == Menu::colour || command.menu == Menu::theme;
        const std::string menu = is_choice ? std::string(menu_title(command.menu)) + " " : "";
        entries.push_back({"", menu + command.words_now(state), command.keys, RunCommand{command.id}, command.synonyms});
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
    for (const OverlayItem& item : overlay_items(state.current_overlays(), state.preferences.overlays)) {
        entries.push_back(
            {"overlay", (item.is_shown ? "Hide " : "Show ") + item.name, "", ShowOverlay{item.id, !item.is_shown}});
    }
    for (const Note& note : state.notes.notes) {
        if (!note.text.empty()) entries.push_back({"note", one_line(note.text), "", GoToNote{note.id}});
    }
    const std::vector<Marker>& markers = state.current_overlays().markers;
    for (std::size_t i = 0; i < markers.size(); ++i)
        entries.push_back({"marker", marker_label(*state.current_timeline(), markers[i]), "", GoToMarker{i}});
}

void add_queries(const AppState& state, std::vector<PaletteEntry>& entries) {
    if (state.query.database == nullptr) return;
    for (const ReadyQuery& query : ready_queries_of(state.query.database->schema()))
        entries.push_back({"query", query.name, "", put_ready_query(query)});
    for (const ReadyQuery& query : ready_queries()) entries.push_back({"query", query.name, "", put_ready_query(query)});
}

std::shared_ptr<const std::vector<PaletteEntry>> name_stacks(const Timeline& timeline) {
    auto entries = std::make_shared<std::vector<PaletteEntry>>();
    const std::vector<StackTotal> stacks = range_totals(timeline, 0, timeline.tick_count() - 1, k_most_stacks).stacks;
    check_stop();
    const std::vector<std::string> names = stack_names(timeline, stacks);
    for (std::size_t i = 0; i < stacks.size(); ++i)
        entries->push_back({"stack", names[i], "", EmphasiseStack{stacks[i].stack}});
    return entries;
}

}  // namespace

void PaletteFiller::connect(Switchboard& board) {
    board.commands.add({.id = "edit_palette",
                        .menu = Menu::tools,
                        .place = 500,
                        .words = "Command palette…",
                        .synonyms = "commands actions",
                        .keys = "Ctrl+P",
                        .keys_while_typing = true,
                        .run = [this] { open(); }});
}

/// Takes the keyboard focus away from any text field at once, so that no letter goes to the wrong field.
void PaletteFiller::open() {
    state_.palette.returns_to = state_.focused;
    ImGui::SetWindowFocus(nullptr);
    PaletteState& palette = state_.palette;
    palette.matches.clear();
    palette.entries.clear();
    add_commands(commands_, state_, palette.entries);
    add_what_is_shown(state_, palette.entries);
    add_queries(state_, palette.entries);
    palette.wants_open = true;
    const std::shared_ptr<const Timeline> timeline =
        state_.current_timeline() ? state_.devices[state_.device_index].current().made.timeline : nullptr;
    if (timeline == named_) return;
    named_ = timeline;
    palette.stacks.reset();
    job_.discard();
    if (timeline) job_.start([timeline](Progress&) { return name_stacks(*timeline); });
}

void PaletteFiller::draw(Requests& requests) {
    const bool was_open = state_.palette.is_open;
    draw_palette(state_.palette, requests);
    if (was_open && !state_.palette.is_open) state_.focus_next = std::exchange(state_.palette.returns_to, std::nullopt);
}

void PaletteFiller::update() {
    if (auto named = job_.take()) state_.palette.stacks = *std::move(named);
    if (state_.document || !named_) return;
    job_.discard();
    named_.reset();
    state_.palette.stacks.reset();
}

}  // namespace snapviewer
