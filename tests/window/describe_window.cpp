// The report about the window itself, which calls those about its features.
#include <glad/gl.h>
#include <imgui.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "app/features/address_map/address_map.h"
#include "app/features/command_palette/command_palette.h"
#include "app/features/compare/compare.h"
#include "app/features/compare/compared_pictures.h"
#include "app/features/details/details.h"
#include "app/features/files/files.h"
#include "app/features/findings/findings.h"
#include "app/features/fleet/fleet.h"
#include "app/features/growth/growth.h"
#include "app/features/help/help.h"
#include "app/features/kinds/kinds.h"
#include "app/features/live/live.h"
#include "app/features/moments/moments.h"
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

/// The commands in the window with the shortcuts; null while it is closed.
JsonValue actions_report(const shell::Application& application) {
    if (!application.feature<help::Help>().shows_keys()) return nullptr;
    JsonValue actions = JsonValue::array();
    for (const Command& command : application.commands().in_menus()) {
        actions.push_back({{"id", command.name},
                           {"menu", menu_title(command.menu)},
                           {"place", static_cast<int>(command.id)},
                           {"words", command.words_now(application.session())},
                           {"keys", command.keys},
                           {"is_possible", command.can_run(application.session())}});
    }
    return actions;
}

/// Calls describe() for each of these features in this order; ComparedPictures adds to the report of CompareRuns.
template <typename... Parts>
void describe_features(const shell::Application& application, JsonValue& report) {
    (describe(application.feature<Parts>(), application.session(), report), ...);
}

}  // namespace

void describe(const shell::Application& application, JsonValue& report) {
    const Session& session = application.session();
    describe_features<address_map::AddressMaps, table::AllocationList, findings::Answers, BlockNames, compare::CompareRuns,
                      compare::ComparedPictures, files::FileOpener, fleet::FleetRuns, growth::GrowthPage, live::LivePage,
                      moments::MomentMarks, navigation::Navigation, notes::Notes, kinds::OwnRules,
                      command_palette::PaletteFiller, Pictures, pins::PinsPage, query::Queries, search::SearchBar,
                      details::SelectedDetails, series::SeriesRuns, navigation::ViewHistory, what_if::WhatIfRuns>(
        application, report);
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
    report["actions"] = actions_report(application);
    report["held_bytes"] = held_memory_bytes();
    report["frame_ms"] = application.frame_ms();
}

}  // namespace snapviewer::window_test
