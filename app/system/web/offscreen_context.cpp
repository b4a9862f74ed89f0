#include "app/system/offscreen_context.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace snapviewer {

/// A page has a single context, that of its window, which is current. Node has none.
Result<OffscreenContext> OffscreenContext::create() {
    if (glfwGetCurrentContext() == nullptr) return Error{ErrorCode::environment, "there is no OpenGL outside of a page"};
    return OffscreenContext(nullptr, nullptr);
}

OffscreenContext::~OffscreenContext() = default;

}  // namespace snapviewer
