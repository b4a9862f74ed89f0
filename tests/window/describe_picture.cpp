// What the picture shows, with its overlays, search hits, notes and earlier views.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/features/navigation/navigation.h"
#include "app/features/notes/notes.h"
#include "app/features/search/search.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/marks_ui.h"
#include "app/features/timeline/overlay_items.h"
#include "app/features/timeline/pictures.h"
#include "core/timeline/overlays.h"
#include "core/timeline/recording_facts.h"
#include "tests/window/describe.h"

namespace snapviewer::window_test {
namespace {

JsonValue allocation_report(const Timeline& timeline, AllocationId id) {
    if (!id.is_some()) return nullptr;
    const AllocationColumns& allocations = timeline.trace().allocations;
    return {{"id", id.value},
            {"size", allocations.size_bytes[id.value]},
            {"origin", origin_name(allocations.origin[id.value])},
            {"what", what_it_is(timeline, id)},
            {"own_line", summarise(timeline, id).own_line}};
}

JsonValue timeline_report(const Session& session) {
    const Timeline* timeline = session.current_timeline();
    if (timeline == nullptr) return nullptr;
    const DevicePictures& pictures = session.devices[session.device_index];
    const std::vector<std::string> kinds = view_kind_names();
    JsonValue can_show = JsonValue::array(), titles = JsonValue::array();
    for (std::size_t kind = 0; kind < k_view_kinds; ++kind) {
        if (pictures.why_not[kind].empty()) can_show.push_back(kinds[kind]);
    }
    for (const DevicePictures& device : session.devices) titles.push_back(device_title(device));
    const DeviceState& device = session.current_device();
    const Projection& canvas = session.timeline.projection;
    const View& view = device.view;
    return {{"device", timeline->trace().device},
            {"device_index", session.device_index},
            {"devices", session.devices.size()},
            {"device_title", device_title(pictures)},
            {"device_titles", std::move(titles)},
            {"shows", kinds[static_cast<std::size_t>(session.current_kind())]},
            {"can_show", std::move(can_show)},
            {"allocations", timeline->allocation_count()},
            {"events", timeline->trace().events.size()},
            {"peak_bytes", known_peak(*timeline).bytes},
            {"peak_is_lower_bound", known_peak(*timeline).is_lower_bound},
            {"axis", device.axis == Axis::time ? "time" : "steps"},
            {"view", {view.x_begin, view.x_end, view.y_begin, view.y_end}},
            {"canvas", {canvas.min.x, canvas.min.y, canvas.max.x, canvas.max.y}},
            {"hovered", allocation_report(*timeline, session.timeline.hovered)},
            {"selected", allocation_report(*timeline, device.selected)}};
}

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

JsonValue markers_report(const Timeline& timeline, const std::vector<Marker>& markers) {
    JsonValue report = JsonValue::array();
    for (std::size_t i = 0; i < std::min(markers.size(), k_reported_rows); ++i)
        report.push_back({{"kind", marker_kind_name(markers[i].kind)},
                          {"step", markers[i].place.step},
                          {"label", marker_label(timeline, markers[i])}});
    return report;
}

JsonValue band_report(const Overlays& overlays, const std::optional<BandPlace>& place) {
    if (!place) return nullptr;
    const BandTrack& track = overlays.band_tracks[place->track];
    const Band& band = track.bands[place->band];
    return {{"track", track.name}, {"name", band.name}, {"steps", {band.from.step, band.to.step}}};
}

/// The overlays above the allocations, and the tracks below them.
JsonValue overlays_report(const Session& session) {
    const Timeline* timeline = session.current_timeline();
    if (timeline == nullptr) return nullptr;
    const Overlays& overlays = session.current_overlays();
    const std::optional<std::size_t>& current = session.timeline.overlays.current_marker;
    JsonValue shown = JsonValue::object();
    for (const OverlayItem& item : overlay_items(overlays, session.preferences.overlays)) shown[item.name] = item.is_shown;
    JsonValue tracks = JsonValue::array(), query_tracks = JsonValue::array(), groups = JsonValue::array();
    for (const BandTrack& track : overlays.band_tracks)
        tracks.push_back({{"name", track.name}, {"bands", track.bands.size()}});
    for (const CurveTrack& track : overlays.curve_tracks)
        tracks.push_back({{"name", track.name}, {"curves", track.curves.size()}});
    for (const QueryTrack& query : session.timeline.query_tracks) {
        const Curve& first = query.track.curves.front();
        query_tracks.push_back({{"name", query.track.name},
                                {"curves", query.track.curves.size()},
                                {"values", first.size()},
                                {"lowest", first.lowest()},
                                {"highest", first.highest()}});
    }
    for (const mesh::ColourGroup& group : session.groups.groups)
        groups.push_back({{"name", group.name}, {"count", group.count}, {"bytes", group.bytes}});
    return {{"shown", std::move(shown)},
            {"markers", markers_report(*timeline, overlays.markers)},
            {"current_marker", current ? JsonValue(*current) : JsonValue(nullptr)},
            {"tracks", std::move(tracks)},
            {"query_tracks", std::move(query_tracks)},
            {"folded", session.preferences.tracks.folded},
            {"hovered_band", band_report(overlays, session.timeline.tracks.hovered)},
            {"selected_band", band_report(overlays, session.timeline.tracks.selected)},
            {"groups", std::move(groups)}};
}

}  // namespace

void describe(const Pictures& pictures, const Session& session, JsonValue& report) {
    report["timeline"] = timeline_report(session);
    report["overlays"] = overlays_report(session);
    // The canvas belongs to the tab in front, which may not have drawn yet.
    const bool has_drawn = session.timeline.projection.width_px() > 0;
    report["drawn_pictures"] = has_drawn ? pictures.canvas().picture_id() : 0;
    const render::RenderStats stats = pictures.canvas().renderer().stats();
    report["uploaded_bytes"] = stats.uploaded_bytes;
    report["drawn_from"] = render::drawn_from_name(stats.drawn_from);
    report["triangle_mesh"] = {
        {"records", stats.mesh_records}, {"bytes", stats.mesh_bytes}, {"is_due", pictures.is_mesh_due()}};
}

void describe(const BlockNames& /*names*/, const Session& session, JsonValue& report) {
    JsonValue& described = report["names"] = JsonValue::array();
    if (session.current_timeline() == nullptr) return;
    const TimelineState& picture = session.timeline;
    for (const PlacedName& name : placed_names(picture.names, picture.projection, session.highlight.allocations.get()))
        described.push_back(
            {{"id", name.id.value}, {"text", name.text}, {"box", {name.min.x, name.min.y, name.max.x, name.max.y}}});
}

namespace {

JsonValue icicle_node_report(const stacks::Icicle& icicle, std::uint32_t index) {
    const stacks::IcicleNode& node = icicle.nodes[index];
    return {{"node", index},       {"label", node.label}, {"file", node.place.file}, {"line", node.place.line},
            {"depth", node.depth}, {"start", node.start}, {"width", node.width},     {"entries", node.entry_count}};
}

JsonValue icicle_report(const Session& session) {
    if (session.icicles().empty()) return nullptr;
    JsonValue names = JsonValue::array();
    for (const stacks::Icicle* icicle : session.icicles()) names.push_back(icicle->name);
    JsonValue report = {{"names", std::move(names)}, {"shown", nullptr}};
    const stacks::Icicle* icicle = session.shown_icicle();
    if (icicle == nullptr) return report;
    const reports::IcicleViewState& view = session.icicle.views[*session.icicle.shown];
    report["shown"] = icicle->name;
    report["total"] = icicle->total;
    report["nodes"] = icicle->nodes.size();
    report["window"] = {view.window.x_begin, view.window.x_end, view.window.top_row};
    report["row_px"] = view.row_px;
    report["hovered"] = view.hovered ? icicle_node_report(*icicle, view.hovered->first_node) : JsonValue(nullptr);
    report["selected"] = view.selected ? icicle_node_report(*icicle, *view.selected) : JsonValue(nullptr);
    report["root_row"] = icicle->root_row;
    return report;
}

}  // namespace

void describe(const navigation::Navigation& /*navigation*/, const Session& session, JsonValue& report) {
    report["icicle"] = icicle_report(session);
    report["clock_times"] = session.preferences.clock_times;
    report["minimap"] = session.preferences.show_minimap;
}

void describe(const navigation::ViewHistory& history, const Session& /*session*/, JsonValue& report) {
    report["views"] = {{"before", history.before().size()}, {"after", history.after().size()}};
}

void describe(const search::SearchBar& bar, const Session& session, JsonValue& report) {
    JsonValue& described = report["search"] = nullptr;
    if (!bar.is_open()) return;
    const Highlight& highlight = session.highlight;
    const auto* typed = highlight.as<TextSought>();
    const auto place = highlight.hits ? highlight.hits->place_of(session.selected()) : std::nullopt;
    const bool is_found = highlight.allocations != nullptr && !highlight.is_waiting;
    described = {{"text", typed != nullptr ? typed->text : ""},
                 {"error", highlight.error()},
                 {"waiting", highlight.is_waiting},
                 {"place", place ? JsonValue(*place + 1) : JsonValue(nullptr)},
                 {"marked_columns", session.timeline.hit_marks.columns},
                 {"stack", highlight.stack() ? JsonValue(highlight.stack()->value) : JsonValue(nullptr)},
                 {"hits", is_found ? JsonValue(highlight.allocations->count()) : JsonValue(nullptr)},
                 {"bytes", highlight.bytes},
                 {"peak_bytes", highlight.at_peak.bytes}};
}

void describe(const notes::Notes& notes, const Session& /*session*/, JsonValue& report) {
    JsonValue list = JsonValue::array();
    for (const notes::Note& note : notes.all()) {
        if (note.text.empty()) continue;
        list.push_back(
            {{"id", note.id}, {"device", note.device}, {"step", note.step}, {"bytes", note.bytes}, {"text", note.text}});
    }
    report["notes"] = {{"list", std::move(list)},
                       {"edited", notes.edited() ? JsonValue(notes.edited()->text) : JsonValue(nullptr)},
                       {"changes", notes.replaced().size()}};
}

}  // namespace snapviewer::window_test
