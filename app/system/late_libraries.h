#pragma once

#include "core/base/result.h"

/// Libraries that few commands need, and that the program opens when it draws or serves: it starts where they are missing.
/// Their functions may be called where these have been opened.
namespace snapviewer {

/// GLFW, and with it the window system. The error says what is missing and which package has it. Any number of calls; main
/// thread.
Status open_window_library();
/// EGL, for pictures without a window; likewise.
Status open_picture_library();
/// The list of the system's fonts; false where it is missing, which only costs characters that our own font lacks.
bool open_font_library();
/// D-Bus; false where it is missing, which only costs the desktop's word on dark and light.
bool open_bus_library();

/// The library snapviewer_http, whose source is app/serve/http_module.cpp.
struct HttpLibrary {
    /// Reads one request of HTTP from a HttpPeer (app/serve/http_peer.h) and writes its answer. Not 0 if the connection can
    /// go on with another.
    int (*exchange)(void* peer);
};
/// From the program's own folder, or lib/snapviewer/modules beside that.
Result<HttpLibrary> open_http_library();

}  // namespace snapviewer
