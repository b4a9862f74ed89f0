#include "app/shell/state_json.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "app/shell/answers_json.h"
#include "app/shell/compare_json.h"
#include "app/shell/fleet_json.h"
#include "app/shell/what_if_json.h"
#include "app/system/gl_census.h"
#include "app/ui/fonts.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "core/base/json_text.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

constexpr std::size_t k_reported_rows = 20;

JsonValue allocation_report(const Timeline* timeline, AllocationId id) {
    if (timeline == nullptr || !id.is_some()) return nullptr;
    const AllocationColumns& allocations = timeline->trace().allocations;
    return {{"id", id.value},
            {"size", allocations.size_bytes[id.value]},
            {"origin", origin_name(allocations.origin[id.value])},
            {"what", what_it_is(*timeline, id)},
            {"own_line", summarise(*timeline, id).own_line}};
}

struct CellText {
    std::string operator()(std::monostate) const { return "NULL"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const { return value; }
};

const char* query_page_name(const QueryPaneState& query) {
    constexpr std::array k_names = {"answer", "cards", "tables"};
    return k_names[static_cast<std::size_t>(query.page)];
}

/// The first of them, as they were put together last.
JsonValue cards_report(const QueryCardsState& cards) {
    constexpr std::size_t k_most = 60;
    JsonValue report = JsonValue::array();
    for (const QueryCard& card : std::span(cards.cards).first(std::min(cards.cards.size(), k_most)))
        report.push_back({{"source", card_source_word(card.source)}, {"name", card.name}, {"sql", card.sql}});
    return report;
}

JsonValue query_report(const QueryPaneState& query) {
    JsonValue report = {{"sql", query.sql},
                        {"ran_sql", query.ran_sql},
                        {"running", query.is_running},
                        {"is_open", query.is_open},
                        {"answers", query.answers.size()},
                        {"parameters", JsonValue::object()},
                        {"given", JsonValue::object()},
                        {"completions", JsonValue::array()},
                        {"name_at_caret", query.name_at_caret ? JsonValue(query.name_at_caret->text) : JsonValue(nullptr)},
                        {"caret", query.caret},
                        {"tabs", JsonValue::array()},
                        {"front", query.front},
                        {"page", query_page_name(query)},
                        {"cards", JsonValue::array()},
                        {"notice", query.notice},
                        {"rows", 0},
                        {"columns", JsonValue::array()},
                        {"first_rows", JsonValue::array()},
                        {"truncated", false},
                        {"elapsed_ms", 0.0},
                        {"error", query.error ? JsonValue(query.error->text()) : JsonValue(nullptr)}};
    for (const QueryParameter& each : query.parameters) report["parameters"][each.name] = std::visit(CellText{}, each.value);
    for (const SqlName& each : query.completions) report["completions"].push_back(each.text);
    for (const auto& [name, typed] : query.given) {
        if (!typed.empty()) report["given"][name] = typed;
    }
    for (std::size_t i = 0; i < query.tabs.size(); ++i) report["tabs"].push_back(query.tab(i).sql);
    if (query.page != QueryPage::tables) report["cards"] = cards_report(query.cards);
    if (!query.result) return report;
    const QueryResult& result = *query.result;
    report["rows"] = result.row_count();
    report["columns"] = result.columns;
    report["truncated"] = result.truncated;
    report["elapsed_ms"] = result.elapsed_ms;
    const ResultChart& chart = *query.answers[query.shown_answer].chart;
    JsonValue series = JsonValue::array();
    for (const ChartSeries& each : chart.series) series.push_back(each.name);
    report["chart"] = {{"is_shown", query.chart.is_shown && chart.why_not.empty()},
                       {"why_not", chart.why_not},
                       {"why_no_track", why_no_track(chart)},
                       {"has_bars", chart.has_bars},
                       {"series", std::move(series)},
                       {"points", chart.points},
                       {"rows_without", chart.rows_without},
                       {"hovered", query.chart.hovered}};
    for (std::size_t row = 0; row < std::min({result.row_count(), query.order.size(), k_reported_rows}); ++row) {
        JsonValue cells = JsonValue::array();
        for (std::size_t column = 0; column < result.columns.size(); ++column) {
            cells.push_back(std::visit(CellText{}, result.cell(query.order[row], column)));
        }
        report["first_rows"].push_back(std::move(cells));
    }
    return report;
}

JsonValue kinds_report(const DevicePictures& device) {
    const std::vector<std::string> names = view_kind_names();
    JsonValue possible = JsonValue::array();
    for (std::size_t kind = 0; kind < k_view_kinds; ++kind) {
        if (device.why_not[kind].empty()) possible.push_back(names[kind]);
    }
    return possible;
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
            {"shows", view_kind_names()[static_cast<std::size_t>(state.current_kind())]},
            {"can_show", kinds_report(state.devices[state.device_index])},
            {"allocations", timeline->allocation_count()},
            {"events", timeline->trace().events.size()},
            {"peak_bytes", timeline->peak_bytes()},
            {"axis", device.axis == Axis::time ? "time" : "steps"},
            {"view", {view.x_begin, view.x_end, view.y_begin, view.y_end}},
            {"canvas", {projection.min.x, projection.min.y, projection.max.x, projection.max.y}},
            {"hovered", allocation_report(timeline, state.timeline.hovered)},
            {"selected", allocation_report(timeline, device.selected)}};
}

/// What is written into blocks.
JsonValue names_report(const AppState& state) {
    JsonValue names = JsonValue::array();
    if (state.current_timeline() == nullptr) return names;
    for (const WrittenName& name : state.timeline.written)
        names.push_back(
            {{"id", name.id.value}, {"text", name.text}, {"box", {name.min.x, name.min.y, name.max.x, name.max.y}}});
    return names;
}

JsonValue notes_report(const NotesState& notes) {
    JsonValue list = JsonValue::array();
    for (const Note& note : notes.notes) {
        if (!note.text.empty())
            list.push_back(
                {{"id", note.id}, {"device", note.device}, {"step", note.step}, {"bytes", note.bytes}, {"text", note.text}});
    }
    return {{"list", std::move(list)},
            {"edited", notes.edited ? JsonValue(notes.edited->text) : JsonValue(nullptr)},
            {"changes", notes.replaced.size()}};
}

JsonValue icicle_report(const AppState& state) {
    if (state.icicles().empty()) return nullptr;
    JsonValue names = JsonValue::array();
    for (const Icicle* icicle : state.icicles()) names.push_back(icicle->name);
    JsonValue report = {{"names", std::move(names)}, {"shown", nullptr}};
    const Icicle* icicle = state.shown_icicle();
    if (icicle == nullptr) return report;
    const IcicleViewState& view = state.icicle.views[*state.icicle.shown];
    const auto node_report = [&](std::uint32_t index) {
        const IcicleNode& node = icicle->nodes[index];
        return JsonValue{{"node", index},           {"label", node.label},        {"file", node.place.file},
                         {"line", node.place.line}, {"depth", node.depth},        {"start", node.start},
                         {"width", node.width},     {"entries", node.entry_count}};
    };
    report["shown"] = icicle->name;
    report["total"] = icicle->total;
    report["nodes"] = icicle->nodes.size();
    report["window"] = {view.window.x_begin, view.window.x_end, view.window.top_row};
    report["row_px"] = view.row_px;
    report["hovered"] = view.hovered ? node_report(view.hovered->first_node) : JsonValue(nullptr);
    report["selected"] = view.selected ? node_report(*view.selected) : JsonValue(nullptr);
    report["root_row"] = icicle->root_row;
    return report;
}

JsonValue search_report(const AppState& state) {
    const SearchState& search = state.search;
    if (!search.is_open) return nullptr;
    const auto place = search.hits ? search.hits->place_of(state.selected()) : std::nullopt;
    return {{"text", search.text},
            {"error", search.error},
            {"waiting", search.is_waiting},
            {"place", place ? JsonValue(*place + 1) : JsonValue(nullptr)},
            {"marked_columns", state.timeline.hit_marks.columns},
            {"stack", search.stack() ? JsonValue(search.stack()->value) : JsonValue(nullptr)},
            {"hits", search.emphasis && !search.is_waiting ? JsonValue(search.emphasis->count()) : JsonValue(nullptr)},
            {"peak_bytes", search.at_peak.bytes}};
}

JsonValue live_report(const AppState& state) {
    if (state.current_timeline() == nullptr || state.live.timeline != state.current_timeline()) return nullptr;
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(state.live.order.size(), k_reported_rows); ++i) {
        const std::uint32_t row = state.live.order[i];
        const StackTotal& total = state.live.totals[row];
        rows.push_back({{"bytes", total.bytes}, {"count", total.count}, {"name", state.live.names[row]}});
    }
    return {{"step", state.current_timeline()->step_of_tick(state.live.tick)},
            {"bytes", state.live.bytes},
            {"stacks", state.live.totals.size()},
            {"shown", state.live.order.size()},
            {"first_rows", std::move(rows)}};
}

/// Of the stack of what is selected: its frames as they are read, "fold 8" for a folded run, "x 3" before what repeats.
JsonValue stack_report(const AppState& state) {
    const StackViewState& stack = state.details.stack;
    if (!state.selected().is_some() || !stack.is_arranged) return nullptr;
    JsonValue rows = JsonValue::array();
    for (const StackPart& part : stack.folded.parts) {
        if (part.times > 1) rows.push_back("x " + std::to_string(part.times));
        for (std::size_t i = part.begin; i < part.end; ++i) {
            const StackItem& item = stack.folded.items[i];
            if (item.is_folded)
                rows.push_back("fold " + std::to_string(item.end - item.begin));
            else
                rows.push_back(stack.lines[item.begin].full_text);
        }
    }
    const auto& headline = stack.folded.headline;
    return {{"frames", stack.lines.size()},
            {"rows", std::move(rows)},
            {"sources", stack.sources},
            {"headline", headline ? JsonValue(stack.lines[*headline].full_text) : JsonValue(nullptr)},
            {"opened", stack.opened_runs.size() + stack.opened_repeats.size()},
            {"same", state.details.of_stack}};
}

JsonValue index_report(const std::optional<std::size_t>& index) { return index ? JsonValue(*index) : JsonValue(nullptr); }

/// Of the table of allocations, while it is open and has rows.
JsonValue table_report(const AppState& state) {
    const AllocationTableState& table = state.table;
    if (!state.show_table || table.arranged == nullptr) return nullptr;
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < std::min(table.arranged->ids.size(), k_reported_rows); ++i) {
        const AllocationId id{table.arranged->ids[i]};
        rows.push_back({{"id", id.value},
                        {"size", table.rows->timeline().trace().allocations.size_bytes[id.value]},
                        {"stack", table.rows->shown(AllocationColumn::stack, id)}});
    }
    JsonValue columns = JsonValue::array();
    for (const AllocationColumnInfo& info : allocation_columns()) {
        if (table.columns[static_cast<std::size_t>(info.column)]) columns.push_back(info.sql_name);
    }
    return {{"rows", table.arranged->ids.size()},
            {"bytes", table.arranged->bytes},
            {"arranging", table.is_arranging},
            {"sorted_by", info_of(table.shown.sorted_by).sql_name},
            {"descending", table.shown.is_descending},
            {"only_hits", table.shown.among != nullptr},
            {"row", index_report(table.row)},
            {"columns", std::move(columns)},
            {"first_rows", std::move(rows)}};
}

const char* marker_kind_name(Marker::Kind kind) {
    switch (kind) {
        case Marker::Kind::peak: return "peak";
        case Marker::Kind::oom: return "oom";
        case Marker::Kind::snapshot: return "snapshot";
        case Marker::Kind::annotate: return "annotate";
    }
    return "";
}

JsonValue band_report(const Overlays& overlays, const std::optional<BandPlace>& place) {
    if (!place) return nullptr;
    const BandTrack& track = overlays.band_tracks[place->track];
    const Band& band = track.bands[place->band];
    return {{"track", track.name}, {"name", band.name}, {"steps", {band.from.step, band.to.step}}};
}

/// What lies over and under the picture.
JsonValue overlays_report(const AppState& state) {
    const Timeline* timeline = state.current_timeline();
    if (timeline == nullptr) return nullptr;
    const Overlays& overlays = state.current_overlays();
    JsonValue shown = JsonValue::object();
    for (const OverlayItem& item : overlay_items(overlays, state.settings.overlays)) shown[item.name] = item.is_shown;
    JsonValue markers = JsonValue::array();
    for (std::size_t i = 0; i < std::min(overlays.markers.size(), k_reported_rows); ++i) {
        const Marker& marker = overlays.markers[i];
        markers.push_back({{"kind", marker_kind_name(marker.kind)}, {"step", marker.place.step}, {"label", marker.label}});
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
    for (const ColourGroup& group : state.groups.groups)
        groups.push_back({{"name", group.name}, {"count", group.count}, {"bytes", group.bytes}});
    return {{"shown", std::move(shown)},
            {"markers", std::move(markers)},
            {"current_marker", index_report(state.timeline.overlays.current_marker)},
            {"tracks", std::move(tracks)},
            {"query_tracks", std::move(query_tracks)},
            {"folded", state.settings.tracks.folded},
            {"hovered_band", band_report(overlays, state.timeline.tracks.hovered)},
            {"selected_band", band_report(overlays, state.timeline.tracks.selected)},
            {"groups", std::move(groups)}};
}

JsonValue ruler_report(const AppState& state) {
    const RulerState& ruler = state.timeline.ruler;
    if (!ruler.is_shown || !ruler.has_totals || state.current_timeline() == nullptr) return nullptr;
    return {{"first_tick", ruler.first_tick},
            {"last_tick", ruler.last_tick},
            {"steps",
             {state.current_timeline()->step_of_tick(ruler.first_tick),
              state.current_timeline()->step_of_tick(ruler.last_tick)}},
            {"net_bytes", ruler.totals.net_bytes},
            {"made_bytes", ruler.totals.made.bytes},
            {"freed_bytes", ruler.totals.freed.bytes},
            {"lines", ruler_lines(ruler, *state.current_timeline())}};
}

JsonValue palette_report(const PaletteState& palette) {
    if (!palette.is_open) return nullptr;
    JsonValue matches = JsonValue::array();
    for (std::size_t i = 0; i < std::min(palette.matches.size(), k_reported_rows); ++i)
        matches.push_back({{"kind", palette.matches[i]->kind}, {"words", palette.matches[i]->words}});
    return {{"typed", palette.typed},
            {"chosen", palette.chosen},
            {"has_stacks", palette.has_stacks},
            {"first_matches", matches}};
}

/// While the window that lists them is open.
JsonValue actions_report(const Commands& commands, const AppState& state) {
    JsonValue actions = JsonValue::array();
    for (const Command& command : commands.in_menus()) {
        actions.push_back({{"id", command.id},
                           {"menu", menu_title(command.menu)},
                           {"words", command.words_now(state)},
                           {"keys", command.keys},
                           {"is_possible", command.can_run(state)}});
    }
    return actions;
}

const char* disk_change_name(DiskChange change) {
    switch (change) {
        case DiskChange::none: return "unchanged";
        case DiskChange::changed: return "changed";
        case DiskChange::gone: return "gone";
    }
    return "";
}

const char* pane_name(Pane pane) {
    switch (pane) {
        case Pane::timeline: return "timeline";
        case Pane::details: return "details";
        case Pane::query: return "query";
        case Pane::table: return "table";
        case Pane::fleet: return "fleet";
    }
    return "";
}

JsonValue growing_picture_report(const GrowingPictureState& growing) {
    if (growing.shown == nullptr) return nullptr;
    const Timeline& timeline = *growing.shown->timeline;
    return {{"fraction", growing.fraction},
            {"events", timeline.trace().events.size()},
            {"peak_bytes", timeline.peak_bytes()},
            {"view", {growing.view.x_begin, growing.view.x_end, growing.view.y_begin, growing.view.y_end}}};
}

}  // namespace

std::string state_json(const AppState& state, const ReportedWindow& window) {
    const FileOpener& opener = window.opener;
    JsonValue report;
    for (const auto& feature : window.features) feature->describe(report);
    report["file"] = state.document ? JsonValue(state.document->path) : JsonValue(nullptr);
    report["loading"] = nullptr;
    if (opener.job().is_busy()) {
        const Progress& progress = opener.job().progress();
        report["loading"] = {{"file", opener.path()},
                             {"stage", stage_text(progress.stage())},
                             {"fraction", progress.fraction()},
                             {"preview_samples", progress.totals().samples().size()},
                             {"picture", growing_picture_report(state.growing)}};
    }
    report["on_disk"] = disk_change_name(state.on_disk);
    report["error"] = nullptr;
    if (state.failed) report["error"] = {{"file", state.failed->path}, {"text", state.failed->error.text()}};
    report["notice"] = state.notice;
    report["said"] = state.toasts.last();
    report["toasts"] = JsonValue::array();
    for (const Toasts::Toast& toast : state.toasts.shown()) report["toasts"].push_back(toast.text);
    report["look"] = {{"theme", palette().ground == Ground::light ? "light" : "dark"},
                      {"scale", state.settings.interface_scale},
                      {"line_px", ImGui::GetFontSize()}};
    report["timeline"] = timeline_report(state);
    report["names"] = names_report(state);
    report["notes"] = notes_report(state.notes);
    report["icicle"] = icicle_report(state);
    report["overlays"] = overlays_report(state);
    const FallbackReport fallback = report_fallback();
    report["fonts"] = {{"system", fallback.fonts}, {"missing", fallback.missing}};
    report["search"] = search_report(state);
    report["stack"] = stack_report(state);
    report["findings"] = findings_state_json(state);
    report["growth"] = growth_state_json(state);
    report["moments"] = moments_state_json(state);
    report["generation"] = generation_state_json(state);
    report["what_if"] = what_if_state_json(state);
    report["compare"] = compare_state_json(state);
    report["fleet"] = fleet_state_json(state);
    report["address_map"] = address_map_json(state);
    report["live"] = live_report(state);
    report["table"] = table_report(state);
    report["query"] = query_report(state.query);
    report["ruler"] = ruler_report(state);
    report["palette"] = palette_report(state.palette);
    report["views"] = {{"before", state.views_before}, {"after", state.views_after}};
    report["full_screen"] = state.full_screen;
    report["clock_times"] = state.settings.clock_times;
    report["minimap"] = state.settings.show_minimap;
    JsonValue tabs = JsonValue::array();
    for (const TabName& tab : state.tabs.tabs)
        tabs.push_back({{"name", tab.name}, {"path", tab.path}, {"is_loading", tab.loaded.has_value()}});
    report["tabs"] = {{"list", tabs}, {"shown", state.tabs.shown}};
    report["actions"] = state.show_keys ? actions_report(window.commands, state) : JsonValue(nullptr);
    report["focused"] = pane_name(state.focused);
    report["uploaded_bytes"] = window.pictures.canvas().renderer().stats().uploaded_bytes;
    report["drawn_pictures"] = state.timeline.drawn_pictures;
    const GlCensus census = take_gl_census();
    report["gl"] = {{"objects", census.objects}, {"errors", census.errors}};
    report["frames"] = window.figures.count;
    report["frame_ms"] = window.figures.last_ms;
    report["rects"] = reported_rects();
    return json_text(report, 1);
}

}  // namespace snapviewer
