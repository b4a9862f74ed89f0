#include "app/system/late_libraries.h"

// On Windows all libraries are part of the program or of the system.

extern "C" int snapviewer_exchange_http(void* peer);  // app/serve/http_module.cpp

namespace snapviewer {

Status open_window_library() { return {}; }

Status open_picture_library() { return {}; }

bool open_font_library() { return true; }

bool open_bus_library() { return false; }

Result<HttpLibrary> open_http_library() { return HttpLibrary{snapviewer_exchange_http}; }

}  // namespace snapviewer
