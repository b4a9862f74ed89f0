#include "app/system/window_system.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace snapviewer {

const bool k_may_sleep = true;

int run_steps(WindowSteps steps) {
    while (steps.step()) {
    }
    return steps.finish();
}

/// Names the window for X11; other systems ignore these hints.
void set_window_hints() {
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "snapviewer");
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "snapviewer");
}

const bool k_windows_keep_pixels = false;

bool take_wake_request() { return false; }

std::vector<std::string> take_offered_files() { return {}; }

std::optional<std::string> take_complaint() { return std::nullopt; }

const bool k_has_address = false;

std::string address_of(const std::string& /*path*/, const std::string& /*place*/) { return ""; }

void show_address(const std::string& /*path*/, const std::string& /*place*/) {}

std::optional<std::string> take_wanted_place() { return std::nullopt; }

std::string users_path(const std::string& path) { return path; }

void offer_download(const std::string& /*path*/) {}

bool open_with_more_memory(const std::string& /*path*/) { return false; }

bool ask_for_file() { return false; }

std::optional<std::string> take_chosen_file() { return std::nullopt; }

}  // namespace snapviewer
