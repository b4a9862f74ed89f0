#include "app/shell/state_json.h"

#include <imgui.h>

#include <nlohmann/json.hpp>

#include "app/system/gl_census.h"
#include "app/ui/fonts.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "core/base/json_text.h"
#include "core/system/memory.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

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

JsonValue tabs_report(const TabStripState& tabs) {
    JsonValue list = JsonValue::array();
    for (const TabName& tab : tabs.tabs)
        list.push_back({{"name", tab.name}, {"path", tab.path}, {"is_loading", tab.loaded.has_value()}});
    return {{"list", std::move(list)}, {"shown", tabs.shown}};
}

JsonValue toasts_report(const Toasts& toasts) {
    JsonValue list = JsonValue::array();
    for (const Toasts::Toast& toast : toasts.shown()) list.push_back(toast.text);
    return list;
}

}  // namespace

std::string state_json(const AppState& state, const ReportedWindow& window) {
    JsonValue report;
    for (const auto& feature : window.features) feature->describe(report);
    report["file"] = state.document ? JsonValue(state.document->path) : JsonValue(nullptr);
    report["notice"] = state.notice;
    report["said"] = state.toasts.last();
    report["toasts"] = toasts_report(state.toasts);
    report["look"] = {{"theme", palette().ground == Ground::light ? "light" : "dark"},
                      {"scale", state.preferences.interface_scale},
                      {"line_px", ImGui::GetFontSize()}};
    const FallbackReport fallback = report_fallback();
    report["fonts"] = {{"system", fallback.fonts}, {"missing", fallback.missing}};
    report["full_screen"] = state.full_screen;
    report["tabs"] = tabs_report(state.tabs);
    report["focused"] = pane_name(state.focused);
    const GlCensus census = take_gl_census();
    report["gl"] = {{"objects", census.objects}, {"errors", census.errors}};
    report["held_bytes"] = held_memory_bytes();
    report["frames"] = window.figures.count;
    report["frame_ms"] = window.figures.last_ms;
    report["rects"] = reported_rects();
    return json_text(report, 1);
}

}  // namespace snapviewer
