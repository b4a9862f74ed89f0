// The state as JSON, for tests that drive the window. The format is described in docs/testing.md.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/application.h"
#include "app/state_report.h"

namespace snapviewer {
namespace {

using nlohmann::json;

constexpr std::size_t k_reported_rows = 20;

json allocation_report(const Timeline* timeline, AllocationId id) {
    if (timeline == nullptr || !id.is_some()) return nullptr;
    const AllocationColumns& allocations = timeline->trace().allocations;
    return {{"id", id.value},
            {"size", allocations.size_bytes[id.value]},
            {"origin", origin_name(allocations.origin[id.value])},
            {"top_frame", summarise(*timeline, id).top_frame}};
}

struct CellText {
    std::string operator()(std::monostate) const { return "NULL"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const { return value; }
};

json query_report(const QueryPaneState& query, bool is_running) {
    json report = {{"sql", query.sql},
                   {"ran_sql", query.ran_sql},
                   {"running", is_running},
                   {"rows", 0},
                   {"columns", json::array()},
                   {"first_rows", json::array()},
                   {"truncated", false},
                   {"elapsed_ms", 0.0},
                   {"error", query.error ? json(query.error->text()) : json(nullptr)}};
    if (!query.result) return report;
    const QueryResult& result = *query.result;
    report["rows"] = result.row_count();
    report["columns"] = result.columns;
    report["truncated"] = result.truncated;
    report["elapsed_ms"] = result.elapsed_ms;
    for (std::size_t row = 0; row < std::min({result.row_count(), query.order.size(), k_reported_rows}); ++row) {
        json cells = json::array();
        for (std::size_t column = 0; column < result.columns.size(); ++column) {
            cells.push_back(std::visit(CellText{}, result.cell(query.order[row], column)));
        }
        report["first_rows"].push_back(std::move(cells));
    }
    return report;
}

json timeline_report(const AppState& state) {
    const Timeline* timeline = state.current_timeline();
    if (timeline == nullptr) return nullptr;
    const DeviceState& device = state.current_device();
    const Projection& projection = state.timeline.projection;
    const View& view = device.view;
    return {{"device", timeline->trace().device},
            {"device_index", state.device_index},
            {"devices", state.devices.size()},
            {"allocations", timeline->allocation_count()},
            {"events", timeline->trace().events.size()},
            {"peak_bytes", timeline->peak_bytes()},
            {"axis", device.axis == Axis::time ? "time" : "steps"},
            {"view", {view.x_begin, view.x_end, view.y_begin, view.y_end}},
            {"canvas", {projection.min.x, projection.min.y, projection.max.x, projection.max.y}},
            {"hovered", allocation_report(timeline, state.timeline.hovered)},
            {"selected", allocation_report(timeline, device.selected)}};
}

json icicle_report(const AppState& state) {
    if (!state.document || state.document->icicles.empty()) return nullptr;
    json names = json::array();
    for (const Icicle& icicle : state.document->icicles) names.push_back(icicle.name);
    json report = {{"names", std::move(names)}, {"shown", nullptr}};
    const Icicle* icicle = state.shown_icicle();
    if (icicle == nullptr) return report;
    const IcicleViewState& view = state.icicle.views[*state.icicle.shown];
    const auto node_report = [&](std::uint32_t index) {
        const IcicleNode& node = icicle->nodes[index];
        return json{{"node", index},       {"label", node.label}, {"file", node.place.file}, {"line", node.place.line},
                    {"depth", node.depth}, {"start", node.start}, {"width", node.width},     {"entries", node.entry_count}};
    };
    report["shown"] = icicle->name;
    report["total"] = icicle->total;
    report["nodes"] = icicle->nodes.size();
    report["window"] = {view.window.x_begin, view.window.x_end, view.window.top_row};
    report["row_px"] = view.row_px;
    report["hovered"] = view.hovered ? node_report(view.hovered->first_node) : json(nullptr);
    report["selected"] = view.selected ? node_report(*view.selected) : json(nullptr);
    return report;
}

json search_report(const SearchState& search) {
    if (!search.is_open) return nullptr;
    return {{"text", search.text},
            {"stack", search.stack ? json(search.stack->value) : json(nullptr)},
            {"hits", search.emphasis ? json(search.emphasis->count()) : json(nullptr)},
            {"peak_bytes", search.at_peak.bytes}};
}

json live_report(const AppState& state) {
    if (state.current_timeline() == nullptr || state.live.timeline != state.current_timeline()) return nullptr;
    json rows = json::array();
    for (std::size_t i = 0; i < std::min(state.live.totals.size(), k_reported_rows); ++i) {
        rows.push_back({{"bytes", state.live.totals[i].bytes}, {"count", state.live.totals[i].count}});
    }
    return {{"step", state.current_timeline()->step_of_tick(state.live.tick)},
            {"bytes", state.live.bytes},
            {"stacks", state.live.totals.size()},
            {"first_rows", std::move(rows)}};
}

const char* pane_name(Pane pane) {
    switch (pane) {
        case Pane::timeline: return "timeline";
        case Pane::details: return "details";
        case Pane::query: return "query";
    }
    return "";
}

}  // namespace

std::string Application::report() const {
    json report;
    report["file"] = state_.document ? json(state_.document->path) : json(nullptr);
    report["loading"] = nullptr;
    if (loader_.busy()) {
        report["loading"] = {{"file", loader_.path()},
                             {"stage", stage_text(loader_.progress().stage())},
                             {"fraction", loader_.progress().fraction()},
                             {"preview_samples", loader_.progress().totals().samples().size()}};
    }
    report["error"] = nullptr;
    if (state_.failed) report["error"] = {{"file", state_.failed->path}, {"text", state_.failed->error.text()}};
    report["notice"] = state_.notice;
    report["timeline"] = timeline_report(state_);
    report["icicle"] = icicle_report(state_);
    report["search"] = search_report(state_.search);
    report["live"] = live_report(state_);
    report["query"] = query_report(state_.query, runner_.is_running());
    report["focused"] = pane_name(state_.focused);
    report["uploaded_bytes"] = canvas_->renderer().stats().uploaded_bytes;
    report["drawn_pictures"] = state_.timeline.drawn_pictures;
    report["frames"] = frame_count_;
    report["frame_ms"] = frame_ms_;
    report["rects"] = json::parse(reported_rects_json());
    return report.dump(1, ' ', false, json::error_handler_t::replace);
}

}  // namespace snapviewer
