#include "app/system/offscreen_context.h"

#include <glad/gl.h>
// After the header of OpenGL that it is to use.
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

/// Windows makes no context without a window, so there is one that nobody sees.
Result<OffscreenContext> OffscreenContext::create() {
    GLFWwindow* const window = glfwInit() == GLFW_TRUE ? hidden_window() : nullptr;
    if (window != nullptr) {
        glfwMakeContextCurrent(window);
        if (gladLoadGL(glfwGetProcAddress) != 0 && GLAD_GL_VERSION_4_1) return OffscreenContext(window, window);
    }
    glfwTerminate();
    return Error{ErrorCode::environment, "OpenGL 4.1 is not available; install the driver of the graphics card"};
}

/// The window goes with the process. A driver that draws in software has been seen to fail in a thread of its own, in one of
/// thirty runs, where the window went before.
OffscreenContext::~OffscreenContext() {
    if (context_ != nullptr) glfwMakeContextCurrent(nullptr);
}

}  // namespace snapviewer
