#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/address_map/state.h"
#include "app/features/allocator_settings/state.h"
#include "app/features/compare/state.h"
#include "app/features/details/state.h"
#include "app/features/files/file_stamps.h"
#include "app/features/files/state.h"
#include "app/features/findings/state.h"
#include "app/features/flame/state.h"
#include "app/features/fleet/state.h"
#include "app/features/growth/state.h"
#include "app/features/help/state.h"
#include "app/features/kinds/state.h"
#include "app/features/live/state.h"
#include "app/features/moments/state.h"
#include "app/features/notes/state.h"
#include "app/features/palette/state.h"
#include "app/features/pins/state.h"
#include "app/features/preferences.h"
#include "app/features/query/state.h"
#include "app/features/reports/state.h"
#include "app/features/save_picture/state.h"
#include "app/features/search/state.h"
#include "app/features/series/state.h"
#include "app/features/side_page.h"
#include "app/features/tab_names.h"
#include "app/features/table/state.h"
#include "app/features/timeline/state.h"
#include "app/features/what_if/state.h"
#include "app/ui/pane.h"
#include "app/ui/toasts.h"
#include "core/document/document.h"
#include "core/mesh/colour_groups.h"

namespace snapviewer {

/// What the file dialog chooses.
enum class FilePurpose : std::uint8_t { open, tab, companion, comparison, fleet };

/// One picture of a device and what of it is on the screen.
struct DevicePicture {
    DeviceView made;
    DeviceState state;
    std::array<std::string, k_colourings> why_no_colours;  ///< by ColourBy: why it would show one colour alone; mostly empty
};

/// What can be shown of one device, by ViewKind.
struct DevicePictures {
    ViewKind shown = ViewKind::allocations;
    std::array<std::optional<DevicePicture>, k_view_kinds> pictures;  ///< none until asked for
    std::array<std::string, k_view_kinds> why_not;                    ///< why there is none to ask for; mostly empty
    std::string badges;                                               ///< behind its name: see device_badges()
    std::optional<std::size_t> findings;                              ///< how many there are, once they are made

    std::optional<DevicePicture>& of(ViewKind kind) { return pictures[static_cast<std::size_t>(kind)]; }
    DevicePicture& current() { return *of(shown); }
    const DevicePicture& current() const { return *pictures[static_cast<std::size_t>(shown)]; }
};

/// What the list of devices says of one.
std::string device_title(const DevicePictures& device);

/// All that the window shows, as plain values: a test can put any screen up without a click.
struct AppState {
    explicit AppState(Preferences of_user);
    ~AppState();

    std::shared_ptr<const Document> document;  ///< null = the welcome screen
    std::size_t device_index = 0;
    std::vector<DevicePictures> devices;  ///< parallel to document->devices
    ColourBy colour_by = ColourBy::stack;
    ColourGroups groups;  ///< of the device on the screen, as it is coloured
    Preferences preferences;

    TimelineState timeline;
    std::vector<QueryTrack> query_tracks;  ///< made of answers; they go with the file
    IcicleState icicle;
    FlameState flame;
    SearchState search;
    SidePagesState pages;
    FindingsState findings;
    MomentsState moments;
    GenerationState generation;
    AddressMapState address_map;
    DetailsState details;
    LiveListState live;
    PinsState pins;
    AllocationTableState table;
    QueryPaneState query;
    FileDialogState file_dialog;
    SettingsViewState settings_view;
    NotesState notes;
    KindRulesState kind_rules;
    StackRulesState stack_rules;
    PaletteState palette;
    WhatIfState what_if;
    CompareState compare;
    GrowingPictureState growing;
    FleetState fleet;
    SeriesState series;
    HelpState help;
    TabStripState tabs;
    SavePictureState save_picture;
    FilePurpose file_purpose = FilePurpose::open;
    std::string pair_offer;                 ///< a file that may belong to the open one; empty for none
    DiskChange on_disk = DiskChange::none;  ///< what became of the open file since
    std::optional<FailedFile> failed;
    ImportLogState import_log;
    std::string notice;  ///< a line for the status bar, until the next key
    Toasts toasts;

    bool show_frame_times = false;  ///< in the status line, for whoever works on the program
    bool full_screen = false;
    bool is_covered_by_load = false;                ///< by the dialog of a file on its way, as drawn last
    std::size_t views_before = 0, views_after = 0;  ///< how far one may go back and forward

    Pane focused = Pane::timeline;
    std::optional<Pane> focus_next;  ///< takes the keyboard in the next frame

    /// A window, by what says whether it is open. It gets the keyboard, not what had it before the palette.
    void open_window(bool& is_open) {
        is_open = true;
        palette.returns_to.reset();
    }
    bool shows_address_map() const { return preferences.show_address_map || address_map.is_first_picture; }
    /// What is on the screen of the device that is; null without one.
    const Timeline* current_timeline() const {
        return device_index < devices.size() ? devices[device_index].current().made.timeline.get() : nullptr;
    }
    const Mesh& current_mesh() const { return *devices[device_index].current().made.mesh; }
    ViewKind current_kind() const { return devices[device_index].shown; }
    /// What lies over its allocations; nothing where that is not known.
    const Overlays& overlays_of_device(std::size_t index) const {
        static const Overlays k_none;
        return index < devices.size() ? overlays_of(devices[index].current().made) : k_none;
    }
    const Overlays& current_overlays() const { return overlays_of_device(device_index); }
    /// How far one may zoom and pan: the allocations and the overlays that are shown.
    ViewLimits limits(const DeviceView& view, Axis axis) const {
        return view_limits(*view.timeline, axis, shown_top_bytes(overlays_of(view), preferences.overlays));
    }
    ViewLimits current_limits() const { return limits(devices[device_index].current().made, current_device().axis); }
    /// The icicle on the screen; null while it is the timeline.
    const Icicle* shown_icicle() const { return document && icicle.shown ? icicles()[*icicle.shown] : nullptr; }
    /// Those of the file, and the flame graph after them while it is open; parallel to icicle.views.
    std::vector<const Icicle*> icicles() const;
    bool shows_flame_graph() const { return document && flame.graph != nullptr && icicle.shown == document->icicles.size(); }
    IcicleViewState& shown_icicle_view() { return icicle.views[*icicle.shown]; }
    DeviceState& current_device() { return devices[device_index].current().state; }
    const DeviceState& current_device() const { return devices[device_index].current().state; }
    AllocationId selected() const { return current_timeline() ? current_device().selected : AllocationId::none(); }
    bool has_selection() const { return selected().is_some() || timeline.tracks.selected || timeline.ruler.is_shown; }

private:
    static const Overlays& overlays_of(const DeviceView& view) {
        static const Overlays k_none;
        return view.overlays ? *view.overlays : k_none;
    }
};

}  // namespace snapviewer
