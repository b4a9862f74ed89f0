#include "app/ui/frame_painter.h"

#include <glad/gl.h>

#include "app/ui/imgui_backends.h"
#include "app/ui/theme.h"

namespace snapviewer {

void FramePainter::paint(int width_px, int height_px) {
    glViewport(0, 0, width_px, height_px);
    const ImVec4 ground = to_vec4(palette().window);
    glClearColor(ground.x, ground.y, ground.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImDrawData* frame = ImGui::GetDrawData();
    still_parts_.use_in(*frame);
    plain_fills_.use_in(*frame);
    ImGui_ImplOpenGL3_RenderDrawData(frame);
}

}  // namespace snapviewer
