#pragma once

#include <string>

#include "app/features/requests.h"

namespace snapviewer {

// Slim lines above the picture, each with an offer that can be taken or turned down.

/// To open the file together with the one that was open before.
void draw_pair_banner(const std::string& other_path, Requests& requests);

/// To open a file again that changed on the disk.
void draw_reload_banner(const std::string& path, Requests& requests);

}  // namespace snapviewer
