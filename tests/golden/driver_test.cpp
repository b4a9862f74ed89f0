// Checks that the OpenGL driver is the one named in the environment variable SNAPVIEWER_RENDERER.
#include <glad/gl.h>

#include <cstdlib>
#include <string>

#include "tests/golden/scene.h"

namespace snapviewer::golden {
namespace {

class Driver : public PictureTest {};

TEST_F(Driver, IsTheOneThatWasAskedFor) {
    const char* wanted = std::getenv("SNAPVIEWER_RENDERER");
    const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    ASSERT_NE(name, nullptr);
    const std::string renderer(name);
    EXPECT_NE(renderer.find(wanted != nullptr ? wanted : ""), renderer.npos) << renderer;
}

}  // namespace
}  // namespace snapviewer::golden
