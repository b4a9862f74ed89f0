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
bool g_wake_pending = false;

}  // namespace

const bool k_may_sleep = false;

/// Never destroys the steps, because a page gets no notice of its end.
int run_steps(WindowSteps steps) {
    g_steps = std::move(steps);
    ::emscripten_set_main_loop(call, 0, false);
    return 0;
}

void set_window_hints() {
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    for (const int bits : {GLFW_ALPHA_BITS, GLFW_DEPTH_BITS, GLFW_STENCIL_BITS}) glfwWindowHint(bits, 0);
}

const bool k_windows_keep_pixels = true;  // the page requests a canvas that preserves its pixels

bool take_wake_request() { return std::exchange(g_wake_pending, false); }

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

void offer_download(const std::string& path) {
    EM_ASM({ Module["download"](UTF8ToString($0)); }, path.c_str());
}

/// Opens the file in the build with 64-bit addresses.
bool open_with_more_memory(const std::string& path) {
    return EM_ASM_INT({ return Module["openWithMoreMemory"](UTF8ToString($0)); }, path.c_str()) != 0;
}

/// Browsers show the dialog only shortly after a key or button press, as is the case when this is called.
bool ask_for_file() {
    EM_ASM({ Module["pickFiles"](); });
    return true;
}

std::optional<std::string> take_chosen_file() { return std::exchange(g_chosen, std::nullopt); }

}  // namespace snapviewer

// Called by app/web/page.js after snapviewer_add_file(), for a file that was dropped, came by a link or was chosen in the
// browser's dialog.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_offer_file(const char* path, int is_chosen) {
    if (is_chosen != 0)
        snapviewer::g_chosen = path;
    else
        snapviewer::g_offered.emplace_back(path);
    snapviewer::g_wake_pending = true;
}

// Called by app/web/page.js with the reason why a file could not be read.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_complain(const char* sentence) {
    snapviewer::g_complaint = sentence;
    snapviewer::g_wake_pending = true;
}

// Called by app/web/page.js before it stores the settings files.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_keep() {
    if (snapviewer::g_steps.keep) snapviewer::g_steps.keep();
}

// Called by app/web/page.js with the part of the page's address behind the #, when the user has changed it.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_show_place(const char* place) {
    snapviewer::g_wanted_place = place;
    snapviewer::g_wake_pending = true;
}

// Sets the size of the page in CSS pixels.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_resize(int width, int height) {
    glfwSetWindowSize(glfwGetCurrentContext(), width, height);
}

// Scrolls at the position of the mouse, by notches to the right and upwards.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_scroll(double x, double y) {
    GLFWwindow* const window = glfwGetCurrentContext();
    const GLFWscrollfun scrolled = glfwSetScrollCallback(window, nullptr);
    glfwSetScrollCallback(window, scrolled);
    if (scrolled != nullptr) scrolled(window, x, y);
}

// Receives the pasted text before the program receives the key.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_take_clipboard(const char* text) { snapviewer::g_clipboard = text; }

// 64-bit addresses arrive as BigInt in JavaScript, so they are converted to Number.
EM_JS(void, snapviewer_give_clipboard, (const char* text), { navigator.clipboard ?.writeText(UTF8ToString(Number(text))); });

// Replaces GLFW's function, which cannot access the browser's clipboard.
extern "C" const char* glfwGetClipboardString(GLFWwindow* /*window*/) { return snapviewer::g_clipboard.c_str(); }

extern "C" void glfwSetClipboardString(GLFWwindow* /*window*/, const char* text) {
    snapviewer::g_clipboard = text;
    snapviewer_give_clipboard(text);
}

// Replaces the browser's GLFW function, which creates no cursors and returns undefined; this is not a valid 64-bit address.
extern "C" GLFWcursor* glfwCreateStandardCursor(int /*shape*/) { return nullptr; }

// A function of GLFW that the browser's version lacks. None of its functions fail, so there is never an error.
extern "C" int glfwGetError(const char** description) {
    if (description != nullptr) *description = nullptr;
    return GLFW_NO_ERROR;
}
