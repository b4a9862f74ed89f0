#include "app/picture/picture.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/features/highlight.h"
#include "app/features/reports/icicle.h"
#include "app/features/save_picture/picture_spec.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/canvas_ui.h"
#include "app/features/timeline/colouring.h"
#include "app/features/timeline/marks_ui.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/features/timeline/timeline_ui.h"
#include "app/picture/areas_svg.h"
#include "app/picture/offscreen_renderer.h"
#include "app/picture/spec_picture.h"
#include "app/ui/fonts.h"
#include "app/ui/texts.h"
#include "app/ui/theme.h"
#include "core/analysis/findings/analyses.h"
#include "core/base/addresses.h"
#include "core/base/context.h"
#include "core/base/text.h"
#include "core/mesh/colours.h"
#include "core/mesh/picture_areas.h"
#include "core/timeline/recording_facts.h"
#include "render/timeline_canvas.h"

namespace snapviewer::picture {
namespace {

constexpr float k_max_tracks = 0.4F;  // fraction of the picture's height

std::string caption(const Document& document, const Timeline& timeline, Axis axis) {
    const std::string peak = timeline.allocation_count() > 0 ? "  ·  " + labelled_peak_text(timeline) : "";
    return fmt::format("{}  ·  {}  ·  {}{}", display_name(document.path), picture_name(timeline, axis),
                       counted(timeline, timeline.allocation_count()), peak);
}

View view_to_draw(const ViewLimits& limits, const RenderOptions& options) {
    View view = fit_view(limits);
    if (!options.view) return view;
    view.x_begin = options.view->x_begin;
    view.x_end = options.view->x_end;
    if (options.view_has_y) {
        view.y_begin = options.view->y_begin;
        view.y_end = options.view->y_end;
    }
    return view;
}

std::vector<OverlayItem> shown_items(std::vector<OverlayItem> items) {
    std::erase_if(items, [](const OverlayItem& item) { return !item.is_shown; });
    return items;
}

void draw_scene(const DeviceView& device, const TimelineScene& scene, const View& view, AllocationId selected,
                const RenderOptions& options, float top, ImVec2 size) {
    const float legend_height = overlay_legend_height() + group_legend_height(scene.groups);
    const float tracks_room = std::round(std::min(tracks_height(scene), k_max_tracks * size.y));
    const float picture_height = size.y - top - legend_height - tracks_room;
    OverlayState overlays;
    const ImVec2 corner(0, top + legend_height);
    const Projection picture = draw_timeline_picture(scene, view, selected, overlays, corner, {size.x, picture_height});
    const NamingScene naming{device, scene.axis, view, room_for_names(picture)};
    const NamedBlocks names = options.names_blocks ? named_blocks(naming) : named_layers(naming);
    draw_block_names(ImGui::GetWindowDrawList(), placed_names(names, picture, scene.highlighted()), picture);
    HitMarks marks;
    draw_selected_and_hits(scene, picture,
                           selected.is_some() ? make_outline(scene.timeline, scene.axis, selected) : Outline{}, marks);
    draw_note_flags(ImGui::GetWindowDrawList(), options.notes, picture, std::nullopt);
    draw_note_words(ImGui::GetWindowDrawList(), options.notes, picture);
    Requests ignored;
    draw_overlay_legend(shown_items(scene.items), {picture.min.x - scaled(8), top}, size.x - picture.min.x, nullptr);
    draw_group_legend(scene.groups, scene.timeline, scene.highlighted_group(),
                      {picture.min.x - scaled(8), top + overlay_legend_height()}, size.x - picture.min.x, ignored);
    if (tracks_room > 0) {
        TracksState state;
        View moved = view;
        draw_tracks(state, overlays.samples, scene, picture, moved, {0, corner.y + picture_height}, {size.x, tracks_room},
                    std::nullopt);
    }
}

/// The analyses of the device to which the timeline belongs; null for timelines of segments and pools.
findings::DeviceAnalyses* analyses_of(const Document& document, const Timeline& timeline) {
    for (std::size_t i = 0; i < document.analyses->device_count(); ++i) {
        findings::DeviceAnalyses& device = document.analyses->device(i);
        if (&device.trace() == &timeline.trace()) return &device;
    }
    return nullptr;
}

/// `allocations.id` of the device's first allocation; nullopt for timelines of segments and pools.
std::optional<std::uint64_t> first_id(const Snapshot& snapshot, const Timeline& timeline) {
    std::uint64_t before = 0;
    for (const DeviceTrace& device : snapshot.devices) {
        if (&device == &timeline.trace()) return before;
        before += device.allocations.size();
    }
    return std::nullopt;
}

/// The groups of a colouring, which are empty if its colours have no names.
Result<mesh::ColourGroups> groups_to_draw(const Document& document, const Timeline& timeline, mesh::ColourBy by) {
    if (by != mesh::ColourBy::kind) return mesh::colour_groups(timeline, by);
    findings::DeviceAnalyses* const device = analyses_of(document, timeline);
    if (device == nullptr) return Error{ErrorCode::bad_file, "has kinds for allocations only, not for segments and pools"};
    const auto kinds = device->kinds();
    return kind_groups(timeline, kinds.get());
}

/// The highlight that the options ask for.
Result<Highlight> highlight_of(const Timeline& timeline, const mesh::ColourGroups& groups, const RenderOptions& options) {
    Highlight highlight;
    if (options.stack) {
        highlight.sought = StackSought{StackId{static_cast<std::uint32_t>(*options.stack)}, ""};
    } else if (!options.group.empty()) {
        const auto row = std::ranges::find(groups.groups, options.group, &mesh::ColourGroup::name);
        if (row == groups.groups.end())
            return Error{ErrorCode::bad_file, "has no row called '" + options.group + "' in the legend of these colours"};
        highlight.sought = GroupSought{static_cast<std::size_t>(row - groups.groups.begin()), options.group};
    } else if (!options.search.empty()) {
        highlight.sought = text_sought(options.search);
    }
    update_highlight(highlight, &timeline, groups);
    if (const std::string error = highlight.error(); !error.empty()) return Error{ErrorCode::bad_file, error};
    if (highlight.is_waiting) show_found(highlight, timeline, find_terms(timeline, highlight.as<TextSought>()->terms));
    return highlight;
}

Result<AllocationId> selected_in(const Document& document, const Timeline& timeline, std::optional<std::size_t> wanted) {
    if (!wanted) return AllocationId::none();
    const std::uint64_t first = first_id(*document.snapshot, timeline).value_or(0);
    if (*wanted < first || *wanted - first >= timeline.allocation_count())
        return Error{ErrorCode::bad_file, fmt::format("has no allocation {} in this picture", *wanted)};
    return AllocationId{static_cast<std::uint32_t>(*wanted - first)};
}

/// Builds and uploads the triangle mesh of a picture, for a view that is near enough to be drawn from it. If there is too
/// little memory for the mesh, the view is drawn from the index.
Status send_mesh(render::TimelineRenderer& renderer, const DeviceView& device) {
    auto built = caught([&] { return mesh::build_triangle_mesh(*device.timeline); });
    if (!built || !*built) return {};
    renderer.begin_mesh_upload(render::TimelineTables::of(*device.timeline, *device.mesh),
                               std::make_shared<const mesh::TriangleMesh>(**std::move(built)));
    Status sent;
    while (sent && renderer.is_sending_mesh()) sent = renderer.continue_upload(std::chrono::seconds(1));
    return sent;
}

}  // namespace

Status render_picture(const Document& document, const DeviceView& device, const RenderOptions& options) {
    const Timeline& timeline = *device.timeline;
    if (options.axis == Axis::time && !timeline.has_times()) {
        return Error{ErrorCode::bad_file, "the file has no times, so the time axis cannot be drawn"};
    }
    const mesh::ColourBy colour_by =
        options.colour_by.value_or(mesh::first_colouring(*document.snapshot, mesh::ColourBy::stack));
    const Result<mesh::ColourGroups> groups = groups_to_draw(document, timeline, colour_by);
    if (!groups) return groups.error();
    const Result<Highlight> highlight = highlight_of(timeline, *groups, options);
    if (!highlight) return highlight.error();
    const Result<AllocationId> selected = selected_in(document, timeline, options.selected);
    if (!selected) return selected.error();
    const Result<OffscreenRenderer> offscreen =
        OffscreenRenderer::create(options.width_px, options.height_px, {.ground = options.ground}, is_svg_path(options.out));
    if (!offscreen) return offscreen.error();
    need_characters(characters_of(document));
    const Result<std::unique_ptr<render::TimelineCanvas>> canvas = render::TimelineCanvas::create();
    if (!canvas) return canvas.error();
    const std::vector<std::uint32_t> colours = mesh::AllocationColours(timeline, colour_by, *groups).all();
    render::TimelineRenderer& renderer = (*canvas)->renderer();
    Status uploaded = renderer.upload(timeline, *device.mesh, colours);
    if (uploaded) uploaded = renderer.set_highlight(highlight->allocations.get(), options.ground);
    if (!uploaded) return uploaded;

    const Overlays overlays = device.overlays ? *device.overlays : Overlays{};
    const std::vector<OverlayItem> items = overlay_items(overlays, options.shown.overlays);
    TrackSettings tracks = options.shown.tracks;
    const ViewLimits limits = view_limits(timeline, options.axis, shown_top_bytes(overlays, options.shown.overlays));
    // A legend only on request, so that pictures in existing reports do not change.
    const mesh::ColourGroups legend = options.colour_by ? *groups : mesh::ColourGroups{};
    TimelineScene scene{timeline, *device.mesh, **canvas, options.axis, overlays, items, limits, tracks, legend};
    scene.highlight = &*highlight;
    if (options.shown.clock_times && timeline.start_time_us() != k_no_time) scene.clock_start_us = timeline.start_time_us();
    for (const NoteFlag& note : options.notes) need_characters(note.text);
    const View view = view_to_draw(limits, options);
    if (!is_svg_path(options.out) && options.axis == Axis::steps && view.width() <= options.width_px)
        if (const Status sent = send_mesh(renderer, device); !sent) return sent;
    const std::string title = caption(document, timeline, options.axis);
    offscreen->draw_captioned(axis_margins().left, title, [&](float top, ImVec2 size) {
        draw_scene(device, scene, view, *selected, options, top, size);
    });
    if (!is_svg_path(options.out)) return offscreen->write_png(options.out);
    return offscreen->write_svg(options.out, title, [&](ImVec2 min, ImVec2 max) {
        const Projection projection{view, min, max};
        const PictureSize size{projection.width_px(), projection.height_px()};
        std::vector<std::uint32_t> shown = colours;
        if (highlight->allocations) mesh::grey_others(shown, *highlight->allocations, options.ground);
        return areas_svg(mesh::picture_areas(timeline, options.axis, view, size, shown), timeline, projection,
                         first_id(*document.snapshot, timeline));
    });
}

Status render_icicle(const Document& document, std::size_t icicle_index, const RenderOptions& options) {
    const stacks::Icicle& icicle = document.icicles[icicle_index];
    const Result<OffscreenRenderer> offscreen =
        OffscreenRenderer::create(options.width_px, options.height_px, {.ground = options.ground}, is_svg_path(options.out));
    if (!offscreen) return offscreen.error();
    need_characters(characters_of(document));

    reports::IcicleViewState state{.window = reports::whole_icicle(icicle)};
    if (options.view) state.window = {options.view->x_begin, options.view->x_end, 0};
    const std::string title =
        fmt::format("{}  ·  {}  ·  {}", display_name(document.path), icicle.name, reports::totals_text(icicle));
    offscreen->draw_captioned(scaled(14), title, [&](float top, ImVec2 size) {
        reports::draw_icicle_picture(state, icicle, {0, top}, {size.x, size.y - top});
    });
    if (!is_svg_path(options.out)) return offscreen->write_png(options.out);
    return offscreen->write_svg(options.out, title, {});
}

namespace {

/// RAII: puts the current ImGui context aside, including its look and fonts, so that another context can draw a picture,
/// even in the middle of a frame of the first one.
class ContextGuard {
public:
    ContextGuard();
    ~ContextGuard();
    ContextGuard(const ContextGuard&) = delete;
    ContextGuard& operator=(const ContextGuard&) = delete;

private:
    ImGuiContext* context_;
    AppliedLook look_;
    FontStateOwner fonts_;
};

ContextGuard::ContextGuard() : context_(ImGui::GetCurrentContext()), look_(applied_look()), fonts_(exchange_fonts(nullptr)) {
    ImGui::SetCurrentContext(nullptr);
}

ContextGuard::~ContextGuard() {
    ImGui::SetCurrentContext(context_);
    applied_look() = look_;
    (void)exchange_fonts(std::move(fonts_));
}

RenderOptions render_options(const save_picture::PictureSpec& spec) {
    RenderOptions options;
    options.out = spec.out;
    options.ground = spec.theme == "light" ? mesh::ThemeVariant::light : mesh::ThemeVariant::dark;
    options.colour_by = colour_named(spec.colour_by);
    options.stack = spec.stack;
    options.group = spec.group;
    options.search = spec.search;
    options.selected = spec.select;
    if (const auto size = save_picture::parse_size(spec.size)) {
        options.width_px = size->width_px;
        options.height_px = size->height_px;
    }
    if (const auto range = save_picture::parse_view(spec.view)) {
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

Status draw_spec_icicle(const Document& document, std::size_t icicle, const save_picture::PictureSpec& spec) {
    return render_icicle(document, icicle, render_options(spec));
}

Status draw_spec(const Document& document, std::size_t device, const save_picture::PictureSpec& spec,
                 const Preferences& preferences, const std::vector<notes::Note>& notes, Progress& progress) {
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
    options.notes = notes::notes_in_picture(notes, timeline, options.axis, device, kind);
    return render_picture(document, *view, options);
}

Status draw_beside_window(const Session& session, const std::vector<notes::Note>& notes,
                          const save_picture::PictureSpec& spec) {
    const Document& document = *session.document;
    const auto icicle = find_icicle(document, spec.picture);
    if (!icicle) return icicle.error();
    const ContextGuard guard;
    if (*icicle) return draw_spec_icicle(document, **icicle, spec);
    Progress progress;
    return draw_spec(document, session.device_index, spec, session.preferences, notes, progress);
}

}  // namespace snapviewer::picture
