#include "app/features/what_if/replayed_map_view.h"

#include <fmt/format.h>
#include <imgui.h>

#include <optional>
#include <string>

#include "app/features/address_map/address_map_view.h"
#include "app/features/what_if/what_if_tasks.h"
#include "app/features/what_if/what_if_text.h"
#include "app/features/what_if/what_if_view.h"
#include "app/ui/paragraph.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/analysis/findings/analyses.h"
#include "core/base/number_text.h"

namespace snapviewer {
namespace {

constexpr float k_replayed_map_height = 92;

void draw_map_choices(WhatIfState& state) {
    ImGui::Checkbox("By address", &state.shows_map);
    report_rect("what_if_map");
    if (ImGui::IsItemHovered()) item_tooltip("The memory layout at one moment, as recorded and as replayed");
    if (!state.shows_map) return;
    for (const ReplayMode mode : {ReplayMode::carried, ReplayMode::rebuilt}) {
        ImGui::SameLine(0, scaled(14));
        if (ImGui::RadioButton(replay_mode_name(mode), state.map_mode == mode)) state.map_mode = mode;
        report_rect(std::string("what_if_map_") + replay_mode_name(mode));
    }
    if (!state.map_event) return;
    ImGui::SameLine(0, scaled(14));
    if (ImGui::Button("Back to where it fails, or to the peak")) state.map_event.reset();
    report_rect("what_if_map_back");
}

std::string moment_words(const char* name, const RecordedRun& run, std::uint32_t events, const AddressMoment& at) {
    const std::string when = events == 0
                                 ? "before the first event"
                                 : "after event " + format_count(static_cast<std::uint64_t>(run.event_id(events - 1)));
    return fmt::format("{}, {}: {} reserved in {}, {} of it in blocks", name, when, format_bytes(at.reserved_bytes, 2),
                       counted(at.ranges.size(), "segment"), format_bytes(at.active_bytes, 2));
}

void draw_map_of(const char* name, AddressMapState& map, const Timeline& timeline, std::optional<std::uint64_t> marked,
                 Requests& requests) {
    ImGui::BeginChild(name, {0, scaled(k_replayed_map_height)});
    draw_address_lines(map, {timeline, AllocationId::none(), true, true, marked, name}, requests);
    ImGui::EndChild();
}

}  // namespace

void draw_replayed_maps(WhatIfState& state, Requests& requests) {
    draw_map_choices(state);
    if (!state.shows_map) return;
    const auto mode = static_cast<std::size_t>(state.map_mode);
    const WhatIfMode& answer = state.answer->answer.answer->modes[mode];
    if (!answer.start_fits) {
        draw_paragraph(palette().notice, "The memory held at the start does not fit.");
        return;
    }
    if (state.map == nullptr || state.map->answer != state.answer || state.map->when.mode != state.map_mode) {
        draw_paragraph(palette().text_dim, "Working it out");
        return;
    }
    const ReplayedMap& map = *state.map;
    const RecordedRun& run = state.recording->basis.run;
    const Timeline& timeline = state.recording->document->analyses->device(state.recording->device_index).timeline();
    std::optional<std::uint64_t> marked;
    if (map.when.failed) marked = run.address(*map.when.failed);
    draw_paragraph(palette().text_dim, moment_words("As recorded", run, map.when.events, *map.recorded));
    draw_map_of("what_if_recorded", state.recorded_map, timeline, marked, requests);
    draw_paragraph(palette().text_dim, moment_words(replay_mode_name(map.when.mode), run, map.when.events, *map.replayed));
    if (map.when.failed && answer.oom)
        draw_paragraph(palette().danger, failure_text(run, *answer.oom) + ". Its recorded place is outlined.");
    draw_map_of("what_if_replayed", state.replayed_map, timeline, std::nullopt, requests);
}

}  // namespace snapviewer
