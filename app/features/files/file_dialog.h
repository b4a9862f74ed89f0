#pragma once

#include <optional>
#include <string>

#include "app/features/files/state.h"
#include "app/features/preferences.h"

namespace snapviewer {

/// Shows the file dialog from the next draw on, starting in the last used folder. Uses the native dialog of the system if
/// there is one.
void open_file_dialog(FileDialogState& state, const Preferences& settings);

/// Must be called once per frame. Returns the absolute path of the file or trace folder once the user has chosen it. O(rows
/// on the screen) per frame.
std::optional<std::string> draw_file_dialog(FileDialogState& state, Preferences& settings);

}  // namespace snapviewer
