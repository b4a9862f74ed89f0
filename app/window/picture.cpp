#include "app/window/picture.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/state/kind_groups.h"
#include "app/text/allocation_text.h"
#include "app/text/timeline_axis.h"
#include "app/views/picture/axes.h"
#include "app/views/picture/block_names_view.h"
#include "app/views/picture/timeline_view.h"
#include "app/window/areas_svg.h"
#include "app/window/fonts.h"
#include "app/window/studio.h"
#include "app/window/theme.h"
#include "core/analysis/analyses.h"
#include "core/base/units.h"
#include "core/mesh/colour_groups.h"
#include "core/mesh/picture_areas.h"
#include "render/timeline_canvas.h"

namespace snapviewer {
namespace {

constexpr float k_most_tracks = 0.4F;  // of the picture's height

std::string caption(const Document& document, const Timeline& timeline, Axis axis) {
    const std::string peak = timeline.allocation_count() > 0 ? "  ·  peak " + format_bytes(timeline.peak_bytes()) : "";
    return fmt::format("{}  ·  {}  ·  {}{}", std::filesystem::path(document.path).filename().string(),
                       picture_name(timeline, axis), counted(timeline, timeline.allocation_count()), peak);
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

void draw_scene(const DeviceView& device, const TimelineScene& scene, const View& view, float top, ImVec2 size) {
    const float legend_height = overlay_legend_height() + group_legend_height(scene.groups);
    const TracksScene tracks = scene.tracks_scene();
    const float tracks_room = std::round(std::min(tracks_height(tracks), k_most_tracks * size.y));
    const float picture_height = size.y - top - legend_height - tracks_room;
    OverlayState overlays;
    const ImVec2 corner(0, top + legend_height);
    const PictureResult picture =
        draw_timeline_picture(scene, view, AllocationId::none(), overlays, corner, {size.x, picture_height});
    draw_block_names(ImGui::GetWindowDrawList(),
                     named_layers({device, scene.axis, view, room_for_names(picture.projection)}, nullptr),
                     picture.projection, nullptr);
    Requests ignored;
    draw_overlay_legend(shown_items(scene.items), {picture.projection.min.x - scaled(8), top},
                        size.x - picture.projection.min.x, nullptr);
    draw_group_legend(scene.groups, scene.timeline, std::nullopt,
                      {picture.projection.min.x - scaled(8), top + overlay_legend_height()},
                      size.x - picture.projection.min.x, ignored);
    if (tracks_room > 0) {
        TracksState state;
        View moved = view;
        draw_tracks(state, overlays.samples, tracks, picture.projection, moved, {0, corner.y + picture_height},
                    {size.x, tracks_room}, std::nullopt);
    }
}

/// The analyses of the device whose allocations these are; null of segments and pools.
DeviceAnalyses* analyses_of(const Document& document, const Timeline& timeline) {
    for (std::size_t i = 0; i < document.analyses->device_count(); ++i) {
        DeviceAnalyses& device = document.analyses->device(i);
        if (&device.trace() == &timeline.trace()) return &device;
    }
    return nullptr;
}

/// `allocations.id` of the first allocation of a device; none of segments and pools.
std::optional<std::uint64_t> first_id(const Snapshot& snapshot, const Timeline& timeline) {
    std::uint64_t before = 0;
    for (const DeviceTrace& device : snapshot.devices) {
        if (&device == &timeline.trace()) return before;
        before += device.allocations.size();
    }
    return std::nullopt;
}

/// What the colours stand for, where they have names.
Result<ColourGroups> groups_to_draw(const Document& document, const Timeline& timeline, ColourBy by) {
    if (by != ColourBy::kind) return colour_groups(timeline, by);
    DeviceAnalyses* const device = analyses_of(document, timeline);
    if (device == nullptr) return Error{ErrorCode::bad_file, "tells kinds of allocations alone, not of segments and pools"};
    const auto kinds = device->kinds(nullptr);
    if (!kinds) return kinds.error();
    return kind_groups(timeline, kinds->get());
}

}  // namespace

Status render_picture(const Document& document, const DeviceView& device, const RenderOptions& options) {
    const Timeline& timeline = *device.timeline;
    if (options.axis == Axis::time && !timeline.has_times()) {
        return Error{ErrorCode::bad_file, "the file has no times, so there is no time axis to draw"};
    }
    const ColourBy colour_by = options.colour_by.value_or(first_colouring(*document.snapshot, ColourBy::stack));
    const Result<ColourGroups> groups = groups_to_draw(document, timeline, colour_by);
    if (!groups) return groups.error();
    const Result<Studio> studio =
        Studio::create(options.width_px, options.height_px, {.ground = options.ground}, is_svg_path(options.out));
    if (!studio) return studio.error();
    need_characters(characters_of(document));
    const Result<std::unique_ptr<TimelineCanvas>> canvas = TimelineCanvas::create();
    if (!canvas) return canvas.error();
    (*canvas)->renderer().set_drawing(options.drawing);
    const std::vector<std::uint32_t> colours =
        groups->groups.empty() ? allocation_colours(timeline, colour_by) : colours_of_groups(timeline, *groups);
    Status uploaded = (*canvas)->renderer().upload(timeline, *device.mesh, colours);
    if (!uploaded) return uploaded;

    const Overlays overlays = device.overlays ? *device.overlays : Overlays{};
    const std::vector<OverlayItem> items = overlay_items(overlays, {});
    TrackSettings tracks;
    const ViewLimits limits = view_limits(timeline, options.axis, shown_top_bytes(overlays, {}));
    // A legend only where it was asked for: pictures of reports always had none.
    const ColourGroups legend = options.colour_by ? *groups : ColourGroups{};
    const TimelineScene scene{timeline, *device.mesh, **canvas, options.axis, overlays, items, limits, tracks, legend};
    const View view = view_to_draw(limits, options);
    const std::string title = caption(document, timeline, options.axis);
    studio->draw_captioned(axis_margins().left, title,
                           [&](float top, ImVec2 size) { draw_scene(device, scene, view, top, size); });
    if (!is_svg_path(options.out)) return studio->write_png(options.out);
    return studio->write_svg(options.out, title, [&](ImVec2 min, ImVec2 max) {
        const Projection projection{view, min, max};
        const AreaSize size{projection.width_px(), projection.height_px()};
        return areas_svg(picture_areas(timeline, options.axis, view, size, colours), timeline, projection,
                         first_id(*document.snapshot, timeline));
    });
}

}  // namespace snapviewer
