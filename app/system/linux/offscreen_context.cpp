#include "app/system/offscreen_context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <glad/gl.h>

#include <array>
#include <vector>

#include "app/system/late_libraries.h"

namespace snapviewer {
namespace {

/// The displays to try in order: the surfaceless platform, each graphics device, and the display that the environment names.
std::vector<EGLDisplay> candidate_displays() {
    std::vector<EGLDisplay> displays{eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr)};
    const auto query_devices = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
    std::array<EGLDeviceEXT, 16> devices{};
    EGLint device_count = 0;
    if (query_devices != nullptr && query_devices(EGLint{devices.size()}, devices.data(), &device_count) == EGL_TRUE) {
        for (EGLint i = 0; i < device_count; ++i) {
            displays.push_back(
                eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<std::size_t>(i)], nullptr));
        }
    }
    displays.push_back(eglGetDisplay(EGL_DEFAULT_DISPLAY));
    return displays;
}

/// A current OpenGL 4.1 core context on an initialised display, or EGL_NO_CONTEXT.
EGLContext make_context(EGLDisplay display) {
    const EGLint config_wishes[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    const EGLint context_wishes[] = {
        EGL_CONTEXT_MAJOR_VERSION,           4,       EGL_CONTEXT_MINOR_VERSION, 1, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint config_count = 0;
    if (eglBindAPI(EGL_OPENGL_API) != EGL_TRUE) return EGL_NO_CONTEXT;
    if (eglChooseConfig(display, config_wishes, &config, 1, &config_count) != EGL_TRUE || config_count == 0)
        return EGL_NO_CONTEXT;
    const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_wishes);
    if (context == EGL_NO_CONTEXT) return EGL_NO_CONTEXT;
    if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_TRUE &&
        gladLoadGL(reinterpret_cast<GLADloadfunc>(eglGetProcAddress)) != 0 && GLAD_GL_VERSION_4_1) {
        return context;
    }
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display, context);
    return EGL_NO_CONTEXT;
}

}  // namespace

Result<OffscreenContext> OffscreenContext::create() {
    if (const Status opened = open_picture_library(); !opened) return opened.error();
    for (const EGLDisplay display : candidate_displays()) {
        if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) != EGL_TRUE) continue;
        const EGLContext context = make_context(display);
        if (context != EGL_NO_CONTEXT) return OffscreenContext(display, context);
        eglTerminate(display);
    }
    return Error{ErrorCode::environment,
                 "OpenGL 4.1 is not available without a window; install a graphics driver with EGL or Mesa's software "
                 "rasterizer (Debian and Ubuntu: libegl1 and libgl1-mesa-dri)"};
}

OffscreenContext::~OffscreenContext() {
    if (display_ == nullptr) return;
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display_, context_);
    eglTerminate(display_);
}

}  // namespace snapviewer
