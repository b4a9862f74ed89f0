#include "app/system/shutdown.h"

#include <dlfcn.h>

namespace snapviewer {
namespace {

void (*g_callback)() = nullptr;

/// Xlib calls this handler when the connection is lost. Without it, Xlib would call exit(), which destroys static objects
/// that other threads still use.
int on_xlib_error(void* /*display*/) {
    g_callback();
    return 0;
}

}  // namespace

void listen_for_lost_display(void (*callback)()) {
    using Handler = int (*)(void*);
    g_callback = callback;
    void* xlib = ::dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
    void* set = xlib != nullptr ? ::dlsym(xlib, "XSetIOErrorHandler") : nullptr;
    if (set != nullptr) (void)reinterpret_cast<Handler (*)(Handler)>(set)(on_xlib_error);
}

}  // namespace snapviewer
