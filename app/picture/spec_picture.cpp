#include "app/picture/spec_picture.h"

#include <imgui.h>

#include <utility>

#include "app/features/save_picture/picture_values.h"
#include "app/features/timeline/colour_names.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/picture/icicle_picture.h"
#include "app/picture/picture.h"
#include "app/ui/fonts.h"
#include "app/ui/theme.h"

namespace snapviewer {
namespace {

/// RAII: puts the current ImGui context aside, including its look and fonts, so that another context can draw a picture,
/// even in the middle of a frame of the first one.
class ContextAside {
public:
    ContextAside();
    ~ContextAside();
    ContextAside(const ContextAside&) = delete;
    ContextAside& operator=(const ContextAside&) = delete;

private:
    ImGuiContext* context_;
    AppliedLook look_;
    FontsAside fonts_;
};

ContextAside::ContextAside() : context_(ImGui::GetCurrentContext()), look_(applied_look()), fonts_(exchange_fonts(nullptr)) {
    ImGui::SetCurrentContext(nullptr);
}

ContextAside::~ContextAside() {
    ImGui::SetCurrentContext(context_);
    applied_look() = look_;
    (void)exchange_fonts(std::move(fonts_));
}

RenderOptions render_options(const PictureSpec& spec) {
    RenderOptions options;
    options.out = spec.out;
    options.ground = spec.theme == "light" ? Ground::light : Ground::dark;
    options.colour_by = colour_named(spec.colour_by);
    options.stack = spec.stack;
    options.group = spec.group;
    options.search = spec.search;
    options.selected = spec.select;
    if (const auto size = parse_size(spec.size)) {
        options.width_px = size->width_px;
        options.height_px = size->height_px;
    }
    if (const auto range = parse_view(spec.view)) {
        options.view = range->view;
        options.view_has_y = range->has_y;
    }
    return options;
}

}  // namespace

Result<std::optional<std::size_t>> find_icicle(const Document& document, const std::string& picture) {
    const bool wants_timeline = picture == "iteration" || picture.empty();
    if (wants_timeline && !document.devices.empty()) return std::optional<std::size_t>();
    if (picture.empty() && !document.icicles.empty()) return std::optional<std::size_t>(0);
    if (picture.empty()) return std::optional<std::size_t>();  // the caller reports that the file has no device
    std::string known = document.devices.empty() ? "" : "iteration";
    for (std::size_t i = 0; i < document.icicles.size(); ++i) {
        if (document.icicles[i].name == picture) return std::optional(i);
        known += (known.empty() ? "" : "; ") + document.icicles[i].name;
    }
    return Error{ErrorCode::bad_file, "has no picture called '" + picture + "'; expected one of: " + known};
}

Status draw_spec_icicle(const Document& document, std::size_t icicle, const PictureSpec& spec) {
    return render_icicle(document, icicle, render_options(spec));
}

Status draw_spec(const Document& document, std::size_t device, const PictureSpec& spec, const Preferences& preferences,
                 const std::vector<Note>& notes, Progress& progress) {
    const ViewKind kind = view_kind_named(spec.shows).value_or(ViewKind::allocations);
    if (const std::string why_not = why_no_view(*document.snapshot, device, kind); !why_not.empty()) {
        return Error{ErrorCode::bad_file,
                     "has no picture of " + view_kind_names()[static_cast<std::size_t>(kind)] + ": " + why_not};
    }
    const Result<DeviceView> view = build_view(document, device, kind, progress);
    if (!view) return view.error();
    const Timeline& timeline = *view->timeline;
    RenderOptions options = render_options(spec);
    options.axis = default_axis(timeline);
    if (!spec.axis.empty()) options.axis = spec.axis == "time" ? Axis::time : Axis::steps;
    if (options.axis == Axis::time && !timeline.has_times()) {
        const char* reason = kind == ViewKind::pools ? "has steps of its own when drawn as pools" : "has no recorded times";
        return Error{ErrorCode::bad_file, std::string(reason) + "; only --axis steps is possible"};
    }
    options.shown = preferences;
    options.names_blocks = spec.remembered && preferences.show_names;
    options.notes = notes_in_picture(notes, timeline, options.axis, device, kind);
    return render_picture(document, *view, options);
}

Status draw_beside_window(const AppState& state, const PictureSpec& spec) {
    const Document& document = *state.document;
    const auto icicle = find_icicle(document, spec.picture);
    if (!icicle) return icicle.error();
    const ContextAside aside;
    if (*icicle) return draw_spec_icicle(document, **icicle, spec);
    Progress progress;
    return draw_spec(document, state.device_index, spec, state.preferences, state.notes.notes, progress);
}

}  // namespace snapviewer
