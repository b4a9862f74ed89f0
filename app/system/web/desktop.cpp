#include "app/system/desktop.h"

#include <emscripten.h>

#include <utility>

EM_JS(int, snapviewer_wants_light, (), { return matchMedia("(prefers-color-scheme: light)").matches ? 1 : 0; });
// app/web/page.js sets the variable `holdsCtrl`.
EM_JS(int, snapviewer_holds_ctrl, (), { return Module["holdsCtrl"] ? 1 : 0; });

namespace snapviewer {
namespace {

mesh::ThemeVariant chosen_ground() {
    return snapviewer_wants_light() != 0 ? mesh::ThemeVariant::light : mesh::ThemeVariant::dark;
}

}  // namespace

class Desktop::Sources {};

Desktop::Desktop(float /*content_scale*/) { preferences_.ground = chosen_ground(); }

Desktop::~Desktop() = default;

bool Desktop::update() { return std::exchange(preferences_.ground, chosen_ground()) != preferences_.ground; }

/// Always 1, because the scale that GLFW reports includes the browser's zoom.
float Desktop::growth() const { return 1; }

bool Desktop::is_ctrl_held() const { return snapviewer_holds_ctrl() != 0; }

}  // namespace snapviewer
