// The page as the tests of the window run it. Its state is in a file of the page's own file system.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <emscripten.h>

#include "app/cli/command_line.h"
#include "core/system/processes.h"
#include "core/system/streams.h"
#include "tests/window/state_file.h"

// Requests a frame without input, as a system does whose window was uncovered. Called by tests/gui/page_window.py.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_rouse() {
    GLFWwindow* const window = glfwGetCurrentContext();
    const GLFWwindowrefreshfun uncovered = glfwSetWindowRefreshCallback(window, nullptr);
    glfwSetWindowRefreshCallback(window, uncovered);
    if (uncovered != nullptr) uncovered(window);
}

int main(int argc, char** argv) {
    snapviewer::prepare_console();
    static snapviewer::window_test::StateFile file("/state.json");  // static, because the window outlives main()
    snapviewer::set_item_observer(&file);
    return snapviewer::cli::run_command_line(snapviewer::main_arguments(argc, argv));
}
