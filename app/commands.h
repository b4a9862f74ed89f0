#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/mesh/mesh.h"

namespace snapviewer {

enum class Command {
    open_dialog,
    close_document,
    quit,
    fit,
    zoom_to_selection,
    go_to_peak,
    toggle_axis,
    toggle_query,
    clear_selection,
    copy_details,
    show_findings,
    dismiss_findings,
    show_keys,
    show_about,
    cancel_load,
    dismiss_error,
};

/// What the panels ask for during a frame; the application carries it out when the frame is built.
struct Requests {
    std::vector<Command> commands;
    std::optional<std::string> open_path;
    std::optional<std::size_t> device_index;
    std::optional<ColourBy> colour_by;
    std::optional<AllocationId> select;  ///< of the device on the screen; none() clears

    void ask(Command command) { commands.push_back(command); }
};

}  // namespace snapviewer
