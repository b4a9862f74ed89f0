#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/features/highlight.h"
#include "app/features/preferences.h"
#include "app/features/reports/icicle.h"
#include "app/features/requests.h"
#include "app/features/timeline/overlay_items.h"
#include "app/features/timeline/state.h"
#include "app/ui/state_parts.h"
#include "app/ui/toasts.h"
#include "core/base/addresses.h"
#include "core/document/document.h"
#include "core/mesh/colours.h"
#include "core/trace/stack_table.h"

namespace snapviewer {

/// One view of a device, and the zoom, position and selection in it.
struct DevicePicture {
    DeviceView made;
    DeviceState state;
    /// The reason why a colouring would use a single colour, indexed by ColourBy. Empty if the colouring is useful.
    std::array<std::string, mesh::k_colourings> why_no_colours;
};

/// All views of one device, indexed by ViewKind.
struct DevicePictures {
    ViewKind shown = ViewKind::allocations;
    std::array<std::optional<DevicePicture>, k_view_kinds> pictures;  ///< nullopt until the view is requested
    /// The reason why a view is not available, indexed by ViewKind. Empty if it is available.
    std::array<std::string, k_view_kinds> why_not;
    std::string badges;                   ///< text after the device's name in the list of devices, see device_badges()
    std::optional<std::size_t> findings;  ///< number of findings of the device; nullopt until the analyses are done

    std::optional<DevicePicture>& of(ViewKind kind) { return pictures[static_cast<std::size_t>(kind)]; }
    DevicePicture& current() { return *of(shown); }
    const DevicePicture& current() const { return *pictures[static_cast<std::size_t>(shown)]; }
};

/// The entry of `device` in the list of devices: its name and its badges.
std::string device_title(const DevicePictures& device);

/// State of the right column that persists between frames. A page is identified by DockRow::id.
struct SidePagesState {
    std::string_view shown;
    std::optional<std::string_view> next;  ///< page to show in the next frame
    AllocationId followed;                 ///< the selected allocation whose page was last brought to the front
};

/// The state that the features of a window share: the document and its pictures, what is selected and highlighted in them,
/// the preferences, messages, and which part has the keyboard. Everything else belongs to the feature that owns it. Main
/// thread.
struct Session {
    explicit Session(Preferences of_user) : preferences(std::move(of_user)) {}

    std::shared_ptr<const Document> document;  ///< the open file; null shows the welcome screen
    std::size_t device_index = 0;
    std::vector<DevicePictures> devices;  ///< views of each device, parallel to document->devices
    mesh::ColourBy colour_by = mesh::ColourBy::stack;
    mesh::ColourGroups groups;  ///< colour groups of the device on the screen, for `colour_by`
    Preferences preferences;

    TimelineState timeline;
    reports::IcicleState icicle;
    Highlight highlight;
    SidePagesState pages;
    /// The rank of the fleet in the main window, with the path of its file on the disk.
    std::optional<RankPlace> opened_rank;
    std::string under_cursor;  ///< words for the status bar about the item at the mouse
    std::string notice;        ///< a message in the status bar, cleared by the next key press
    Toasts toasts;

    Pane focused = Pane::timeline;
    std::optional<Pane> focus_next;        ///< the pane that gets the keyboard focus in the next frame
    std::optional<Pane> focus_returns_to;  ///< the pane that gets the focus back when the command palette closes

    /// Opens a window by setting its flag `is_open`. The window gets the keyboard focus, because the command palette no
    /// longer returns the focus to the pane that had it before.
    void open_window(bool& is_open) {
        is_open = true;
        focus_returns_to.reset();
    }
    /// The timeline on the screen, or null if no device is shown.
    const Timeline* current_timeline() const {
        return device_index < devices.size() ? devices[device_index].current().made.timeline.get() : nullptr;
    }
    const mesh::Mesh& current_mesh() const { return *devices[device_index].current().made.mesh; }
    ViewKind current_kind() const { return devices[device_index].shown; }
    /// The overlays of the device at `index`. Empty if the device or its overlays are unknown.
    const Overlays& overlays_of_device(std::size_t index) const {
        static const Overlays k_none;
        return index < devices.size() ? overlays_of(devices[index].current().made) : k_none;
    }
    const Overlays& current_overlays() const { return overlays_of_device(device_index); }
    /// The limits for zoom and pan in `view`: they enclose the allocations and the visible overlays.
    ViewLimits limits(const DeviceView& view, Axis axis) const {
        return view_limits(*view.timeline, axis, shown_top_bytes(overlays_of(view), preferences.overlays));
    }
    ViewLimits current_limits() const { return limits(devices[device_index].current().made, current_device().axis); }
    /// The icicle on the screen, or null while the timeline is shown.
    const stacks::Icicle* shown_icicle() const { return document && icicle.shown ? icicles()[*icicle.shown] : nullptr; }
    /// The icicles of the file, followed by the flame graph while it is open. Parallel to icicle.views.
    std::vector<const stacks::Icicle*> icicles() const;
    bool shows_flame_graph() const {
        return document && icicle.flame != nullptr && icicle.shown == document->icicles.size();
    }
    reports::IcicleViewState& shown_icicle_view() { return icicle.views[*icicle.shown]; }
    DeviceState& current_device() { return devices[device_index].current().state; }
    const DeviceState& current_device() const { return devices[device_index].current().state; }
    AllocationId selected() const { return current_timeline() ? current_device().selected : AllocationId::none(); }
    /// Moves the view of the picture on the screen by fractions of its visible part; positive `views_y` moves upwards.
    void pan(double views_x, double views_y);
    bool has_selection() const { return selected().is_some() || timeline.tracks.selected || timeline.ruler.is_shown; }

private:
    static const Overlays& overlays_of(const DeviceView& view) {
        static const Overlays k_none;
        return view.overlays ? *view.overlays : k_none;
    }
};

/// Preconditions that commands of several features share.
inline bool has_document(const Session& session) { return session.document != nullptr; }
inline bool can_be_reloaded(const Session& session) {
    return has_document(session) && !is_standard_input(session.document->path);
}
/// True if the fleet window has the keyboard focus.
inline bool is_in_fleet(const Session& session) { return session.focused == Pane::fleet; }
inline bool has_picture(const Session& session) { return session.current_timeline() != nullptr; }
inline bool has_any_picture(const Session& session) { return has_picture(session) || session.shown_icicle() != nullptr; }
inline bool shows_timeline(const Session& session) { return has_picture(session) && session.shown_icicle() == nullptr; }
inline bool has_hits(const Session& session) { return session.highlight.has_hits(); }
inline bool has_selected_node(const Session& session) {
    return session.shown_icicle() != nullptr && session.icicle.views[*session.icicle.shown].selected.has_value();
}
inline bool has_selected_part(const Session& session) {
    return session.shown_icicle() != nullptr ? has_selected_node(session) : session.selected().is_some();
}

}  // namespace snapviewer
