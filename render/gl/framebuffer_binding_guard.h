#pragma once

#include <cstdint>

namespace snapviewer::gl {

/// Restores the bindings of framebuffers at the end of its scope.
class FramebufferBindingGuard {
public:
    FramebufferBindingGuard();
    FramebufferBindingGuard(const FramebufferBindingGuard&) = delete;
    FramebufferBindingGuard& operator=(const FramebufferBindingGuard&) = delete;
    ~FramebufferBindingGuard();

private:
    std::int32_t draw_ = 0;
    std::int32_t read_ = 0;
};

}  // namespace snapviewer::gl
