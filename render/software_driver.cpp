#include "render/software_driver.h"

#include <glad/gl.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "render/gl/program.h"

namespace snapviewer {

bool is_software_driver() {
    constexpr GLenum k_unmasked_renderer = 0x9246;  // a constant of WEBGL_debug_renderer_info, which the page enables
    const GLubyte* told = gl::is_embedded_driver() ? glGetString(k_unmasked_renderer) : nullptr;
    const auto* name = reinterpret_cast<const char*>(told != nullptr ? told : glGetString(GL_RENDERER));
    const std::string_view renderer = name != nullptr ? name : "";
    constexpr std::array<std::string_view, 5> k_on_cpu = {"llvmpipe", "softpipe", "swrast", "SWR", "SwiftShader"};
    return std::ranges::any_of(k_on_cpu, [&](std::string_view part) { return renderer.find(part) != renderer.npos; });
}

}  // namespace snapviewer
