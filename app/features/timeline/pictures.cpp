#include "app/features/timeline/pictures.h"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "app/features/session.h"
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

JsonValue titles_report(const Session& session) {
    JsonValue titles = JsonValue::array();
    for (const DevicePictures& device : session.devices) titles.push_back(device_title(device));
    return titles;
}

JsonValue timeline_report(const Session& session) {
    const Timeline* timeline = session.current_timeline();
    if (timeline == nullptr) return nullptr;
    const DeviceState& device = session.current_device();
    const Projection& projection = session.timeline.projection;
    const View& view = device.view;
    return {{"device", timeline->trace().device},
            {"device_index", session.device_index},
            {"devices", session.devices.size()},
            {"device_title", device_title(session.devices[session.device_index])},
            {"device_titles", titles_report(session)},
            {"shows", view_kind_names()[static_cast<std::size_t>(session.current_kind())]},
            {"can_show", kinds_report(session.devices[session.device_index])},
            {"allocations", timeline->allocation_count()},
            {"events", timeline->trace().events.size()},
            {"peak_bytes", known_peak(*timeline).bytes},
            {"peak_is_lower_bound", known_peak(*timeline).is_lower_bound},
            {"axis", device.axis == Axis::time ? "time" : "steps"},
            {"view", {view.x_begin, view.x_end, view.y_begin, view.y_end}},
            {"canvas", {projection.min.x, projection.min.y, projection.max.x, projection.max.y}},
            {"hovered", allocation_report(timeline, session.timeline.hovered)},
            {"selected", allocation_report(timeline, device.selected)}};
}

/// Describes the names that are drawn into blocks, for GUI tests.
JsonValue names_report(const Session& session) {
    JsonValue names = JsonValue::array();
    if (session.current_timeline() == nullptr) return names;
    for (const WrittenName& name : session.timeline.written)
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
JsonValue overlays_report(const Session& session) {
    const Timeline* timeline = session.current_timeline();
    if (timeline == nullptr) return nullptr;
    const Overlays& overlays = session.current_overlays();
    JsonValue shown = JsonValue::object();
    for (const OverlayItem& item : overlay_items(overlays, session.preferences.overlays)) shown[item.name] = item.is_shown;
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
    for (const QueryTrack& query : session.timeline.query_tracks) {
        const Curve& first = query.track.curves.front();
        query_tracks.push_back({{"name", query.track.name},
                                {"curves", query.track.curves.size()},
                                {"values", first.size()},
                                {"lowest", first.lowest()},
                                {"highest", first.highest()}});
    }
    JsonValue groups = JsonValue::array();
    for (const mesh::ColourGroup& group : session.groups.groups)
        groups.push_back({{"name", group.name}, {"count", group.count}, {"bytes", group.bytes}});
    return {{"shown", std::move(shown)},
            {"markers", std::move(markers)},
            {"current_marker", index_report(session.timeline.overlays.current_marker)},
            {"tracks", std::move(tracks)},
            {"query_tracks", std::move(query_tracks)},
            {"folded", session.preferences.tracks.folded},
            {"hovered_band", band_report(overlays, session.timeline.tracks.hovered)},
            {"selected_band", band_report(overlays, session.timeline.tracks.selected)},
            {"groups", std::move(groups)}};
}

}  // namespace

void Pictures::describe(nlohmann::json& report) const {
    report["timeline"] = timeline_report(session_);
    report["overlays"] = overlays_report(session_);
    report["drawn_pictures"] = session_.timeline.drawn_pictures;
    const render::RenderStats stats = canvas_->renderer().stats();
    report["uploaded_bytes"] = stats.uploaded_bytes;
    report["drawn_from"] = render::drawn_from_name(stats.drawn_from);
    report["triangle_mesh"] = {{"records", stats.mesh_records}, {"bytes", stats.mesh_bytes}, {"is_due", is_mesh_due()}};
}

void BlockNames::describe(nlohmann::json& report) const { report["names"] = names_report(session_); }

void BlockNames::connect(Switchboard& board) {
    board.commands.on(CommandId::view_names,
                      {.is_possible = has_picture,
                       .is_on = [](const Session& session) { return session.preferences.show_names; },
                       .run = [this] { session_.preferences.show_names = !session_.preferences.show_names; }});
}

namespace {

const std::string& why_not(const Session& session, ViewKind kind) {
    return session.devices[session.device_index].why_not[static_cast<std::size_t>(kind)];
}

bool can_show(const Session& session, ViewKind kind) { return has_picture(session) && why_not(session, kind).empty(); }

std::string kind_doc(const Session& session, ViewKind kind) {
    return has_picture(session) && !why_not(session, kind).empty() ? why_not(session, kind) : view_kind_doc(kind);
}

/// Returns why the picture cannot be coloured by `by`, or "" if it can. Kinds are always available for allocations, because
/// the analysis that finds them may still be running.
std::string why_no_colouring(const Session& session, mesh::ColourBy by) {
    if (!has_picture(session)) return "";
    if (by != mesh::ColourBy::kind)
        return session.devices[session.device_index].current().why_no_colours[static_cast<std::size_t>(by)];
    if (session.current_kind() == ViewKind::allocations) return "";
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

CommandId command_of(ViewKind kind) { return command_after(CommandId::view_allocations, static_cast<std::size_t>(kind)); }

void Pictures::connect_kinds(Commands& commands) {
    for (const ViewKind kind : {ViewKind::allocations, ViewKind::segments, ViewKind::pools}) {
        commands.on(
            command_of(kind),
            {.is_possible = [kind](const Session& session) { return can_show(session, kind); },
             .is_on = [kind](const Session& session) { return has_picture(session) && session.current_kind() == kind; },
             .doc = [kind](const Session& session) { return kind_doc(session, kind); },
             .run = [this, kind] { show_view(kind); }});
    }
    commands.on(CommandId::view_next_kind, {.is_possible =
                                                [](const Session& session) {
                                                    return can_show(session, ViewKind::segments) ||
                                                           can_show(session, ViewKind::pools);
                                                },
                                            .run = [this] { show_next_view(); }});
}

void Pictures::connect_colours(Switchboard& board) {
    for (const Colouring& colouring : colourings()) {
        const mesh::ColourBy by = colouring.by;
        board.commands.on(colouring.command, {.is_possible =
                                                  [by](const Session& session) {
                                                      return has_picture(session) && why_no_colouring(session, by).empty();
                                                  },
                                              .is_on = [by](const Session& session) { return session.colour_by == by; },
                                              .doc =
                                                  [&colouring](const Session& session) {
                                                      const std::string why_not = why_no_colouring(session, colouring.by);
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
