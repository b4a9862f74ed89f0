#pragma once

#include <string>

#include "app/features/requests.h"

namespace snapviewer {

// Banners above the timeline, each with an offer that the user can accept or dismiss.

/// Draws the offer to open the current file together with the previously open one.
void draw_pair_banner(const std::string& other_path, Requests& requests);

/// Draws the offer to reload a file that has changed on the disk.
void draw_reload_banner(const std::string& path, Requests& requests);

}  // namespace snapviewer
