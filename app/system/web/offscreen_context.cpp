#include "app/system/offscreen_context.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace snapviewer {

/// A page has one context, that of its window, which is current; node has none.
Result<OffscreenContext> OffscreenContext::create() {
    if (glfwGetCurrentContext() == nullptr) return Error{ErrorCode::environment, "there is no OpenGL outside of a page"};
    return OffscreenContext(nullptr, nullptr);
}

OffscreenContext::~OffscreenContext() = default;

}  // namespace snapviewer
