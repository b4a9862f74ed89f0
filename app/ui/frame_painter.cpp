#include "app/ui/frame_painter.h"

#include <glad/gl.h>

#include <array>
#include <deque>
#include <utility>

#include "app/ui/fonts.h"
#include "app/ui/imgui_backends.h"
#include "app/ui/picture_command.h"
#include "app/ui/theme.h"
#include "render/software_driver.h"

namespace snapviewer {
namespace {

/// Drawing this many indices outside the box costs less than splitting the command in two.
constexpr unsigned k_most_between = 120;

void clear() {
    const ImVec4 ground = to_vec4(palette().window);
    glClearColor(ground.x, ground.y, ground.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

/// RAII: exchanges the commands of the draw lists. Lists without commands also lose their vertices, because ImGui's backend
/// would upload them.
class OtherCommands {
public:
    OtherCommands(ImDrawData& frame, std::deque<ImVector<ImDrawCmd>>& commands) : frame_(frame), commands_(commands) {
        exchange();
    }
    OtherCommands(const OtherCommands&) = delete;
    OtherCommands& operator=(const OtherCommands&) = delete;
    ~OtherCommands() { exchange(); }

private:
    void exchange() {
        vertices_.resize(commands_.size());
        indices_.resize(commands_.size());
        for (std::size_t i = 0; i < commands_.size(); ++i) {
            ImDrawList& list = *frame_.CmdLists[static_cast<int>(i)];
            const bool is_empty = commands_[i].empty() || list.CmdBuffer.empty();
            list.CmdBuffer.swap(commands_[i]);
            if (!is_empty) continue;
            list.VtxBuffer.swap(vertices_[i]);
            list.IdxBuffer.swap(indices_[i]);
        }
    }

    ImDrawData& frame_;
    std::deque<ImVector<ImDrawCmd>>& commands_;
    std::vector<ImVector<ImDrawVert>> vertices_;
    std::vector<ImVector<ImDrawIdx>> indices_;
};

}  // namespace

FramePainter::FramePainter() : is_worth_it_(is_software_driver()) {}

void FramePainter::paint(int width_px, int height_px, Pixels pixels) {
    glViewport(0, 0, width_px, height_px);
    ImDrawData& frame = *ImGui::GetDrawData();
    const FramebufferBox whole{0, 0, width_px, height_px};
    if (!is_worth_it_ || whole.is_empty() || whole_box(frame) != whole) {
        changes_.forget();
        clear();
        draw(frame);
        return;
    }
    if (!std::exchange(is_warm_, true)) warm_up(frame);
    if (pixels == Pixels::may_be_kept && !is_marked(whole)) changes_.forget();
    draw_changes(frame, whole);
    if (pixels == Pixels::may_be_kept) mark(whole);
}

/// Draws once with the states that later frames need, namely clearing a part and filling a large translucent area, so that
/// the driver compiles their shaders now and not in the middle of the session.
void FramePainter::warm_up(const ImDrawData& frame) {
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 1, 1);
    clear();
    glDisable(GL_SCISSOR_TEST);
    const ImVec2 min = frame.DisplayPos;
    const ImVec2 max(min.x + frame.DisplaySize.x, min.y + frame.DisplaySize.y);
    ImDrawList list(ImGui::GetDrawListSharedData());
    list._ResetForNewFrame();
    list.PushTextureID(ImGui::GetIO().Fonts->TexID);
    list.PushClipRect(min, max);
    list.AddRectFilled(min, max, IM_COL32(0, 0, 0, 0x80));
    std::array<ImDrawList*, 1> lists = {&list};
    ImDrawData made_up = frame;
    made_up.CmdLists = lists.data();
    made_up.CmdListsCount = 1;
    made_up.TotalVtxCount = list.VtxBuffer.Size;
    made_up.TotalIdxCount = list.IdxBuffer.Size;
    draw(made_up);
}

void FramePainter::draw_changes(ImDrawData& frame, const FramebufferBox& whole) {
    Ground ground{0, whole.width_px, whole.height_px, palette().window, fonts_version()};
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &ground.framebuffer);
    if (std::exchange(ground_, ground) != ground) changes_.forget();
    find_pieces(frame, found_);
    for (const FramebufferBox& cut : changes_.take(found_, whole)) draw_within(frame, cut);
}

/// True if two opposite corners have the mark of the last frame. They do not if another frame was drawn since, if this is
/// another of several alternating buffers, or if the size has changed. A framebuffer without an alpha channel is never
/// marked.
bool FramePainter::is_marked(const FramebufferBox& whole) const {
    const auto alpha_of = [](int x, int y) {
        std::array<std::uint8_t, 4> pixel{};
        glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel.data());
        return pixel[3];
    };
    return mark_ != 0 && alpha_of(0, 0) == mark_ && alpha_of(whole.width_px - 1, whole.height_px - 1) == mark_;
}

void FramePainter::mark(const FramebufferBox& whole) {
    constexpr int k_marks = 254;  // 0 and 255 are the alpha values of unmarked pixels
    mark_ = static_cast<std::uint8_t>(1 + mark_ % k_marks);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_TRUE);
    glClearColor(0, 0, 0, static_cast<float>(mark_) / 255);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glScissor(whole.width_px - 1, whole.height_px - 1, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

void FramePainter::draw_within(ImDrawData& frame, const FramebufferBox& cut) {
    glEnable(GL_SCISSOR_TEST);
    glScissor(cut.left, cut.below, cut.width_px, cut.height_px);
    clear();
    glDisable(GL_SCISSOR_TEST);
    take_commands(frame, cut);
    const OtherCommands those(frame, commands_);
    draw(frame);
}

/// Collects as few commands as possible that draw everything visible within a box.
void FramePainter::take_commands(const ImDrawData& frame, const FramebufferBox& cut) {
    commands_.resize(static_cast<std::size_t>(frame.CmdListsCount));
    for (ImVector<ImDrawCmd>& commands : commands_) commands.resize(0);
    pictures_.clear();
    const FramePiece* last = nullptr;
    for (const FramePiece& piece : changes_.pieces()) {
        if (intersection_of(piece.box, cut).is_empty()) continue;
        ImVector<ImDrawCmd>& commands = commands_[static_cast<std::size_t>(piece.list)];
        const bool goes_on = last != nullptr && last->list == piece.list && last->command == piece.command &&
                             piece.first_index - (last->first_index + last->index_count) <= k_most_between;
        last = &piece;
        if (!goes_on) commands.push_back(cut_command(frame, piece, cut));
        ImDrawCmd& command = commands.back();
        const unsigned begin = frame.CmdLists[piece.list]->CmdBuffer[piece.command].IdxOffset;
        command.ElemCount = begin + piece.first_index + piece.index_count - command.IdxOffset;
    }
}

/// Returns the piece's command, starting at the piece and clipped to a box.
ImDrawCmd FramePainter::cut_command(const ImDrawData& frame, const FramePiece& piece, const FramebufferBox& cut) {
    ImDrawCmd command = frame.CmdLists[piece.list]->CmdBuffer[piece.command];
    const FramebufferBox within = intersection_of(box_of_clip(frame, command.ClipRect), cut);
    if (is_picture_command(command)) {
        pictures_.push_back({&canvas_of(command), picture_place(frame, command), within});
        command.UserCallbackData = &pictures_.back();
        command.UserCallback = [](const ImDrawList*, const ImDrawCmd* drawn) {
            const auto& picture = *static_cast<const CutPicture*>(drawn->UserCallbackData);
            picture.canvas->copy_to_bound(picture.place.left, picture.place.below, picture.cut);
        };
    }
    command.ClipRect = clip_of_box(frame, within);
    command.IdxOffset += piece.first_index;
    return command;
}

void FramePainter::draw(ImDrawData& frame) {
    plain_fills_.use_in(frame);
    ImGui_ImplOpenGL3_RenderDrawData(&frame);
}

}  // namespace snapviewer
