#include "app/system/late_libraries.h"

// All of them are in the program or belong to Windows.
namespace snapviewer {

Status open_window_library() { return {}; }

Status open_picture_library() { return {}; }

bool open_font_library() { return true; }

bool open_bus_library() { return false; }

}  // namespace snapviewer
