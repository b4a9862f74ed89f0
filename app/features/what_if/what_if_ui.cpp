#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/features/requests.h"
#include "app/features/what_if/what_if.h"
#include "app/ui/chart.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/analysis/findings/analyses.h"
#include "core/base/text.h"
#include "core/replay/what_if.h"

namespace snapviewer::what_if {
namespace {

constexpr float k_curves_height = 96;

struct NamedCurve {
    const char* name;
    const std::vector<std::uint64_t>& bytes;
    ImU32 colour;
};

/// A curve that is shorter than the recording ends at a failed request; marks that point.
void draw_failed_end(const Chart& chart, const NamedCurve& curve) {
    if (curve.bytes.empty() || curve.bytes.size() >= chart.columns()) return;
    const float x = chart.x(curve.bytes.size());
    chart.draw_line_at(x, with_alpha(palette().danger, 0xa0));
    ImGui::GetWindowDrawList()->AddCircleFilled({x, chart.y(curve.bytes.back())}, scaled(3.5F), palette().danger);
}

void draw_curve_names(const std::array<NamedCurve, 3>& curves) {
    bool is_first = true;
    for (const NamedCurve& curve : curves) {
        if (curve.bytes.empty()) continue;
        if (!is_first) ImGui::SameLine(0, scaled(14));
        is_first = false;
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        const float middle = pos.y + ImGui::GetTextLineHeight() / 2;
        ImGui::GetWindowDrawList()->AddRectFilled({pos.x, middle - scaled(2)}, {pos.x + scaled(12), middle + scaled(2)},
                                                  curve.colour);
        ImGui::Dummy({scaled(14), ImGui::GetTextLineHeight()});
        ImGui::SameLine(0, scaled(4));
        ImGui::TextUnformatted(curve.name);
    }
}

void draw_values_at(const Chart& chart, const std::array<NamedCurve, 3>& curves, std::size_t column, std::int64_t event_id) {
    chart.draw_line_at(chart.x(column), palette().hover);
    std::string text = fmt::format("event {}", format_count(static_cast<std::uint64_t>(event_id)));
    for (const NamedCurve& curve : curves) {
        if (column < curve.bytes.size()) text += fmt::format("\n{}: {}", curve.name, format_bytes(curve.bytes[column], 2));
    }
    mouse_tooltip(text);
}

std::uint64_t top_of(const std::array<NamedCurve, 3>& curves, std::uint64_t capacity) {
    std::uint64_t top = 1;
    for (const NamedCurve& curve : curves) top = std::max(top, highest_bytes(curve.bytes));
    // GPU memory far larger than reserved memory would flatten the curves.
    return capacity < 2 * top ? std::max(top, capacity) : top;
}

/// Draws reserved memory over the events, as recorded and as replayed, and the capacity of the GPU if it is known. Returns
/// the event under the mouse if the user clicked there.
std::optional<std::uint32_t> draw_reserved_curves(const RepeatedRecording& recording, const AnsweredQuestion& answer,
                                                  Requests& requests) {
    const std::array<NamedCurve, 3> curves = {{{"recorded", recording.reserved_bytes, palette().text_faint},
                                               {"carried", answer.reserved_bytes[0], palette().accent},
                                               {"rebuilt", answer.reserved_bytes[1], palette().notice}}};
    if (recording.reserved_bytes.empty()) return std::nullopt;
    draw_curve_names(curves);
    const std::uint64_t capacity = answer.answer.settings.capacity;
    const Chart chart({.id = "curves",
                       .rect = "what_if_curves",
                       .height_px = k_curves_height,
                       .columns = curves.front().bytes.size(),
                       .top_bytes = top_of(curves, capacity)});
    chart.fill_below(curves[0].bytes, with_alpha(curves[0].colour, 0x60));
    for (const NamedCurve& curve : {curves[1], curves[2]}) chart.draw_curve(curve.bytes, curve.colour);
    for (const NamedCurve& curve : {curves[1], curves[2]}) draw_failed_end(chart, curve);
    if (capacity > 0 && static_cast<double>(capacity) <= chart.top_bytes())
        ImGui::GetWindowDrawList()->AddLine({chart.min().x, chart.y(capacity)}, {chart.max().x, chart.y(capacity)},
                                            palette().danger, scaled(1));
    const auto column = chart.hovered_column();
    if (!column) return std::nullopt;
    const auto event = static_cast<std::uint32_t>(*column * recording.basis.run.event_count() / chart.columns());
    draw_values_at(chart, curves, *column, recording.basis.run.event_id(event));
    if (!chart.is_clicked()) return std::nullopt;
    requests.ask(GoToEvent{event});
    return event;
}

constexpr float k_replayed_map_height = 92;

void draw_map_choices(WhatIfState& state) {
    ImGui::Checkbox("By address", &state.shows_map);
    observe_item("what_if_map");
    if (ImGui::IsItemHovered()) item_tooltip("The memory layout at one moment, as recorded and as replayed");
    if (!state.shows_map) return;
    for (const replay::ReplayMode mode : {replay::ReplayMode::carried, replay::ReplayMode::rebuilt}) {
        ImGui::SameLine(0, scaled(14));
        if (observed(ImGui::RadioButton(replay::replay_mode_name(mode), state.map_mode == mode),
                     std::string("what_if_map_") + replay::replay_mode_name(mode)))
            state.map_mode = mode;
    }
    if (!state.map_event) return;
    ImGui::SameLine(0, scaled(14));
    if (observed(ImGui::Button("Back to where it fails, or to the peak"), "what_if_map_back")) state.map_event.reset();
}

std::string moment_words(const char* name, const replay::RecordedRun& run, std::uint32_t events,
                         const space::AddressMoment& at) {
    const std::string when = events == 0
                                 ? "before the first event"
                                 : "after event " + format_count(static_cast<std::uint64_t>(run.event_id(events - 1)));
    return fmt::format("{}, {}: {} reserved in {}, {} of it in blocks", name, when, format_bytes(at.reserved_bytes, 2),
                       counted(at.ranges.size(), "segment"), format_bytes(at.active_bytes, 2));
}

void draw_map_of(const char* name, address_map::AddressMapState& map, const Timeline& timeline,
                 std::optional<std::uint64_t> marked, Requests& requests) {
    ImGui::BeginChild(name, {0, scaled(k_replayed_map_height)});
    address_map::draw_address_lines(map, {timeline, AllocationId::none(), true, true, marked, name}, requests);
    ImGui::EndChild();
}

/// Draws reserved memory by address at one moment, with the replay below the recording in the same scale. The moment is the
/// event that was clicked in the curves, else the first request that fails, else the peak. A failing request is outlined
/// where the recording placed it.
void draw_replayed_maps(WhatIfState& state, Requests& requests) {
    draw_map_choices(state);
    if (!state.shows_map) return;
    const auto mode = static_cast<std::size_t>(state.map_mode);
    const replay::WhatIfMode& answer = state.answer->answer.answer->modes[mode];
    if (!answer.start_fits) return draw_paragraph(palette().notice, "The memory held at the start does not fit.");
    if (state.map == nullptr || state.map->answer != state.answer || state.map->when.mode != state.map_mode)
        return draw_paragraph(palette().text_dim, "Working it out");
    const ReplayedMap& map = *state.map;
    const replay::RecordedRun& run = state.recording->basis.run;
    const Timeline& timeline = state.recording->document->analyses->device(state.recording->device_index).timeline();
    std::optional<std::uint64_t> marked;
    if (map.when.failed) marked = run.address(*map.when.failed);
    draw_paragraph(palette().text_dim, moment_words("As recorded", run, map.when.events, *map.recorded));
    draw_map_of("what_if_recorded", state.recorded_map, timeline, marked, requests);
    draw_paragraph(palette().text_dim,
                   moment_words(replay::replay_mode_name(map.when.mode), run, map.when.events, *map.replayed));
    if (map.when.failed && answer.oom)
        draw_paragraph(palette().danger, failure_text(run, *answer.oom) + ". Its recorded place is outlined.");
    draw_map_of("what_if_replayed", state.replayed_map, timeline, std::nullopt, requests);
}

constexpr std::array k_mode_docs = {"segments from before the recording are kept",
                                    "what was live at its start is requested again"};
constexpr ImGuiTableFlags k_table_flags =
    ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;

void cell(ImU32 colour, const std::string& text) {
    ImGui::TableNextColumn();
    coloured_text(colour, text);
}

void heading(const std::string& text) {
    ImGui::Spacing();
    draw_paragraph(palette().text, text);
    ImGui::Separator();
}

/// Returns why the value of a switch is invalid, or "" if it is valid.
std::string wrong_value_text(const replay::AllocatorSettings& recorded, const WhatIfSwitch& chosen) {
    replay::AllocatorSettings changed = recorded;
    const Status status = replay::change_setting(changed, chosen.name, chosen.value);
    return status ? "" : status.error().message;
}

void draw_switch(WhatIfSwitch& chosen, const replay::AllocatorSettings& recorded) {
    ImGui::PushID(chosen.name);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::Checkbox(chosen.name, &chosen.is_on);
    observe_item(std::string("what_if_switch_") + chosen.name);
    if (ImGui::IsItemHovered()) item_tooltip(chosen.doc);
    ImGui::TableNextColumn();
    ImGui::SetNextItemWidth(-1);
    std::string typed = chosen.value;
    ImGui::InputText("##value", &typed);
    observe_item(std::string("what_if_value_") + chosen.name);
    if (typed != chosen.value) {
        chosen.value = typed;
        chosen.is_on = true;
    }
    const std::string wrong = chosen.is_on ? wrong_value_text(recorded, chosen) : "";
    if (wrong.empty())
        cell(palette().text_dim, "recorded: " + recorded_value(recorded, chosen.name));
    else
        cell(palette().danger, wrong);
    ImGui::PopID();
}

void draw_switches_table(WhatIfState& state) {
    if (!ImGui::BeginTable("switches", 3, k_table_flags)) return;
    ImGui::TableSetupColumn("setting");
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthFixed, scaled(110));
    ImGui::TableSetupColumn("recorded", ImGuiTableColumnFlags_WidthStretch);
    replay::AllocatorSettings recorded = state.recording->basis.run.settings;
    recorded.capacity = state.recording->basis.card.exactly.value_or(0);
    for (WhatIfSwitch& chosen : state.switches) draw_switch(chosen, recorded);
    ImGui::EndTable();
}

ImU32 verdict_colour(const replay::ReplayAnswer& answer) {
    if (!answer.refused.empty()) return palette().notice;
    switch (answer.answer->verdict) {
        case replay::WhatIfVerdict::no_card_size: return palette().text_dim;
        case replay::WhatIfVerdict::fits: return palette().accent;
        case replay::WhatIfVerdict::does_not_fit: return palette().danger;
        case replay::WhatIfVerdict::undetermined: return palette().notice;
    }
    return palette().text;
}

std::string question_text(const ChangedSettings& settings) {
    std::string text;
    for (const auto& [name, value] : settings) text += fmt::format("{}{}={}", text.empty() ? "With " : ", ", name, value);
    return text.empty() ? "With the recorded settings" : text;
}

void draw_peaks(const RepeatedRecording& recording, const replay::WhatIf& answer) {
    if (!ImGui::BeginTable("peaks", 4, k_table_flags)) return;
    for (const char* name : {"", "peak reserved", "with the recorded settings", "change"}) ImGui::TableSetupColumn(name);
    ImGui::TableHeadersRow();
    ImGui::TableNextRow();
    cell(palette().text, "recorded");
    cell(palette().text, format_bytes(recording.basis.run.recorded_peak, 2));
    for (std::size_t m = 0; m < answer.modes.size(); ++m) {
        const replay::WhatIfMode& mode = answer.modes[m];
        const auto& before = answer.peak_as_recorded_bytes[m];
        ImGui::TableNextRow();
        cell(palette().text, replay::replay_mode_name(static_cast<replay::ReplayMode>(m)));
        if (ImGui::IsItemHovered()) item_tooltip(k_mode_docs[m]);
        cell(palette().text, peak_range_text(mode));
        observe_item(fmt::format("what_if_peak_{}", m));
        cell(palette().text_dim, before ? format_bytes(*before, 2) : "");
        const bool is_known = mode.start_fits && before.has_value();
        cell(palette().text,
             is_known ? peak_change_text(static_cast<std::int64_t>(mode.peak_reserved_bytes - *before)) : "");
    }
    ImGui::EndTable();
}

void draw_link_to_event(ImU32 colour, const std::string& text, std::uint32_t event, const std::string& rect,
                        Requests& requests) {
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    if (ImGui::Selectable(text.c_str())) requests.ask(GoToEvent{event});
    ImGui::PopStyleColor();
    observe_item(rect);
    if (ImGui::IsItemHovered()) row_tooltip(fmt::format("{}\nClick to go there", text));
}

/// Draws the requests that fail, and the results of those that failed in the recording.
void draw_requests(const replay::RecordedRun& run, const replay::WhatIf& answer, Requests& requests) {
    for (std::size_t m = 0; m < answer.modes.size(); ++m) {
        const replay::WhatIfMode& mode = answer.modes[m];
        const std::string name = replay::replay_mode_name(static_cast<replay::ReplayMode>(m));
        ImGui::PushID(static_cast<int>(m));
        if (mode.oom)
            draw_link_to_event(palette().danger, name + ": " + failure_text(run, *mode.oom), mode.oom->event,
                               fmt::format("what_if_failure_{}", m), requests);
        if (!mode.recorded_ooms.empty()) {
            const replay::RetriedOom& first = mode.recorded_ooms.front();
            draw_link_to_event(first.reserved_with_it_bytes ? palette().accent : palette().danger,
                               name + ": " + retried_text(run, first), first.event, fmt::format("what_if_retried_{}", m),
                               requests);
        }
        ImGui::PopID();
    }
}

void draw_answer(WhatIfState& state, Requests& requests) {
    const replay::ReplayAnswer& answer = state.answer->answer;
    heading(question_text(state.answer->settings));
    draw_paragraph(verdict_colour(answer), verdict_sentence(answer));
    observe_item("what_if_verdict");
    if (!answer.refused.empty()) return;
    draw_peaks(*state.recording, *answer.answer);
    if (answer.answer->carried_is_upper_bound)
        draw_paragraph(palette().text_dim, fmt::format("Carried is {}.", replay::k_only_an_upper_bound));
    draw_requests(state.recording->basis.run, *answer.answer, requests);
    ImGui::Spacing();
    if (const auto event = draw_reserved_curves(*state.recording, *state.answer, requests)) state.map_event = event;
    draw_replayed_maps(state, requests);
}

/// Draws a row with a tried setting. Returns true if the user clicked it.
bool draw_tried_row(const replay::TriedSetting& tried, std::size_t index) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const bool is_clicked = observed(
        ImGui::Selectable(fmt::format("{}={}", tried.name, tried.value).c_str(), false, ImGuiSelectableFlags_SpanAllColumns),
        fmt::format("what_if_tried_{}", index));
    for (std::size_t m = 0; m < tried.answer.modes.size(); ++m) {
        const auto& change = tried.change_bytes[m];
        cell(change.value_or(0) < 0 ? palette().accent : palette().text, peak_change_text(change));
    }
    cell(palette().text_dim, peak_range_text(tried.answer));
    cell(palette().text_dim, replay::what_if_verdict_words(tried.answer.verdict));
    return is_clicked;
}

/// Draws the progress of the current work, else why it stopped, else a footnote.
void draw_footer(const WhatIfState& state, Requests& requests) {
    ImGui::Separator();
    if (draw_long_work(state.work, CommandId::what_if_stop, CommandId::what_if_restart, requests)) return;
    if (state.work.is_at_rest())
        draw_paragraph(palette().text_dim, state.work.is_stopped ? "Stopped" : "This recording " + state.work.error);
    else
        draw_paragraph(palette().text_faint, "Peaks are ranges; docs/what-if.md explains what they leave out.");
}

void draw_body(WhatIfState& state, Requests& requests) {
    if (!state.why_not.empty()) return draw_paragraph(palette().notice, state.why_not + ".");
    if (state.recording == nullptr)
        return draw_paragraph(palette().text_dim, "First, checking whether a replay reproduces the recording.");
    const replay::ReplayBasis& basis = state.recording->basis;
    draw_paragraph(basis.agreement.is_usable() ? palette().text_dim : palette().notice, agreement_sentence(basis));
    ImGui::Spacing();
    ImGui::BeginDisabled(!basis.agreement.is_usable());
    draw_switches_table(state);
    ImGui::EndDisabled();
    if (state.answer != nullptr) draw_answer(state, requests);
}

}  // namespace

void WhatIfRuns::draw_tried() {
    if (state_.tried.empty()) return;
    heading("Common settings, each on its own");
    if (!ImGui::BeginTable("tried", 5, k_table_flags)) return;
    for (const char* name : {"setting", "carried", "rebuilt", "peak reserved", "verdict"}) ImGui::TableSetupColumn(name);
    ImGui::TableHeadersRow();
    for (std::size_t i = 0; i < state_.tried.size(); ++i) {
        const replay::TriedSetting& tried = *state_.tried[i];
        if (draw_tried_row(tried, i)) use_setting(tried.name, tried.value);
    }
    ImGui::EndTable();
}

/// Draws a window over the panels while it is open: whether the recording can be replayed, the effect of other settings or
/// of another GPU, and the effect of common settings.
void WhatIfRuns::draw(Requests& requests) {
    if (!state_.is_open) return;
    const ImVec2 room = ImGui::GetMainViewport()->Size;
    ImGui::SetNextWindowSize({std::min(scaled(760), 0.94F * room.x), std::min(scaled(820), 0.94F * room.y)},
                             ImGuiCond_Appearing);
    ImGui::SetNextWindowSizeConstraints({scaled(320), scaled(200)}, {0.96F * room.x, 0.96F * room.y});
    if (begin_floating_window("What if: other settings, another card", state_.is_open)) {
        const float footer_height = ImGui::GetFrameHeightWithSpacing() + scaled(6);
        ImGui::BeginChild("what if body", {0, -footer_height});
        draw_body(state_, requests);
        draw_tried();
        ImGui::EndChild();
        draw_footer(state_, requests);
    }
    ImGui::End();
}

}  // namespace snapviewer::what_if
