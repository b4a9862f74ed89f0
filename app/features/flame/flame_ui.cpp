#include <fmt/format.h>
#include <imgui.h>

#include <initializer_list>
#include <utility>

#include "app/features/flame/flame.h"
#include "app/system/window_system.h"
#include "app/ui/drawn_text.h"
#include "app/ui/state_report.h"
#include "app/ui/texts.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/analysis/findings/analyses.h"

namespace snapviewer {

void FlameGraphs::close() {
    job_.discard();
    has_asked_ = false;
    FlameState& flame = session_.flame;
    if (flame.graph != nullptr && session_.document != nullptr && document_ == session_.document) {
        session_.icicle.views.resize(session_.document->icicles.size());
        if (session_.icicle.shown && *session_.icicle.shown >= session_.icicle.views.size()) session_.icicle.shown.reset();
    }
    flame.is_open = false;
    flame.graph.reset();
    leave_callers();
}

void FlameGraphs::toggle() {
    if (session_.flame.is_open && (session_.flame.graph == nullptr || session_.shows_flame_graph())) {
        close();
        return;
    }
    if (session_.current_timeline() == nullptr) return;
    session_.flame.is_open = true;
    if (session_.flame.graph != nullptr) show();
}

/// Shows the flame graph on the screen. Its bars are allocations, so the device also switches to its timeline of
/// allocations.
void FlameGraphs::show() {
    pictures_.show(session_.device_index, ViewKind::allocations);
    session_.icicle.shown = session_.document->icicles.size();
}

void FlameGraphs::take() {
    std::optional<FlameOutcome> outcome = job_.take();
    if (!outcome || !session_.flame.is_open) return;
    if (*outcome) {
        show_made(std::move(**outcome));
    } else {
        session_.notice = "The flame graph " + outcome->error().text();
        if (session_.flame.graph == nullptr) close();
    }
}

void FlameGraphs::show_made(MadeFlame made) {
    for (const stacks::IcicleNode& node : made.graph->nodes) need_characters(node.label);
    const bool is_first = session_.flame.graph == nullptr;
    session_.flame.graph = std::move(made.graph);
    session_.flame.shown = made.moment;
    std::vector<IcicleViewState>& views = session_.icicle.views;
    views.resize(session_.document->icicles.size());
    views.emplace_back();
    views.back().window = whole_icicle(*session_.flame.graph);
    if (is_first) show();
}

void FlameGraphs::show_callers(std::uint32_t node) {
    if (!session_.shows_flame_graph() || node >= session_.flame.graph->nodes.size()) return;
    const stacks::IcicleNode& call = session_.flame.graph->nodes[node];
    if (call.is_call()) session_.flame.wanted.paths.around = stacks::CallFunction{call.place.file, call.function};
}

void FlameGraphs::show_callers_of_selected() {
    if (!session_.shows_flame_graph()) return;
    if (const auto selected = session_.shown_icicle_view().selected) show_callers(*selected);
}

void FlameGraphs::save_folded(const std::string& path) {
    if (session_.flame.graph != nullptr)
        writing_.start(make_folded_job(document_, device_index_, session_.flame.shown, path));
}

void FlameGraphs::take_written() {
    const std::optional<WrittenFolded> written = writing_.take();
    if (!written) return;
    if (!written->status) {
        session_.notice = written->status.error().text();
    } else if (written->path.empty()) {
        ImGui::SetClipboardText(written->text.c_str());
        session_.toasts.say("The folded stacks were copied to the clipboard");
    } else {
        give_to_user(written->path);
        session_.toasts.say("Saved the folded stacks as " + written->path);
    }
}

/// The moment or range to draw: the ruler's range if it is wanted, else the moment of the Live page, else the last drawn
/// moment or the peak. The moment of the Live page only counts while the timeline of allocations is shown, because only
/// allocations have calls.
stacks::FlameMoment FlameGraphs::wanted_moment() const {
    stacks::FlameMoment wanted = session_.flame.wanted;
    if (session_.flame.range && session_.flame.of_range != stacks::FlameSelection::live) {
        wanted.of = session_.flame.of_range;
        wanted.first_tick = session_.flame.range->first;
        wanted.tick = session_.flame.range->last;
        return wanted;
    }
    const bool is_live =
        session_.current_kind() == ViewKind::allocations && session_.live.timeline == session_.current_timeline();
    if (is_live)
        wanted.tick = session_.live.tick;
    else if (has_asked_ && asked_.of == stacks::FlameSelection::live)
        wanted.tick = asked_.tick;
    else
        wanted.tick = document_->analyses->device(session_.device_index).timeline().peak_tick();
    return wanted;
}

void FlameGraphs::update() {
    if (document_ != session_.document) {
        close();
        document_ = session_.document;
    }
    take();
    take_written();
    if (!session_.flame.is_open || session_.current_timeline() == nullptr) return;
    if (session_.shows_flame_graph() && session_.current_kind() != ViewKind::allocations) show();
    const RulerState& ruler = session_.timeline.ruler;
    const bool has_range = ruler.is_shown && ruler.has_totals && session_.current_kind() == ViewKind::allocations;
    session_.flame.range = has_range ? std::optional(TickRange{ruler.first_tick, ruler.last_tick}) : std::nullopt;
    const stacks::FlameMoment wanted = wanted_moment();
    if (has_asked_ && wanted == asked_ && device_index_ == session_.device_index) return;
    has_asked_ = true;
    asked_ = wanted;
    device_index_ = session_.device_index;
    job_.start(make_flame_job(document_, device_index_, wanted));
}

namespace {

constexpr float k_button_gap_px = 4;
constexpr float k_group_gap_px = 16;

/// A row of options above the flame graph. A group of options that does not fit moves to the next line.
class OptionsRow {
public:
    /// Starts a group of options. `texts` are its labels, from which its width is computed.
    void begin_group(std::initializer_list<const char*> texts) {
        float width = scaled(k_group_gap_px);
        for (const char* text : texts)
            width += ImGui::CalcTextSize(text).x + 2 * ImGui::GetStyle().FramePadding.x + scaled(k_button_gap_px);
        ImGui::SameLine(0, lines_ == 0 ? 0 : scaled(k_group_gap_px));
        if (lines_ == 0 || ImGui::GetContentRegionAvail().x < width) {
            if (lines_ > 0) ImGui::NewLine();
            ImGui::SetCursorPosX(scaled(10));
            ++lines_;
        }
        ImGui::AlignTextToFramePadding();
    }
    int lines() const { return lines_; }

private:
    int lines_ = 0;
};

bool draw_button(const char* words, const char* rect, const std::string& doc, bool is_on) {
    ImGui::PushStyleColor(ImGuiCol_Button, is_on ? palette().accent_soft : palette().raised);
    const bool is_pressed = ImGui::Button(words);
    ImGui::PopStyleColor();
    report_rect(rect);
    if (ImGui::IsItemHovered()) item_tooltip(doc);
    return is_pressed;
}

template <typename Value>
void draw_choice(const char* words, const char* rect, const char* doc, Value value, Value& wanted) {
    ImGui::SameLine(0, scaled(k_button_gap_px));
    if (draw_button(words, rect, doc, wanted == value)) wanted = value;
}

/// Draws the choice of what the flame graph shows: all allocations in the ruler's range, those still alive at its end, or a
/// moment. Called while the ruler measures a range.
void draw_range_choice(FlameState& state, OptionsRow& row) {
    row.begin_group({"Of", "the range", "what it left", "a moment"});
    ImGui::TextUnformatted("Of");
    draw_choice("the range", "flame_made", "Everything allocated between the ruler's ends, even if it was freed again",
                stacks::FlameSelection::allocated, state.of_range);
    draw_choice("what it left", "flame_left",
                "What was allocated between the ruler's ends and is still alive at the right end",
                stacks::FlameSelection::remaining, state.of_range);
    draw_choice("a moment", "flame_live", "What is alive at the moment shown on the page Live", stacks::FlameSelection::live,
                state.of_range);
}

/// Draws the choice of which end of the stacks is on top in the flame graph. For a graph of one function, draws the button
/// that leads back to all calls instead.
void draw_order_choice(FlameState& state, const FlameOptionsScene& scene, OptionsRow& row, Requests& requests) {
    stacks::PathChoice& paths = state.wanted.paths;
    if (paths.around) {
        const std::string words = "Callers and callees of " + paths.around->name;
        row.begin_group({"< All calls", words.c_str()});
        if (draw_button("< All calls", "flame_all_calls", with_keys("Back to the whole graph", CommandId::edit_dismiss),
                        false))
            requests.ask(RunCommand{CommandId::callers_leave});
        ImGui::SameLine(0, scaled(8));
        ImGui::TextUnformatted(words.c_str());
        return;
    }
    row.begin_group({"On top", "callers", "what allocates", "around the bar"});
    ImGui::TextUnformatted("On top");
    draw_choice("callers", "flame_callers", "From the program's start down to what allocates",
                stacks::CallOrder::callers_first, paths.order);
    draw_choice("what allocates", "flame_callees", "From what allocates up to who called it",
                stacks::CallOrder::callees_first, paths.order);
    ImGui::SameLine(0, scaled(k_button_gap_px));
    ImGui::BeginDisabled(!scene.has_selected_call);
    if (draw_button("around the bar", "flame_around",
                    with_keys("The callers of the selected bar's function above it, and what it calls below",
                              CommandId::view_callers),
                    false))
        requests.ask(RunCommand{CommandId::view_callers});
    ImGui::EndDisabled();
}

void draw_frames_choice(stacks::TreeFrames& frames, OptionsRow& row) {
    row.begin_group({"Frames", "own", "Python", "filtered", "all", "modules"});
    ImGui::TextUnformatted("Frames");
    draw_choice("own", "flame_own", "Only the program's own lines", stacks::TreeFrames::own, frames);
    draw_choice("Python", "flame_python", "Without C++ and what launched the program", stacks::TreeFrames::python, frames);
    draw_choice("filtered", "flame_filtered", "Without the interpreter and the dispatcher", stacks::TreeFrames::filtered,
                frames);
    draw_choice("all", "flame_all", "As recorded", stacks::TreeFrames::all, frames);
    draw_choice("modules", "flame_modules", "No frames, but the modules that the program named: layers.31.mlp",
                stacks::TreeFrames::modules, frames);
}

void draw_save_popup(FlameState& state, const std::string& file, Requests& requests) {
    if (!ImGui::BeginPopup("save folded")) return;
    if (ImGui::IsWindowAppearing()) state.save_path = path_to_save(file, ".folded", ".txt");
    if (state.save_path == file) state.save_path += ".txt";
    ImGui::TextUnformatted("Folded stacks, one \"a;b;c bytes\" per line, for speedscope and other flame graph tools");
    if (draw_save_fields(state.save_path, "flame_save_path", "flame_save_text")) requests.ask(SaveFolded{state.save_path});
    ImGui::SameLine();
    if (ImGui::Button("Copy")) {
        requests.ask(RunCommand{CommandId::folded_copy});
        ImGui::CloseCurrentPopup();
    }
    report_rect("flame_copy_text");
    ImGui::EndPopup();
}

}  // namespace

void draw_flame_options(FlameState& state, const FlameOptionsScene& scene, Requests& requests) {
    const float line_height = ImGui::GetFrameHeight() + scaled(4);
    ImGui::BeginChild("flame options", {0, static_cast<float>(state.option_lines) * line_height + scaled(2)}, false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, scaled(4)});
    ImGui::SetCursorPosY(scaled(2));
    OptionsRow row;
    if (state.range) draw_range_choice(state, row);
    draw_order_choice(state, scene, row, requests);
    draw_frames_choice(state.wanted.paths.frames, row);
    row.begin_group({"Save…"});
    if (draw_button("Save…", "flame_save", "The same stacks as text, for other flame graph tools", false))
        ImGui::OpenPopup("save folded");
    row.begin_group({scene.moment.c_str()});
    dim_text(scene.moment);
    if (ImGui::IsItemHovered())
        item_tooltip(fmt::format(
            "{}\nClick another moment in the timeline, or measure a range there with Ctrl and the mouse", scene.moment));
    state.option_lines = row.lines();
    ImGui::PopStyleVar();
    draw_save_popup(state, scene.file, requests);
    ImGui::EndChild();
}

}  // namespace snapviewer
