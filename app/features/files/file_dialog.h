#pragma once

#include <optional>
#include <string>

#include "app/features/files/state.h"
#include "app/features/preferences.h"

namespace snapviewer {

/// Shows the dialog from the next draw on, at the folder used last, or the system's own where there is one.
void open_file_dialog(FileDialogState& state, const Preferences& settings);

/// To be called every frame. Returns the absolute path of the file or trace folder once it is chosen. Cost per frame: the
/// rows on the screen.
std::optional<std::string> draw_file_dialog(FileDialogState& state, Preferences& settings);

}  // namespace snapviewer
