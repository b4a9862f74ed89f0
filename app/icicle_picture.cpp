#include "app/icicle_picture.h"

#include <fmt/format.h>
#include <imgui.h>

#include <filesystem>

#include "app/offscreen_context.h"
#include "app/offscreen_interface.h"
#include "app/theme.h"
#include "app/views/cut_text.h"
#include "app/views/icicle_view.h"
#include "render/image.h"
#include "render/offscreen_framebuffer.h"

namespace snapviewer {
namespace {

void draw_window(const Icicle& icicle, const IcicleWindow& window, const std::string& title) {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::Begin("picture", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoSavedSettings);
    const float caption_height = ImGui::GetTextLineHeight() + scaled(14);
    draw_cut_text(ImGui::GetWindowDrawList(), {scaled(14), scaled(11)}, size.x, palette().text, title);
    draw_icicle_picture({icicle, window, {}, {}}, {0, caption_height}, {size.x, size.y - caption_height});
    ImGui::End();
    ImGui::PopStyleVar();
}

}  // namespace

Status render_icicle(const Document& document, std::size_t icicle_index, const RenderOptions& options) {
    const Icicle& icicle = document.icicles[icicle_index];
    const Result<OffscreenContext> context = OffscreenContext::create();
    if (!context) return context.error();
    const Result<OffscreenFramebuffer> framebuffer = OffscreenFramebuffer::create(options.width_px, options.height_px);
    if (!framebuffer) return framebuffer.error();

    IcicleWindow window = whole_icicle(icicle);
    if (options.view) window = {options.view->x_begin, options.view->x_end, 0};
    const std::string title = fmt::format("{}  ·  {}  ·  {}", std::filesystem::path(document.path).filename().string(),
                                          icicle.name, totals_text(icicle));
    OffscreenInterface interface(options.width_px, options.height_px);
    interface.begin_frame();
    draw_window(icicle, window, title);
    interface.end_frame(*framebuffer);
    return write_png(read_framebuffer(options.width_px, options.height_px), options.out);
}

}  // namespace snapviewer
