#include "app/features/conditions.h"
#include "app/features/timeline/colour_names.h"
#include "app/features/timeline/pictures.h"

namespace snapviewer {
namespace {

struct KindOfPicture {
    ViewKind kind;
    const char* id;
    const char* words;
};
constexpr KindOfPicture k_kinds[] = {{ViewKind::allocations, "view_allocations", "Allocations"},
                                     {ViewKind::segments, "view_segments", "Segments"},
                                     {ViewKind::pools, "view_pools", "Pools"}};

const std::string& why_not(const AppState& state, ViewKind kind) {
    return state.devices[state.device_index].why_not[static_cast<std::size_t>(kind)];
}

bool can_show(const AppState& state, ViewKind kind) { return has_picture(state) && why_not(state, kind).empty(); }

std::string kind_doc(const AppState& state, ViewKind kind) {
    return has_picture(state) && !why_not(state, kind).empty() ? why_not(state, kind) : view_kind_doc(kind);
}

/// Returns why the picture cannot be coloured by `by`, or "" if it can. Kinds are always available for allocations, because
/// the analysis that finds them may still be running.
std::string why_no_colouring(const AppState& state, ColourBy by) {
    if (!has_picture(state)) return "";
    if (by != ColourBy::kind)
        return state.devices[state.device_index].current().why_no_colours[static_cast<std::size_t>(by)];
    if (state.current_kind() == ViewKind::allocations) return "";
    return "Only allocations have kinds, not segments or pools";
}

}  // namespace

const char* view_kind_doc(ViewKind kind) {
    switch (kind) {
        case ViewKind::allocations: return "What the program allocated";
        case ViewKind::segments: return "What was reserved from the driver, with the mappings of expandable segments";
        case ViewKind::pools:
            return "Allocations grouped by private pool (of a CUDA graph or created by the program),\nwith what each pool "
                   "holds but does not use";
    }
    return "";
}

void Pictures::connect_kinds(Commands& commands) {
    int place = 200;
    for (const auto& [kind, id, words] : k_kinds) {
        commands.add({.id = id,
                      .menu = Menu::picture,
                      .place = place++,
                      .words = words,
                      .is_possible = [kind](const AppState& state) { return can_show(state, kind); },
                      .is_on = [kind](const AppState& state) { return has_picture(state) && state.current_kind() == kind; },
                      .doc = [kind](const AppState& state) { return kind_doc(state, kind); },
                      .run = [this, kind] { show_view(kind); }});
    }
    commands.add(
        {.id = "view_next_kind",
         .menu = Menu::picture,
         .place = place,
         .words = "Cycle allocations, segments, pools",
         .keys = "V",
         .is_possible =
             [](const AppState& state) { return can_show(state, ViewKind::segments) || can_show(state, ViewKind::pools); },
         .run = [this] { show_next_view(); }});
}

void Pictures::connect_colours(Switchboard& board) {
    int place = 100;
    for (const Colouring& colouring : colourings()) {
        const ColourBy by = colouring.by;
        board.commands.add(
            {.id = std::string("colour_") + colouring.words,
             .menu = Menu::colour,
             .place = place++,
             .words = colouring.words,
             .is_possible =
                 [by](const AppState& state) { return has_picture(state) && why_no_colouring(state, by).empty(); },
             .is_on = [by](const AppState& state) { return state.colour_by == by; },
             .doc =
                 [&colouring](const AppState& state) {
                     const std::string why_not = why_no_colouring(state, colouring.by);
                     return why_not.empty() ? colouring.doc : why_not;
                 },
             .run = [&board, by] { board.requests.ask(ColourAs{by}); }});
    }
}

void Pictures::connect(Switchboard& board) {
    connect_kinds(board.commands);
    connect_colours(board);
    board.handlers.on<ShowDevice>([this](const ShowDevice& asked) { show_device(asked.index); });
    board.handlers.on<ColourAs>([this](const ColourAs& asked) { colour_by(asked.by); });
}

}  // namespace snapviewer
