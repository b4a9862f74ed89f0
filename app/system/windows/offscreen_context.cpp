#include "app/system/offscreen_context.h"

#include <glad/gl.h>
// GLFW's header must follow that of OpenGL.
#include <GLFW/glfw3.h>

namespace snapviewer {
namespace {

GLFWwindow* hidden_window() {
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 1);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    return glfwCreateWindow(1, 1, "snapviewer", nullptr, nullptr);
}

}  // namespace

/// Creates the context with a hidden window, because Windows creates no context without a window.
Result<OffscreenContext> OffscreenContext::create() {
    GLFWwindow* const window = glfwInit() == GLFW_TRUE ? hidden_window() : nullptr;
    if (window != nullptr) {
        glfwMakeContextCurrent(window);
        if (gladLoadGL(glfwGetProcAddress) != 0 && GLAD_GL_VERSION_4_1) return OffscreenContext(window, window);
    }
    glfwTerminate();
    return Error{ErrorCode::environment, "OpenGL 4.1 is not available; install the driver of the graphics card"};
}

/// The window is destroyed only with the process. A software driver failed in its own thread in one of thirty runs if the
/// window was destroyed earlier.
OffscreenContext::~OffscreenContext() {
    if (context_ != nullptr) glfwMakeContextCurrent(nullptr);
}

}  // namespace snapviewer
