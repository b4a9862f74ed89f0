#pragma once

#include "core/base/result.h"

/// Libraries that are loaded on demand, because only commands that draw or serve need them and the program must also start
/// without them. Call a library's functions only after it has been opened here.
namespace snapviewer {

/// Loads GLFW, and with it the window system. The error names the missing library and the package that contains it.
/// Idempotent; main thread.
Status open_window_library();
/// Loads EGL, for pictures without a window. The error names the missing library and its package. Idempotent; main thread.
Status open_picture_library();
/// Loads fontconfig, which lists the system's fonts. Returns false if it is missing; characters that the built-in fonts lack
/// are then not shown.
bool open_font_library();
/// Loads libdbus. Returns false if it is missing; the desktop's preference for a dark or light theme is then unknown.
bool open_bus_library();

/// Functions of the library snapviewer_http, whose source is app/serve/http_module.cpp.
struct HttpLibrary {
    /// Reads one HTTP request from a HttpPeer (app/serve/http_message.h) and writes the response. Returns 0 if the
    /// connection must be closed, otherwise it can serve another request.
    int (*exchange)(void* peer);
};
/// Loads the library from the program's folder, or from lib/snapviewer/modules beside that folder.
Result<HttpLibrary> open_http_library();

}  // namespace snapviewer
