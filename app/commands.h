#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/mesh/mesh.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

enum class Command {
    open_dialog,
    open_companion,
    dismiss_pair,
    reload,
    dismiss_reload,
    close_document,
    quit,
    fit,
    zoom_to_selection,
    go_to_peak,
    next_marker,
    previous_marker,
    toggle_axis,
    toggle_clock,
    toggle_query,
    toggle_tracks,
    clear_selection,
    copy_details,
    show_findings,
    dismiss_findings,
    show_settings,
    show_keys,
    show_about,
    cancel_load,
    dismiss_error,
    open_search,
    close_search,
    next_hit,
    previous_hit,
    next_picture,
    next_view,
    zoom_out,
};

/// What the panels ask for during a frame; the application carries it out when the frame is built.
struct Requests {
    std::vector<Command> commands;
    std::optional<std::string> open_path;
    std::optional<std::string> open_with;  ///< to be drawn together with the open report
    std::optional<std::size_t> device_index;
    std::optional<ViewKind> show_view;
    std::optional<ColourBy> colour_by;
    std::optional<AllocationId> select;          ///< of the device on the screen; none() clears
    std::optional<std::string> search;           ///< a text to find; "" finds nothing
    std::optional<StackId> emphasise;            ///< all that one stack made
    std::optional<std::uint32_t> live_tick;      ///< the moment whose live allocations are listed
    std::optional<std::size_t> select_marker;    ///< of the picture on the screen; the selected one again: none
    std::optional<std::size_t> show_picture;     ///< 0 the timeline, i + 1 the document's i-th icicle
    std::optional<std::uint32_t> select_node;    ///< of the icicle on the screen; IcicleNode::k_none clears
    std::optional<std::size_t> emphasise_group;  ///< of the legend of colours; the one that stands out again: nothing does

    std::optional<std::pair<std::string, bool>> show_overlay;  ///< by OverlayItem::id, on or off

    void ask(Command command) { commands.push_back(command); }
};

}  // namespace snapviewer
