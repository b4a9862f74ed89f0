#include "app/picture/studio.h"

#include <filesystem>
#include <utility>

#include "app/ui/cut_text.h"
#include "app/ui/theme.h"
#include "core/base/output_file.h"
#include "core/base/text.h"
#include "render/image.h"

namespace snapviewer {

bool is_svg_path(const std::string& path) { return lower_case(std::filesystem::path(path).extension().string()) == ".svg"; }

Result<Studio> Studio::create(int width_px, int height_px, const Look& look, bool for_svg) {
    Result<OffscreenContext> context = OffscreenContext::create();
    if (!context) return context.error();
    Result<OffscreenFramebuffer> target = OffscreenFramebuffer::create(width_px, height_px);
    if (!target) return target.error();
    Studio studio{std::move(context).value(), std::move(target).value(),
                  std::make_unique<OffscreenInterface>(width_px, height_px, look)};
    if (for_svg) use_plain_edges();
    return studio;
}

void Studio::draw_captioned(float left, const std::string& caption,
                            const std::function<void(float top, ImVec2 size)>& draw) const {
    interface->begin_frame();
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::Begin("picture", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoSavedSettings);
    draw_cut_text(ImGui::GetWindowDrawList(), {left, scaled(11)}, size.x, palette().text, caption);
    draw(ImGui::GetTextLineHeight() + scaled(14), size);
    ImGui::End();
    ImGui::PopStyleVar();
    interface->end_frame(target);
}

Status Studio::write_png(const std::string& path) const {
    return snapviewer::write_png(read_framebuffer(target.width_px(), target.height_px()), path);
}

Status Studio::write_svg(const std::string& path, const std::string& title, const SvgCanvas& canvas) const {
    Result<OutputFile> file = OutputFile::create(path);
    if (!file) return file.error();
    file->write(svg_of_frame(*ImGui::GetDrawData(), palette().window, title, canvas));
    return file->put_in_place();
}

}  // namespace snapviewer
