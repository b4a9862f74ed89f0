#include "app/picture/offscreen_interface.h"

#include <imgui.h>

#include "app/ui/fonts.h"
#include "app/ui/imgui_backends.h"
#include "app/ui/theme.h"
#include "render/gl/program.h"

namespace snapviewer {

OffscreenInterface::OffscreenInterface(int width_px, int height_px, const Look& look) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {static_cast<float>(width_px), static_cast<float>(height_px)};
    io.DeltaTime = 1.0F / 60.0F;
    apply_look(look);
    ImGui_ImplOpenGL3_Init(gl::is_embedded_driver() ? "#version 300 es" : "#version 410 core");
}

OffscreenInterface::~OffscreenInterface() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext();
}

void OffscreenInterface::move_mouse(ImVec2 to) {
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetIO().AddMousePosEvent(to.x, to.y);
#else
    ImGui::GetIO().MousePos = to;
#endif
}

void OffscreenInterface::begin_frame() {
    ImGui_ImplOpenGL3_NewFrame();
    refresh_fonts();
    ImGui::NewFrame();
}

void OffscreenInterface::end_frame(const OffscreenFramebuffer& target) {
    ImGui::Render();
    draw(target);
}

void OffscreenInterface::draw(const OffscreenFramebuffer& target) {
    target.bind();
    painter_.paint(target.width_px(), target.height_px(), pixels_);
}

}  // namespace snapviewer
