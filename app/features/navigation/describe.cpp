#include <nlohmann/json.hpp>

#include "app/features/navigation/navigation.h"
#include "app/features/navigation/view_history.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

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

}  // namespace

void Navigation::describe(nlohmann::json& report) const {
    report["icicle"] = icicle_report(state_);
    report["clock_times"] = state_.preferences.clock_times;
    report["minimap"] = state_.preferences.show_minimap;
}

void ViewHistory::describe(nlohmann::json& report) const {
    report["views"] = {{"before", state_.views_before}, {"after", state_.views_after}};
}

}  // namespace snapviewer
