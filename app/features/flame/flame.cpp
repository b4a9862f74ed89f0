#include "app/features/flame/flame.h"

#include <utility>

#include "app/features/requests.h"
#include "app/ui/texts.h"
#include "core/analysis/findings/analyses.h"
#include "core/base/output_file.h"
#include "core/base/text.h"

namespace snapviewer::flame {

bool FlameGraphs::has_selected_call(const Session& session) {
    if (!session.shows_flame_graph() || !has_selected_node(session)) return false;
    return session.shown_icicle()->nodes[*session.icicle.views[*session.icicle.shown].selected].is_call();
}

void FlameGraphs::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::above_picture,
                            .is_there = [](const Session& session) { return session.shows_flame_graph(); },
                            .draw = [this](const Area& /*area*/, Requests& requests) { draw_options(requests); }});
    board.commands.on(CommandId::view_flame, {.is_possible = has_picture,
                                              .is_on = [](const Session& session) { return session.shows_flame_graph(); },
                                              .run = [this] { toggle(); }});
    board.commands.on(CommandId::view_callers, {.is_possible = has_selected_call, .run = [this] {
                                                    if (has_selected_call(session_))
                                                        show_callers(*session_.shown_icicle_view().selected);
                                                }});
    board.commands.on(CommandId::callers_leave, {.run = [this] { leave_callers(); }});
    board.handlers.on<ShowCallers>([this](const ShowCallers& asked) { show_callers(asked.node); });
}

void FlameGraphs::leave() {
    task_.discard();
    state_ = {};
    session_.icicle.flame.reset();
}

void FlameGraphs::close() {
    if (session_.icicle.flame != nullptr) {
        session_.icicle.views.resize(session_.document->icicles.size());
        if (session_.icicle.shown && *session_.icicle.shown >= session_.icicle.views.size()) session_.icicle.shown.reset();
        session_.icicle.flame.reset();
    }
    task_.discard();
    state_.is_open = false;
    leave_callers();
}

void FlameGraphs::toggle() {
    const bool has_graph = session_.icicle.flame != nullptr;
    if (state_.is_open && (!has_graph || session_.shows_flame_graph())) {
        close();
        return;
    }
    if (session_.current_timeline() == nullptr) return;
    state_.is_open = true;
    if (has_graph) show();
}

/// Shows the flame graph on the screen. Its bars are allocations, so the device also switches to its timeline of
/// allocations.
void FlameGraphs::show() {
    pictures_.show(session_.device_index, ViewKind::allocations);
    session_.icicle.shown = session_.document->icicles.size();
}

void FlameGraphs::take() {
    std::optional<Result<Made>> made = task_.take();
    if (!made || !state_.is_open) return;
    if (*made) {
        show_made(std::move(**made));
    } else {
        session_.notice = "The flame graph " + made->error().text();
        if (session_.icicle.flame == nullptr) close();
    }
}

void FlameGraphs::show_made(Made made) {
    for (const stacks::IcicleNode& node : made.graph->nodes) need_characters(node.label);
    reports::IcicleState& icicle = session_.icicle;
    const bool is_first = icicle.flame == nullptr;
    icicle.flame = std::move(made.graph);
    state_.shown = std::move(made.moment);
    icicle.views.resize(session_.document->icicles.size());
    icicle.views.emplace_back();
    icicle.views.back().window = reports::whole_icicle(*icicle.flame);
    if (is_first) show();
}

void FlameGraphs::show_callers(std::uint32_t node) {
    if (!session_.shows_flame_graph() || node >= session_.icicle.flame->nodes.size()) return;
    const stacks::IcicleNode& call = session_.icicle.flame->nodes[node];
    if (call.is_call()) state_.wanted.paths.around = stacks::CallFunction{call.place.file, call.function};
}

/// Writes the stacks of the flame graph as folded text to a file, or prepares them for the clipboard if `path` is empty.
void FlameGraphs::save_folded(const std::string& path) {
    if (session_.icicle.flame == nullptr || !task_.input()) return;
    const auto make = [document = session_.document, device_index = task_.input()->device_index, moment = state_.shown,
                       path](Progress&) {
        findings::DeviceAnalyses& device = document->analyses->device(device_index);
        std::string text = valid_utf8(stacks::flame_as_folded(device.timeline(), *device.stack_lines(), moment));
        if (path.empty()) return Folded{"", std::move(text)};
        throw_if_error(OutputFile::write_whole(path, text));
        return Folded{path, ""};
    };
    writing_.start_writing(0, make);
}

/// The moment or range to draw: the ruler's range if it is wanted, else the moment of the Live page, else the last drawn
/// moment or the peak. The moment of the Live page only counts while the timeline of allocations is shown, because only
/// allocations have calls.
stacks::FlameMoment FlameGraphs::wanted_moment() const {
    stacks::FlameMoment wanted = state_.wanted;
    if (state_.range && state_.of_range != stacks::FlameSelection::live) {
        wanted.of = state_.of_range;
        wanted.first_tick = state_.range->first;
        wanted.tick = state_.range->last;
        return wanted;
    }
    const bool is_live = session_.current_kind() == ViewKind::allocations && live_.tick();
    if (is_live)
        wanted.tick = *live_.tick();
    else if (task_.input() && task_.input()->moment.of == stacks::FlameSelection::live)
        wanted.tick = task_.input()->moment.tick;
    else
        wanted.tick = session_.document->analyses->device(session_.device_index).timeline().peak_tick();
    return wanted;
}

void FlameGraphs::update() {
    take();
    take_written();
    if (!state_.is_open || session_.current_timeline() == nullptr) return;
    if (session_.shows_flame_graph() && session_.current_kind() != ViewKind::allocations) show();
    const RulerState& ruler = session_.timeline.ruler;
    const bool has_range = ruler.is_shown && ruler.has_totals && session_.current_kind() == ViewKind::allocations;
    state_.range = has_range ? std::optional(TickRange{ruler.first_tick, ruler.last_tick}) : std::nullopt;
    const Input input{session_.device_index, wanted_moment()};
    task_.follow(input, session_.document->snapshot->read_bytes, [document = session_.document, input](Progress&) {
        findings::DeviceAnalyses& device = document->analyses->device(input.device_index);
        const auto lines = device.stack_lines();
        return Made{input.moment, std::make_shared<const stacks::Icicle>(
                                      stacks::make_flame_graph(device.timeline(), *lines, input.moment))};
    });
}

}  // namespace snapviewer::flame
