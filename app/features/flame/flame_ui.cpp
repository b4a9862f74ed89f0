#include <fmt/format.h>
#include <imgui.h>

#include <initializer_list>

#include "app/features/flame/flame.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/system/window_system.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/analysis/findings/analyses.h"

namespace snapviewer::flame {

void FlameGraphs::take_written() {
    const std::optional<Result<Folded>> folded = writing_.take();
    if (!folded) return;
    if (!*folded) {
        session_.notice = folded->error().text();
    } else if ((*folded)->path.empty()) {
        ImGui::SetClipboardText((*folded)->text.c_str());
        session_.toasts.say("The folded stacks were copied to the clipboard");
    } else {
        offer_download((*folded)->path);
        session_.toasts.say("Saved the folded stacks as " + (*folded)->path);
    }
}

namespace {

constexpr float k_button_gap_px = 4;
constexpr float k_group_gap_px = 16;

/// Describes the moment of a flame graph: "alive at step 1,024", "allocated from step 200 to step 1,024".
std::string flame_moment_text(const Timeline& timeline, const stacks::FlameMoment& moment) {
    if (moment.of == stacks::FlameSelection::live) return "alive at " + tick_text(timeline, moment.tick);
    const std::string range =
        "allocated from " + tick_text(timeline, moment.first_tick) + " to " + tick_text(timeline, moment.tick);
    return moment.of == stacks::FlameSelection::allocated ? range : range + " and alive there";
}

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

template <typename Value>
void draw_choice(const char* words, const char* rect, const char* doc, Value value, Value& wanted) {
    ImGui::SameLine(0, scaled(k_button_gap_px));
    if (toggle_button(words, wanted == value, rect, doc)) wanted = value;
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
void draw_order_choice(stacks::PathChoice& paths, bool has_selected_call, OptionsRow& row, Requests& requests) {
    if (paths.around) {
        const std::string words = "Callers and callees of " + paths.around->name;
        row.begin_group({"< All calls", words.c_str()});
        if (toggle_button("< All calls", false, "flame_all_calls",
                          with_keys("Back to the whole graph", CommandId::edit_dismiss)))
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
    ImGui::BeginDisabled(!has_selected_call);
    if (toggle_button("around the bar", false, "flame_around",
                      with_keys("The callers of the selected bar's function above it, and what it calls below",
                                CommandId::view_callers)))
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

}  // namespace

void FlameGraphs::draw_save_popup(Requests& requests) {
    if (!ImGui::BeginPopup("save folded")) return;
    const std::string& file = session_.document->path;
    std::string& path = state_.save_path;
    if (ImGui::IsWindowAppearing()) path = path_to_save(file, ".folded", ".txt");
    if (path == file) path += ".txt";
    ImGui::TextUnformatted("Folded stacks, one \"a;b;c bytes\" per line, for speedscope and other flame graph tools");
    if (draw_save_fields(path, "flame_save_path", "flame_save_text"))
        requests.later("save folded stacks as " + path, [this, path] { save_folded(path); });
    ImGui::SameLine();
    if (ImGui::Button("Copy")) {
        requests.later("copy folded stacks", [this] { save_folded(""); });
        ImGui::CloseCurrentPopup();
    }
    observe_item("flame_copy_text");
    ImGui::EndPopup();
}

/// Draws the options above the flame graph: the moment, which end of the stacks is on top, which frames are included, and
/// the function if the graph is restricted to one.
void FlameGraphs::draw_options(Requests& requests) {
    const Timeline& timeline = session_.document->analyses->device(session_.device_index).timeline();
    const std::string moment = flame_moment_text(timeline, state_.shown);
    const float line_height = ImGui::GetFrameHeight() + scaled(4);
    ImGui::BeginChild("flame options", {0, static_cast<float>(state_.option_lines) * line_height + scaled(2)}, false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, scaled(4)});
    ImGui::SetCursorPosY(scaled(2));
    OptionsRow row;
    if (state_.range) draw_range_choice(state_, row);
    draw_order_choice(state_.wanted.paths, has_selected_call(session_), row, requests);
    draw_frames_choice(state_.wanted.paths.frames, row);
    row.begin_group({"Save…"});
    if (toggle_button("Save…", false, "flame_save", "The same stacks as text, for other flame graph tools"))
        ImGui::OpenPopup("save folded");
    row.begin_group({moment.c_str()});
    dim_text(moment);
    if (ImGui::IsItemHovered())
        item_tooltip(fmt::format(
            "{}\nClick another moment in the timeline, or measure a range there with Ctrl and the mouse", moment));
    state_.option_lines = row.lines();
    ImGui::PopStyleVar();
    draw_save_popup(requests);
    ImGui::EndChild();
}

}  // namespace snapviewer::flame
