#pragma once

#include <string>

#include "app/commands.h"

namespace snapviewer {

/// A slim line above the picture that offers to draw the open report together with the one that was open before.
void draw_pair_banner(const std::string& other_path, Requests& requests);

}  // namespace snapviewer
