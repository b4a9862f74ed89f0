// The report about the window itself, which calls those about its features.
#include <glad/gl.h>
#include <imgui.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "app/features/command_palette/command_palette.h"
#include "app/features/navigation/navigation.h"
#include "app/features/notes/notes.h"
#include "app/features/pins/pins.h"
#include "app/features/query/queries.h"
#include "app/features/search/search.h"
#include "app/features/series/series.h"
#include "app/features/session.h"
#include "app/features/table/table.h"
#include "app/features/timeline/pictures.h"
#include "app/features/what_if/what_if.h"
#include "app/shell/application.h"
#include "app/ui/fonts.h"
#include "app/ui/theme.h"
#include "core/system/memory.h"
#include "tests/window/describe.h"

namespace snapviewer::window_test {
namespace {

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

JsonValue tabs_report(const shell::TabStripState& tabs) {
    JsonValue list = JsonValue::array();
    for (const shell::TabName& tab : tabs.tabs)
        list.push_back({{"name", tab.name}, {"path", tab.path}, {"is_loading", tab.loaded.has_value()}});
    return {{"list", std::move(list)}, {"shown", tabs.shown}};
}

JsonValue toasts_report(const Toasts& toasts) {
    JsonValue list = JsonValue::array();
    for (const Toasts::Toast& toast : toasts.shown()) list.push_back(toast.text);
    return list;
}

/// How many names above the highest known one are checked. Some drivers return the smallest free name, others never reuse a
/// name.
constexpr GLuint k_names_ahead = 1024;

struct KindOfObject {
    const char* name;
    GLboolean (*is_one)(GLuint);
    GLuint highest = 0;  ///< the highest name that an object of this kind has had
};

std::size_t count_objects(KindOfObject& kind) {
    std::size_t count = 0;
    for (GLuint name = 1; name <= kind.highest + k_names_ahead; ++name) {
        if (kind.is_one(name) != GL_TRUE) continue;
        ++count;
        kind.highest = name > kind.highest ? name : kind.highest;
    }
    return count;
}

/// The numbers of OpenGL objects in the current context, counted by asking the driver for every name whether it exists, and
/// the number of errors that OpenGL has reported since the start and that no other code has fetched. Takes a fraction of a
/// millisecond.
JsonValue opengl_report() {
    static std::array kinds = {KindOfObject{"buffers", glIsBuffer},           KindOfObject{"textures", glIsTexture},
                               KindOfObject{"framebuffers", glIsFramebuffer}, KindOfObject{"vertex_arrays", glIsVertexArray},
                               KindOfObject{"programs", glIsProgram},         KindOfObject{"shaders", glIsShader}};
    static std::uint64_t errors = 0;
    while (glGetError() != GL_NO_ERROR) ++errors;
    JsonValue objects;
    for (KindOfObject& kind : kinds) objects[kind.name] = count_objects(kind);
    return {{"objects", std::move(objects)}, {"errors", errors}};
}

template <typename... Parts>
void describe_features(const shell::Application& application, JsonValue& report) {
    (describe(application.feature<Parts>(), application.session(), report), ...);
}

}  // namespace

void describe(const shell::Application& application, JsonValue& report) {
    const Session& session = application.session();
    for (const std::unique_ptr<Feature>& feature : application.features()) feature->describe(report);
    describe_features<table::AllocationList, BlockNames, navigation::Navigation, notes::Notes,
                      command_palette::PaletteFiller, Pictures, pins::PinsPage, query::Queries, search::SearchBar,
                      series::SeriesRuns, navigation::ViewHistory, what_if::WhatIfRuns>(application, report);
    report["file"] = session.document ? JsonValue(session.document->path) : JsonValue(nullptr);
    report["notice"] = session.notice;
    report["toasts"] = toasts_report(session.toasts);
    report["look"] = {{"theme", palette().ground == mesh::ThemeVariant::light ? "light" : "dark"},
                      {"scale", session.preferences.interface_scale},
                      {"line_px", ImGui::GetFontSize()}};
    const FallbackReport fallback = report_fallback();
    report["fonts"] = {{"system", fallback.fonts}, {"missing", fallback.missing}};
    report["full_screen"] = application.is_full_screen();
    report["tabs"] = tabs_report(application.tab_strip());
    report["focused"] = pane_name(session.focused);
    report["gl"] = opengl_report();
    report["held_bytes"] = held_memory_bytes();
    report["frame_ms"] = application.frame_ms();
}

}  // namespace snapviewer::window_test
