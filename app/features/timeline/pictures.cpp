#include "app/features/timeline/pictures.h"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "app/features/app_state.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/colouring.h"
#include "core/timeline/overlays.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

JsonValue allocation_report(const Timeline* timeline, AllocationId id) {
    if (timeline == nullptr || !id.is_some()) return nullptr;
    const AllocationColumns& allocations = timeline->trace().allocations;
    return {{"id", id.value},
            {"size", allocations.size_bytes[id.value]},
            {"origin", origin_name(allocations.origin[id.value])},
            {"what", what_it_is(*timeline, id)},
            {"own_line", summarise(*timeline, id).own_line}};
}

JsonValue kinds_report(const DevicePictures& device) {
    const std::vector<std::string> names = view_kind_names();
    JsonValue possible = JsonValue::array();
    for (std::size_t kind = 0; kind < k_view_kinds; ++kind) {
        if (device.why_not[kind].empty()) possible.push_back(names[kind]);
    }
    return possible;
}

JsonValue titles_report(const AppState& state) {
    JsonValue titles = JsonValue::array();
    for (const DevicePictures& device : state.devices) titles.push_back(device_title(device));
    return titles;
}

JsonValue timeline_report(const AppState& state) {
    const Timeline* timeline = state.current_timeline();
    if (timeline == nullptr) return nullptr;
    const DeviceState& device = state.current_device();
    const Projection& projection = state.timeline.projection;
    const View& view = device.view;
    return {{"device", timeline->trace().device},
            {"device_index", state.device_index},
            {"devices", state.devices.size()},
            {"device_title", device_title(state.devices[state.device_index])},
            {"device_titles", titles_report(state)},
            {"shows", view_kind_names()[static_cast<std::size_t>(state.current_kind())]},
            {"can_show", kinds_report(state.devices[state.device_index])},
            {"allocations", timeline->allocation_count()},
            {"events", timeline->trace().events.size()},
            {"peak_bytes", known_peak(*timeline).bytes},
            {"peak_is_lower_bound", known_peak(*timeline).is_lower_bound},
            {"axis", device.axis == Axis::time ? "time" : "steps"},
            {"view", {view.x_begin, view.x_end, view.y_begin, view.y_end}},
            {"canvas", {projection.min.x, projection.min.y, projection.max.x, projection.max.y}},
            {"hovered", allocation_report(timeline, state.timeline.hovered)},
            {"selected", allocation_report(timeline, device.selected)}};
}

/// Describes the names that are drawn into blocks, for GUI tests.
JsonValue names_report(const AppState& state) {
    JsonValue names = JsonValue::array();
    if (state.current_timeline() == nullptr) return names;
    for (const WrittenName& name : state.timeline.written)
        names.push_back(
            {{"id", name.id.value}, {"text", name.text}, {"box", {name.min.x, name.min.y, name.max.x, name.max.y}}});
    return names;
}

JsonValue index_report(const std::optional<std::size_t>& index) { return index ? JsonValue(*index) : JsonValue(nullptr); }

const char* marker_kind_name(Marker::Kind kind) {
    switch (kind) {
        case Marker::Kind::peak: return "peak";
        case Marker::Kind::oom: return "oom";
        case Marker::Kind::snapshot: return "snapshot";
        case Marker::Kind::annotate: return "annotate";
        case Marker::Kind::cut_off: return "cut_off";
    }
    return "";
}

JsonValue band_report(const Overlays& overlays, const std::optional<BandPlace>& place) {
    if (!place) return nullptr;
    const BandTrack& track = overlays.band_tracks[place->track];
    const Band& band = track.bands[place->band];
    return {{"track", track.name}, {"name", band.name}, {"steps", {band.from.step, band.to.step}}};
}

/// Describes the overlays above the allocations and the tracks below them, for GUI tests.
JsonValue overlays_report(const AppState& state) {
    const Timeline* timeline = state.current_timeline();
    if (timeline == nullptr) return nullptr;
    const Overlays& overlays = state.current_overlays();
    JsonValue shown = JsonValue::object();
    for (const OverlayItem& item : overlay_items(overlays, state.preferences.overlays)) shown[item.name] = item.is_shown;
    JsonValue markers = JsonValue::array();
    for (std::size_t i = 0; i < std::min(overlays.markers.size(), k_reported_rows); ++i) {
        const Marker& marker = overlays.markers[i];
        markers.push_back({{"kind", marker_kind_name(marker.kind)},
                           {"step", marker.place.step},
                           {"label", marker_label(*timeline, marker)}});
    }
    JsonValue tracks = JsonValue::array();
    for (const BandTrack& track : overlays.band_tracks)
        tracks.push_back({{"name", track.name}, {"bands", track.bands.size()}});
    for (const CurveTrack& track : overlays.curve_tracks) {
        tracks.push_back({{"name", track.name}, {"curves", track.curves.size()}});
    }
    JsonValue query_tracks = JsonValue::array();
    for (const QueryTrack& query : state.query_tracks) {
        const Curve& first = query.track.curves.front();
        query_tracks.push_back({{"name", query.track.name},
                                {"curves", query.track.curves.size()},
                                {"values", first.size()},
                                {"lowest", first.lowest()},
                                {"highest", first.highest()}});
    }
    JsonValue groups = JsonValue::array();
    for (const mesh::ColourGroup& group : state.groups.groups)
        groups.push_back({{"name", group.name}, {"count", group.count}, {"bytes", group.bytes}});
    return {{"shown", std::move(shown)},
            {"markers", std::move(markers)},
            {"current_marker", index_report(state.timeline.overlays.current_marker)},
            {"tracks", std::move(tracks)},
            {"query_tracks", std::move(query_tracks)},
            {"folded", state.preferences.tracks.folded},
            {"hovered_band", band_report(overlays, state.timeline.tracks.hovered)},
            {"selected_band", band_report(overlays, state.timeline.tracks.selected)},
            {"groups", std::move(groups)}};
}

}  // namespace

void Pictures::describe(nlohmann::json& report) const {
    report["timeline"] = timeline_report(state_);
    report["overlays"] = overlays_report(state_);
    report["drawn_pictures"] = state_.timeline.drawn_pictures;
    const render::RenderStats stats = canvas_->renderer().stats();
    report["uploaded_bytes"] = stats.uploaded_bytes;
    report["drawn_from"] = render::drawn_from_name(stats.drawn_from);
    report["triangle_mesh"] = {{"records", stats.mesh_records}, {"bytes", stats.mesh_bytes}, {"is_due", is_mesh_due()}};
}

void BlockNames::describe(nlohmann::json& report) const { report["names"] = names_report(state_); }

void BlockNames::connect(Switchboard& board) {
    board.commands.add({.id = "view_names",
                        .menu = Menu::picture,
                        .place = 120,
                        .words = "Names in blocks",
                        .synonyms = "labels",
                        .keys = "B",
                        .is_possible = has_picture,
                        .is_on = [](const AppState& state) { return state.preferences.show_names; },
                        .run = [this] { state_.preferences.show_names = !state_.preferences.show_names; }});
}

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
std::string why_no_colouring(const AppState& state, mesh::ColourBy by) {
    if (!has_picture(state)) return "";
    if (by != mesh::ColourBy::kind)
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
        const mesh::ColourBy by = colouring.by;
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
