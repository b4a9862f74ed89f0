#include "app/system/late_libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "core/system/processes.h"

// Made by third_party/late_loading.py: null, or what the system says is wrong.
extern "C" const char* snapviewer_open_glfw(void);
extern "C" const char* snapviewer_open_egl(void);
extern "C" const char* snapviewer_open_fontconfig(void);
extern "C" const char* snapviewer_open_dbus(void);

namespace snapviewer {
namespace {

constexpr const char* k_http_library = "libsnapviewer_http.so";

/// ImGui looks for OpenGL in this library on its own, and ends the program where it is missing.
const char* open_opengl() { return dlopen("libGL.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr ? nullptr : dlerror(); }

Status opened(const char* error, std::string_view what, std::string_view packages) {
    if (error == nullptr) error = open_opengl();
    if (error == nullptr) return {};
    return Error{ErrorCode::environment, fmt::format("{} needs a library that is missing ({}); install {}. Commands that "
                                                     "draw nothing, such as info, query and report, work without it",
                                                     what, error, packages)};
}

}  // namespace

Status open_window_library() {
    return opened(snapviewer_open_glfw(), "the window",
                  "libglfw3, libx11-6 and libgl1 (Debian and Ubuntu; elsewhere glfw, libX11 and Mesa's libGL)");
}

Status open_picture_library() {
    return opened(snapviewer_open_egl(), "drawing",
                  "libegl1, libgl1 and libgl1-mesa-dri (Debian and Ubuntu; on Fedora and its relatives: mesa-libEGL, "
                  "mesa-libGL and mesa-dri-drivers)");
}

bool open_font_library() { return snapviewer_open_fontconfig() == nullptr; }

bool open_bus_library() { return snapviewer_open_dbus() == nullptr; }

Result<HttpLibrary> open_http_library() {
    const std::filesystem::path folder = own_program().parent_path();
    std::filesystem::path path = folder / k_http_library;
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) path = folder.parent_path() / "lib/snapviewer/modules" / k_http_library;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* found = library != nullptr ? dlsym(library, "snapviewer_exchange_http") : nullptr;
    if (found != nullptr) return HttpLibrary{reinterpret_cast<int (*)(void*)>(found)};
    return Error{
        ErrorCode::environment,
        fmt::format("serving needs a library that is missing ({}); snapviewer's Debian package and its "
                    "portable wheel bring it, and a build of your own needs cpp-httplib (Debian 12: libcpp-httplib0.11); "
                    "snapviewer report, query and render do without",
                    dlerror())};
}

}  // namespace snapviewer
