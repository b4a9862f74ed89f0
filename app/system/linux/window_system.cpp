#include "app/system/window_system.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace snapviewer {
namespace {

/// Of the library that GLFW opened.
template <typename Function>
Function* glx_function(const char* name) {
    return reinterpret_cast<Function*>(glfwGetProcAddress(name));
}

}  // namespace

const bool k_may_sleep = true;

int run_steps(std::function<bool()> step, std::function<int()> finish) {
    while (step()) {
    }
    return finish();
}

void set_window_hints() {
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "snapviewer");
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "snapviewer");
}

/// By an extension of Mesa's, which copies from the back of a window to its front and leaves the back as it is.
bool can_show_parts() { return glfwExtensionSupported("GLX_MESA_copy_sub_buffer") == GLFW_TRUE; }

void show_parts(std::span<const FramebufferBox> parts) {
    static const auto display = glx_function<void*()>("glXGetCurrentDisplay");
    static const auto drawable = glx_function<unsigned long()>("glXGetCurrentDrawable");
    static const auto copy = glx_function<void(void*, unsigned long, int, int, int, int)>("glXCopySubBufferMESA");
    for (const FramebufferBox& part : parts)
        copy(display(), drawable(), part.left, part.below, part.width_px, part.height_px);
}

bool was_roused() { return false; }

std::vector<std::string> take_offered_files() { return {}; }

const bool k_has_address = false;

std::string address_of(const std::string& /*path*/, const std::string& /*place*/) { return ""; }

void show_address(const std::string& /*path*/, const std::string& /*place*/) {}

std::optional<std::string> take_wanted_place() { return std::nullopt; }

void give_to_user(const std::string& /*path*/) {}

bool ask_for_file() { return false; }

std::optional<std::string> take_chosen_file() { return std::nullopt; }

}  // namespace snapviewer
