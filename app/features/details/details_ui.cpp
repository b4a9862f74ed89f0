#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>

#include "app/features/details/details.h"
#include "app/features/details/source.h"
#include "app/features/reports/icicle.h"
#include "app/features/requests.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"

namespace snapviewer::details {
namespace {

constexpr float k_indent_px = 8;
constexpr float k_repeat_px = 12;

template <typename Set, typename Value>
void toggle(Set& set, const Value& value) {
    if (!set.erase(value)) set.insert(value);
}

/// Adds an empty ImGui item for a line of text: a click marks it, and a right click copies it. Returns true if the user
/// wants to open it in the editor, which `can_open` allows. The caller draws the text over the item.
bool draw_markable_line(std::string& marked, const std::string& text, float height, bool can_open, Requests& requests) {
    bool opens = false;
    if (ImGui::Selectable("##line", marked == text, ImGuiSelectableFlags_AllowDoubleClick, {0, height})) {
        opens = can_open && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
        marked = marked == text && !opens ? "" : text;
    }
    if (!ImGui::BeginPopupContextItem("line menu")) return opens;
    if (ImGui::MenuItem("Copy this line")) requests.ask(CopyText{text, "The line"});
    if (can_open && ImGui::MenuItem("Open in the editor")) opens = true;
    ImGui::EndPopup();
    return opens;
}

/// Draws lines of code that can be marked and copied. Long lines are truncated at the right.
void draw_plain_lines(std::string& marked, const std::vector<std::string>& lines, ImU32 colour, Requests& requests) {
    const CodeFont code;
    ImGui::Indent(scaled(k_indent_px));
    for (std::size_t i = 0; i < lines.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        const float right = pos.x + ImGui::GetContentRegionAvail().x;
        draw_markable_line(marked, lines[i], ImGui::GetTextLineHeight(), false, requests);
        draw_cut_text(ImGui::GetWindowDrawList(), pos, right, colour, lines[i]);
        ImGui::PopID();
    }
    ImGui::Unindent(scaled(k_indent_px));
}

class StackDrawing {
public:
    StackDrawing(StackViewState& state, std::string& marked, Requests& requests)
        : state_(state), marked_(marked), requests_(requests) {}

    void draw_part(const StackPart& part) {
        const bool is_opened = state_.opened_repeats.contains(part.begin);
        const std::size_t length = part.end - part.begin;
        if (part.times > 1) draw_times(part, is_opened);
        const ImVec2 top = ImGui::GetCursorScreenPos();
        if (part.times > 1) ImGui::Indent(scaled(k_repeat_px));
        const std::size_t end = part.begin + (is_opened ? length * part.times : length);
        for (std::size_t i = part.begin; i < end; ++i) draw_item(state_.folded.items[i]);
        if (part.times == 1) return;
        ImGui::Unindent(scaled(k_repeat_px));
        const float bottom = ImGui::GetCursorScreenPos().y - ImGui::GetStyle().ItemSpacing.y;
        const float x = top.x + scaled(3);
        ImGui::GetWindowDrawList()->AddLine({x, top.y}, {x, bottom}, palette().accent_soft, scaled(2));
    }
    /// The source line that the user wants to open in the editor.
    const std::optional<SourcePlace>& opened() const { return opened_; }

private:
    /// Draws the button that opens or closes the part below it. Returns true if it was clicked.
    bool draw_switch(const std::string& text, bool is_opened) {
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        const float right = pos.x + ImGui::GetContentRegionAvail().x;
        const bool is_clicked = ImGui::Selectable("##switch", false, 0, {0, ImGui::GetTextLineHeight()});
        draw_cut_text(ImGui::GetWindowDrawList(), pos, right, palette().text_faint, (is_opened ? "▼ " : "▶ ") + text);
        return is_clicked;
    }

    void draw_times(const StackPart& part, bool is_opened) {
        const std::size_t frame = state_.folded.items[part.begin].begin;
        ImGui::PushID(static_cast<int>(frame));
        ImGui::PushID("times");
        if (draw_switch(fmt::format("× {}: calls itself, directly or through other functions", part.times), is_opened))
            toggle(state_.opened_repeats, part.begin);
        observe_item(fmt::format("repeat_{}", frame));
        ImGui::PopID();
        ImGui::PopID();
    }

    void draw_item(const StackItem& item) {
        if (!item.is_folded) return draw_frame(item.begin);
        const bool is_opened = state_.opened_runs.contains(item.begin);
        const StackLine& line = state_.lines[line_for(state_.lines, item)];
        const std::size_t count = item.end - item.begin;
        ImGui::PushID(static_cast<int>(item.begin));
        ImGui::PushID("run");
        if (draw_switch(fmt::format("{}  {}", counted(count, "frame"), is_opened ? "" : line.function), is_opened))
            toggle(state_.opened_runs, item.begin);
        observe_item(fmt::format("folded_{}", item.begin));
        ImGui::PopID();
        ImGui::PopID();
        for (std::size_t i = item.begin; is_opened && i < item.end; ++i) draw_frame(i);
    }

    ImU32 colour_of(std::size_t frame) const {
        if (state_.folded.headline == frame || state_.folded.looks[frame] == FrameDisplay::important)
            return palette().accent;
        return state_.lines[frame].kind == FrameKind::framework ? palette().text_faint : palette().text;
    }

    /// Draws a frame: the function at the left, its file and line at the right, and the source text below.
    void draw_frame(std::size_t frame) {
        const StackLine& line = state_.lines[frame];
        const std::string& source = state_.sources[frame];
        ImGui::PushID(static_cast<int>(frame));
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        const float width = ImGui::GetContentRegionAvail().x;
        const float line_px = ImGui::GetTextLineHeight();
        const float height = source.empty() ? line_px : 2 * line_px + scaled(2);
        ImDrawList* list = ImGui::GetWindowDrawList();
        if (state_.folded.headline == frame) {
            const float margin = ImGui::GetStyle().ItemSpacing.y / 2;
            list->AddRectFilled({pos.x - scaled(8), pos.y - margin}, {pos.x - scaled(5), pos.y + height + margin},
                                palette().accent);
        }
        const bool has_place = is_source_path(state_.places[frame].path);
        if (draw_markable_line(marked_, line.full_text, height, has_place, requests_)) opened_ = state_.places[frame];
        observe_item(fmt::format("frame_{}", frame));
        if (ImGui::IsItemHovered()) draw_tooltip(frame, has_place);
        const float place_width = ImGui::CalcTextSize(line.place.c_str()).x;
        const float place_left = std::max(pos.x + width * 0.35F, pos.x + width - place_width);
        const ImU32 place_colour = line.kind == FrameKind::framework ? palette().text_faint : palette().text_dim;
        draw_cut_text(list, pos, place_left - scaled(8), colour_of(frame), line.function);
        draw_cut_text(list, {place_left, pos.y}, pos.x + width, place_colour, line.place);
        if (!source.empty())
            draw_cut_text(list, {pos.x + scaled(12), pos.y + line_px + scaled(1)}, pos.x + width, palette().text_dim,
                          source);
        draw_plain_lines(marked_, line.fx, palette().text_faint, requests_);
        ImGui::PopID();
    }

    void draw_tooltip(std::size_t frame, bool has_place) const {
        std::vector<TooltipLine> lines = {{state_.lines[frame].full_text}};
        if (!state_.sources[frame].empty()) lines.push_back({state_.sources[frame], palette().text_dim});
        if (has_place)
            lines.push_back(
                {fmt::format("Double-click to open {} in the editor", state_.places[frame].path), palette().text_faint});
        item_tooltip(lines);
    }

    StackViewState& state_;
    std::string& marked_;
    Requests& requests_;
    std::optional<SourcePlace> opened_;
};

constexpr float k_max_names_width_px = 132;
constexpr float k_stack_rows_in_sight = 9;  // number of rows that stay visible: the title of the stack and its first lines
constexpr std::size_t k_min_facts = 4;
constexpr std::size_t k_max_headline_bytes = 240;  // a longer headline would push everything else out of view

/// Width of the column with the names of facts: the widest name, up to a maximum.
float names_width(std::span<const Fact> facts) {
    float width = 0;
    for (const Fact& fact : facts) width = std::max(width, ImGui::CalcTextSize(fact.name.c_str()).x);
    return std::min(scaled(k_max_names_width_px), width);
}

void draw_facts(DetailsState& state, std::span<const Fact> facts, Requests& requests) {
    if (facts.empty()) return;
    if (!ImGui::BeginTable("facts", 2, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_RowBg)) return;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed, names_width(facts));
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
    for (std::size_t i = 0; i < facts.size(); ++i) {
        const Fact& fact = facts[i];
        ImGui::PushID(static_cast<int>(i));
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        dim_text(fact.name);
        ImGui::TableNextColumn();
        const bool is_address = fact.value.starts_with("0x");
        push_font(is_address ? fonts().code : fonts().ui);
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        const float width = ImGui::GetContentRegionAvail().x;
        const float height = ImGui::CalcTextSize(fact.value.c_str(), nullptr, false, width).y;
        draw_markable_line(state.marked, fact.value, height, false, requests);
        ImGui::GetWindowDrawList()->AddText(nullptr, 0, pos, palette().text, fact.value.c_str(), nullptr, width);
        ImGui::PopFont();
        ImGui::PopID();
    }
    ImGui::EndTable();
}

/// Number of facts that fit into `height`, with their values wrapped.
std::size_t facts_within(const std::vector<Fact>& facts, float height) {
    const ImGuiStyle& style = ImGui::GetStyle();
    const float width = ImGui::GetContentRegionAvail().x - names_width(facts) - 4 * style.CellPadding.x;
    std::size_t count = 0;
    for (; count < facts.size(); ++count) {
        height -= ImGui::CalcTextSize(facts[count].value.c_str(), nullptr, false, width).y + 2 * style.CellPadding.y;
        if (height < 0) break;
    }
    return count;
}

/// Draws the first facts, so that the beginning of the stack stays visible. A button shows the remaining facts.
void draw_first_facts(DetailsState& state, Requests& requests) {
    const float beginning = state.stack.lines.empty() ? 0 : k_stack_rows_in_sight * ImGui::GetTextLineHeightWithSpacing();
    const float row = ImGui::GetTextLineHeightWithSpacing();
    const std::size_t all = state.facts.size();
    const float room = ImGui::GetContentRegionAvail().y - beginning;
    const bool all_fit = facts_within(state.facts, room) == all;
    const std::size_t fitting = std::max(k_min_facts, facts_within(state.facts, room - row));
    const bool has_more = !all_fit && fitting < all;
    const std::size_t shown = has_more && !state.shows_all_facts ? fitting : all;
    draw_facts(state, std::span(state.facts).first(shown), requests);
    if (!has_more) return;
    ImGui::PushStyleColor(ImGuiCol_Text, palette().accent);
    const std::string words = state.shows_all_facts ? "Fewer" : std::to_string(all - fitting) + " more";
    if (ImGui::Selectable(words.c_str())) state.shows_all_facts = !state.shows_all_facts;
    ImGui::PopStyleColor();
    observe_item("details_more_facts");
}

/// Draws a stack: frames of the user's program with their source lines, and folded runs and repeats that open on a click.
/// They are observed as "frame_N", "folded_N" and "repeat_N", where N is the number of the first frame.
/// Returns the source line that the user wants to open in the editor.
std::optional<SourcePlace> draw_stack(DetailsState& state, Requests& requests) {
    ImGui::Spacing();
    dim_text(fmt::format("Stack{}, innermost call first ({})", state.stack.role.after, state.frame_count));
    ImGui::Separator();
    if (state.stack.lines.empty()) {
        wrapped_text(
            palette().text_dim,
            "No stack was recorded: stack recording was off or limited to another kind, it started after this allocation, "
            "or the event dropped out of the ring buffer.");
        return std::nullopt;
    }
    if (!state.stack.is_arranged) return std::nullopt;
    const CodeFont code;
    ImGui::Indent(scaled(k_indent_px));
    StackDrawing drawing(state.stack, state.marked, requests);
    for (const StackPart& part : state.stack.folded.parts) drawing.draw_part(part);
    ImGui::Unindent(scaled(k_indent_px));
    return drawing.opened();
}

void draw_title(const std::string& title) {
    ImGui::Spacing();
    wrapped_text(palette().text_dim, title);
    ImGui::Separator();
}

void draw_forward_stack(DetailsState& state, Requests& requests) {
    if (state.forward.empty()) return;
    draw_title("Forward stack, of the operation whose gradient this is (" + std::to_string(state.forward.size()) + ")");
    ImGui::PushID("forward");
    draw_plain_lines(state.marked, state.forward, palette().text, requests);
    ImGui::PopID();
}

void draw_section(DetailsState& state, const DetailSection& section, Requests& requests) {
    draw_title(section.title);
    std::vector<Fact> facts;
    std::vector<std::string> lines;
    for (const auto& [name, value] : section.rows) {
        if (name.empty())
            lines.push_back(value);
        else
            facts.push_back({name, value});
    }
    draw_facts(state, facts, requests);
    draw_plain_lines(state.marked, lines, palette().text, requests);
}

/// Draws the details that a worker reads from the file, or a progress indicator while they are being read.
void draw_sections(DetailsState& state, Requests& requests) {
    if (state.is_looking_up) {
        static constexpr const char* k_spinner[] = {"|", "/", "-", "\\"};
        const auto turn = static_cast<std::size_t>(ImGui::GetTime() * 8) % std::size(k_spinner);
        wrapped_text(palette().text_dim, std::string("Looking up more details in the file  ") + k_spinner[turn]);
    }
    if (!state.lookup_error.empty())
        wrapped_text(palette().text_dim, "More details could not be read from the file: " + state.lookup_error);
    for (std::size_t i = 0; i < state.sections.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        draw_section(state, state.sections[i], requests);
        ImGui::PopID();
    }
}

/// Draws the headline: the size of the allocation, and the source line that most users look for.
void draw_headline(const DetailsState& state) {
    push_font(fonts().headline);
    ImGui::TextUnformatted(state.size.c_str());
    ImGui::PopFont();
    observe_item("details_size");
    if (!state.stack.folded.headline) return;
    const StackLine& top = state.stack.lines[*state.stack.folded.headline];
    const CodeFont code;
    const auto cut = [](const std::string& name) { return shortened(name, k_max_headline_bytes); };
    draw_paragraph(palette().accent, state.stack.role.before + cut(top.function) + "  " + cut(top.place));
}

/// Draws a button to the right of the previous item, or in a new row if there is no room. Returns whether it was clicked.
bool draw_next_button(const std::string& words) {
    const float width = ImGui::CalcTextSize(words.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
    ImGui::SameLine();
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
    return ImGui::Button(words.c_str());
}

void draw_buttons(const DetailsState& state, Requests& requests) {
    if (ImGui::Button("Copy stack")) requests.ask(CopyText{stack_lines_text(state.stack.lines), "The stack"});
    observe_item("details_copy_stack");
    if (draw_next_button("Copy all")) requests.ask(CopyText{details_text(state), "All of it"});
    observe_item("details_copy_all");
    if (draw_next_button("Zoom")) requests.ask(RunCommand{CommandId::view_zoom});
    observe_item("details_zoom");
    if (state.of_stack < 2) return;
    if (draw_next_button("Same stack: " + format_count(state.of_stack))) requests.ask(HighlightStack{state.stack_id});
    observe_item("details_same_stack");
    if (ImGui::IsItemHovered()) item_tooltip("Highlights all allocations of this stack in the picture");
}

}  // namespace

void SelectedDetails::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::page,
                            .id = k_allocation_page,
                            .command = CommandId::page_allocation,
                            .tab = [](const Session& session) -> std::string {
                                return session.current_timeline()->trace().kind == ViewKind::segments ? "Segment###one"
                                                                                                      : "Allocation###one";
                            },
                            .is_alone = [](const Session& session) { return !has_any_picture(session); },
                            .choose = [this] { follow_selection(); },
                            .draw = [this](const Area& /*area*/, Requests& requests) { draw(requests); }});
    board.commands.on(
        CommandId::edit_copy,
        {.is_possible = [](const Session& session) { return session.focused != Pane::query && has_selected_part(session); },
         .run = [this, &board] { copy(board.requests); }});
    board.docked.push_back({.dock = Dock::window,
                            .command = CommandId::tools_stack_rules,
                            .is_open = &is_open_,
                            .draw = [this](const Area& /*area*/, Requests& requests) { draw_rules_window(requests); }});
}

/// Copies the marked line, or all details of the selection.
void SelectedDetails::copy(Requests& requests) const {
    std::string text;
    if (const stacks::Icicle* icicle = session_.shown_icicle()) {
        const auto& selected = session_.icicle.views[*session_.icicle.shown].selected;
        if (selected) text = reports::icicle_node_text(*icicle, *selected);
    } else if (session_.selected().is_some()) {
        text = state_.marked.empty() ? details_text(state_) : state_.marked;
    }
    if (!text.empty()) requests.ask(CopyText{text, "The text of the details"});
}

/// Fills the rest of the current window with the details of the selected allocation, or with a hint if nothing is selected.
void SelectedDetails::draw(Requests& requests) {
    const Timeline* timeline = session_.current_timeline();
    const AllocationId selected = session_.selected();
    if (timeline == nullptr || !selected.is_some()) {
        leave();
        wrapped_text(palette().text_dim, "Nothing selected");
        ImGui::Spacing();
        wrapped_text(
            palette().text_dim,
            "Click an allocation in the picture, or a query row that has an allocation's id, to see its details here.");
        return;
    }
    draw_headline(state_);
    draw_buttons(state_, requests);
    ImGui::Spacing();
    ImGui::BeginChild("details body");
    draw_first_facts(state_, requests);
    if (!is_unused_capacity(timeline->trace(), selected)) {
        if (const auto place = draw_stack(state_, requests))
            requests.later(fmt::format("open line {} of {}", place->line, place->path),
                           [this, place = *place] { open(place); });
    }
    draw_forward_stack(state_, requests);
    draw_sections(state_, requests);
    ImGui::EndChild();
}

namespace {

constexpr float k_stack_rules_width = 620;
constexpr float k_stack_rules_height = 520;
constexpr int k_folder_lines = 3;

}  // namespace

void SelectedDetails::draw_rules_window(Requests& requests) {
    if (is_open_ && !was_open_) {
        edited_ = session_.preferences.stacks;
        error_.clear();
    }
    was_open_ = is_open_;
    if (!is_open_) return;
    ImGui::SetNextWindowSize({scaled(k_stack_rules_width), scaled(k_stack_rules_height)}, ImGuiCond_Appearing);
    if (begin_floating_window("Stacks and editor", is_open_)) {
        draw_paragraph(palette().text_dim,
                       "Which frames are folded, one rule per line: \"fold\" or \"important\", followed by a regular "
                       "expression to find in file:line:function, by <interpreter> for what PyTorch's own viewer hides, or "
                       "by <framework> for all code that is not the program's own. Important frames are never folded.");
        const float line_px = ImGui::GetTextLineHeight();
        const float frame_px = ImGui::GetFrameHeightWithSpacing();
        // Reserves room for an error message, so that nothing moves under the mouse when one appears.
        const float below_px = (k_folder_lines + 8) * line_px + 2 * frame_px;
        const float rules_px = std::max(ImGui::GetContentRegionAvail().y - below_px, 3 * line_px);
        push_font(fonts().code);
        ImGui::InputTextMultiline("##rules", &edited_.frame_rules, {-1, rules_px});
        ImGui::PopFont();
        observe_item("stack_rules_text");
        draw_paragraph(
            palette().text_dim,
            "The command that a double-click on a frame starts. It runs without a shell; {file} and {line} are replaced.");
        ImGui::SetNextItemWidth(-1);
        push_font(fonts().code);
        ImGui::InputTextWithHint("##editor", "code --goto {file}:{line}", &edited_.editor_command);
        ImGui::PopFont();
        observe_item("stack_rules_editor");
        draw_paragraph(palette().text_dim,
                       "Folders on this machine whose sources may be shown, one per line; FROM=TO if the folder was "
                       "elsewhere on the machine of the recording. Sources next to the recording are always shown.");
        push_font(fonts().code);
        ImGui::InputTextMultiline("##folders", &edited_.source_folders, {-1, (k_folder_lines + 0.5F) * line_px});
        ImGui::PopFont();
        observe_item("stack_rules_folders");
        if (ImGui::Button("Use these")) requests.later("use rules for stacks", [this] { apply_edited(); });
        observe_item("stack_rules_use");
        ImGui::SameLine();
        if (ImGui::Button("Default rules")) edited_.frame_rules = StackSettings::k_default_rules;
        observe_item("stack_rules_default");
        if (!error_.empty()) draw_paragraph(palette().danger, error_);
    }
    ImGui::End();
}

}  // namespace snapviewer::details
