#pragma once

#include <utility>

#include "core/base/result.h"

namespace snapviewer {

/// An OpenGL 4.1 core context without a window or a display (EGL; a software rasterizer will do), current on the thread that
/// made it as long as it lives. It has no framebuffer of its own: draw into an OffscreenFramebuffer.
class OffscreenContext {
public:
    /// Fails with ErrorCode::environment and what to install. Loads the OpenGL functions.
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
