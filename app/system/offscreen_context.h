#pragma once

#include <utility>

#include "core/base/result.h"

namespace snapviewer {

/// An OpenGL 4.1 core context without a window or a display (EGL; a software rasterizer is sufficient). It is current on the
/// thread that created it, for its whole life. It has no framebuffer of its own: draw into an OffscreenFramebuffer.
class OffscreenContext {
public:
    /// Creates the context and loads the OpenGL functions. Fails with ErrorCode::environment; the message names what to
    /// install.
    static Result<OffscreenContext> create();

    OffscreenContext(OffscreenContext&& other) noexcept
        : display_(std::exchange(other.display_, nullptr)), context_(std::exchange(other.context_, nullptr)) {}
    OffscreenContext& operator=(OffscreenContext&& other) noexcept {
        std::swap(display_, other.display_);
        std::swap(context_, other.context_);
        return *this;
    }
    ~OffscreenContext();

private:
    OffscreenContext(void* display, void* context) : display_(display), context_(context) {}

    void* display_ = nullptr;  ///< EGLDisplay
    void* context_ = nullptr;  ///< EGLContext
};

}  // namespace snapviewer
