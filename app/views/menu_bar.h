#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "app/state/overlay_choice.h"
#include "app/state/requests.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// What the menu shows as chosen or possible.
struct MenuScene {
    const std::vector<std::string>& recent_files;
    bool has_document = false;
    bool has_timeline = false;
    const char* companion = nullptr;  ///< "run-time report": what may be opened together with the open file
    bool has_selection = false;
    bool has_times = false;
    const char* why_no_times = "";  ///< where there is a timeline without
    ViewKind shown = ViewKind::allocations;
    std::array<std::string, k_view_kinds> why_not_shown = {};  ///< why there is nothing else to show; mostly empty
    Axis axis = Axis::steps;
    ColourBy colour_by = ColourBy::stack;
    bool clock_times = false;
    bool show_query = true;
    std::vector<std::string> devices = {};  ///< "device 0: 1,234 allocations, peak 1.2 GiB"
    std::size_t device_index = 0;
    std::vector<OverlayItem> overlays = {};
    bool has_markers = false;
    bool has_tracks = false;
    bool show_tracks = true;
};

/// The main menu bar; at its right what is shown of a device, and which one if there are several. Gives its height.
float draw_menu_bar(const MenuScene& scene, Requests& requests);

/// "Keys and mouse" and "About", drawn while their flags are set.
void draw_keys_window(bool& is_open);
void draw_about_window(bool& is_open);

}  // namespace snapviewer
