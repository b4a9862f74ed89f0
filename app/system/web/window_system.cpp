#include "app/system/window_system.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <emscripten.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

namespace snapviewer {
namespace {

WindowSteps g_steps;

void call() {
    if (g_steps.step()) return;
    ::emscripten_cancel_main_loop();
    g_steps.finish();
}

std::vector<std::string> g_offered;
std::optional<std::string> g_complaint;
std::optional<std::string> g_chosen;
std::optional<std::string> g_wanted_place;
std::string g_clipboard;
bool g_is_roused = false;

}  // namespace

const bool k_may_sleep = false;

/// Kept for good: a page has no end that it is told of.
int run_steps(WindowSteps steps) {
    g_steps = std::move(steps);
    ::emscripten_set_main_loop(call, 0, false);
    return 0;
}

void set_window_hints() {
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    for (const int bits : {GLFW_ALPHA_BITS, GLFW_DEPTH_BITS, GLFW_STENCIL_BITS}) glfwWindowHint(bits, 0);
}

const bool k_windows_keep_pixels = true;  // the page asks for such a canvas

bool was_roused() { return std::exchange(g_is_roused, false); }

std::vector<std::string> take_offered_files() { return std::exchange(g_offered, {}); }

std::optional<std::string> take_complaint() { return std::exchange(g_complaint, std::nullopt); }

const bool k_has_address = true;

std::string address_of(const std::string& path, const std::string& place) {
    const std::unique_ptr<char, decltype(&std::free)> address(
        static_cast<char*>(EM_ASM_PTR({ return stringToNewUTF8(Module["addressOf"](UTF8ToString($0), UTF8ToString($1))); },
                                      path.c_str(), place.c_str())),
        &std::free);
    return address.get();
}

void show_address(const std::string& path, const std::string& place) {
    EM_ASM({ Module["showAddress"](UTF8ToString($0), UTF8ToString($1)); }, path.c_str(), place.c_str());
}

std::optional<std::string> take_wanted_place() { return std::exchange(g_wanted_place, std::nullopt); }

std::string users_path(const std::string& path) { return std::filesystem::path(path).filename().string(); }

void give_to_user(const std::string& path) {
    EM_ASM({ Module["download"](UTF8ToString($0)); }, path.c_str());
}

/// One that counts its memory by 64 bits.
bool open_with_more_memory(const std::string& path) {
    return EM_ASM_INT({ return Module["openWithMoreMemory"](UTF8ToString($0)); }, path.c_str()) != 0;
}

/// Browsers show it only soon after a key or a button was pressed, as it is when this is called.
bool ask_for_file() {
    EM_ASM({ Module["pickFiles"](); });
    return true;
}

std::optional<std::string> take_chosen_file() { return std::exchange(g_chosen, std::nullopt); }

}  // namespace snapviewer

// What app/web/page.js calls once snapviewer_add_file() knows a file: it was dropped or came by a link, or was chosen in the
// browser's dialog.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_offer_file(const char* path, int is_chosen) {
    if (is_chosen != 0)
        snapviewer::g_chosen = path;
    else
        snapviewer::g_offered.emplace_back(path);
    snapviewer::g_is_roused = true;
}

// Why a file could not be read for the program.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_complain(const char* sentence) {
    snapviewer::g_complaint = sentence;
    snapviewer::g_is_roused = true;
}

// Before the page keeps the files of the settings.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_keep() {
    if (snapviewer::g_steps.keep) snapviewer::g_steps.keep();
}

// What stands behind the # of the page's address, once the user changed it.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_show_place(const char* place) {
    snapviewer::g_wanted_place = place;
    snapviewer::g_is_roused = true;
}

// For tests: a frame without input.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_rouse() { snapviewer::g_is_roused = true; }

// The size of the page, in pixels of its style.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_resize(int width, int height) {
    glfwSetWindowSize(glfwGetCurrentContext(), width, height);
}

// Notches of a wheel, to the right and upwards, where the mouse is.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_scroll(double x, double y) {
    GLFWwindow* const window = glfwGetCurrentContext();
    const GLFWscrollfun scrolled = glfwSetScrollCallback(window, nullptr);
    glfwSetScrollCallback(window, scrolled);
    if (scrolled != nullptr) scrolled(window, x, y);
}

// What the user pastes, before the program hears of the key.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_take_clipboard(const char* text) { snapviewer::g_clipboard = text; }

// Addresses of 64 bits are numbers of another kind here, which is why they are made numbers.
EM_JS(void, snapviewer_give_clipboard, (const char* text), { navigator.clipboard ?.writeText(UTF8ToString(Number(text))); });

// GLFW's own, which does not know the clipboard of a browser.
extern "C" const char* glfwGetClipboardString(GLFWwindow* /*window*/) { return snapviewer::g_clipboard.c_str(); }

extern "C" void glfwSetClipboardString(GLFWwindow* /*window*/, const char* text) {
    snapviewer::g_clipboard = text;
    snapviewer_give_clipboard(text);
}

// The browser's GLFW makes no cursors. Its own function returns nothing at all, which is no address of 64 bits.
extern "C" GLFWcursor* glfwCreateStandardCursor(int /*shape*/) { return nullptr; }

// GLFW's own, which the browser's lacks: nothing that it does fails.
extern "C" int glfwGetError(const char** description) {
    if (description != nullptr) *description = nullptr;
    return GLFW_NO_ERROR;
}
