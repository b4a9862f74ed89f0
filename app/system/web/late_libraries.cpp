#include "app/system/late_libraries.h"

// In a browser all libraries are part of the program or of the browser.
namespace snapviewer {

Status open_window_library() { return {}; }

Status open_picture_library() { return {}; }

bool open_font_library() { return false; }

bool open_bus_library() { return false; }

Result<HttpLibrary> open_http_library() {
    return Error{ErrorCode::environment, "a browser lets no page serve; run snapviewer on the machine that has the files"};
}

}  // namespace snapviewer
