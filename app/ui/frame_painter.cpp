#include "app/ui/frame_painter.h"

#include <glad/gl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <utility>

#include "app/ui/fonts.h"
#include "app/ui/imgui_backends.h"
#include "app/ui/theme.h"
#include "render/gl/program.h"

namespace snapviewer {
namespace {

/// Draw callback that copies the picture to the rectangle to which its command is clipped.
void copy_whole_picture(const ImDrawList* /*list*/, const ImDrawCmd* command) {
    const render::FramebufferBox place = picture_place(*ImGui::GetDrawData(), *command);
    canvas_of(*command).copy_to_bound(place.left, place.below, place);
}

}  // namespace

void add_picture_command(ImDrawList* list, const render::TimelineCanvas& canvas, ImVec2 min, ImVec2 max) {
    list->PushClipRect(min, max);
    // const_cast: ImGui only passes the pointer back
    list->AddCallback(copy_whole_picture, const_cast<render::TimelineCanvas*>(&canvas));
    list->PopClipRect();
}

bool is_picture_command(const ImDrawCmd& command) { return command.UserCallback == copy_whole_picture; }

const render::TimelineCanvas& canvas_of(const ImDrawCmd& command) {
    return *static_cast<const render::TimelineCanvas*>(command.UserCallbackData);
}

render::FramebufferBox picture_place(const ImDrawData& frame, const ImDrawCmd& command) {
    const ImVec2 origin = frame.DisplayPos, scale = frame.FramebufferScale;
    const auto pixels = [](float length) { return static_cast<int>(std::lround(length)); };
    const ImVec4& clip = command.ClipRect;
    return {pixels((clip.x - origin.x) * scale.x), pixels((frame.DisplaySize.y - (clip.w - origin.y)) * scale.y),
            pixels((clip.z - clip.x) * scale.x), pixels((clip.w - clip.y) * scale.y)};
}

namespace {

/// Minimum area for a separate command; below it the command costs more than it saves.
constexpr float k_min_worth_it_px = 16'384;

const ImDrawVert& vertex_at(const ImDrawList& list, const ImDrawCmd& command, unsigned at) {
    return list.VtxBuffer[static_cast<int>(list.IdxBuffer[static_cast<int>(command.IdxOffset + at)] + command.VtxOffset)];
}

float area_of(const ImDrawList& list, const ImDrawCmd& command, unsigned at) {
    const ImVec2 a = vertex_at(list, command, at).pos, b = vertex_at(list, command, at + 1).pos,
                 c = vertex_at(list, command, at + 2).pos;
    return std::abs((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y)) / 2;
}

bool is_opaque(ImU32 colour) { return (colour & IM_COL32_A_MASK) == IM_COL32_A_MASK; }

}  // namespace

PlainFills::PlainFills() {
    if (!render::is_software_driver()) return;
    if (auto made = render::PlainTriangles::create()) triangles_ = std::move(*made);
}

void PlainFills::use_in(ImDrawData& frame) {
    if (!triangles_ || frame.DisplaySize.x <= 0 || frame.DisplaySize.y <= 0) return;
    frame_ = &frame;
    triangles_->show({frame.DisplayPos.x, frame.DisplayPos.y}, {frame.DisplaySize.x, frame.DisplaySize.y});
    for (int i = 0; i < frame.CmdListsCount; ++i) {
        ImDrawList& list = *frame.CmdLists[i];
        commands_.clear();
        for (const ImDrawCmd& command : list.CmdBuffer) {
            if (command.UserCallback == nullptr && command.TextureId == ImGui::GetIO().Fonts->TexID)
                split(list, command);
            else
                commands_.push_back(command);
        }
        list.CmdBuffer.resize(static_cast<int>(commands_.size()));
        std::ranges::copy(commands_, list.CmdBuffer.begin());
    }
}

/// Splits a command into as few commands as possible in the same order, with separate commands for large areas of one
/// colour.
void PlainFills::split(const ImDrawList& list, const ImDrawCmd& command) {
    const float room =
        std::max(0.0F, command.ClipRect.z - command.ClipRect.x) * std::max(0.0F, command.ClipRect.w - command.ClipRect.y);
    unsigned first = 0;
    for (unsigned at = 0; at < command.ElemCount;) {
        const Kind kind = kind_of(list, command, at);
        const unsigned begin = at;
        float area = 0;
        for (; at < command.ElemCount && kind_of(list, command, at) == kind; at += 3) area += area_of(list, command, at);
        if (kind == Kind::textured || std::min(area, room) < k_min_worth_it_px) continue;
        add(command, first, begin, Kind::textured);
        add(command, begin, at, kind);
        first = at;
    }
    add(command, first, command.ElemCount, Kind::textured);
}

/// Adds a part of a command: the indices from `begin` to `end`.
void PlainFills::add(const ImDrawCmd& command, unsigned begin, unsigned end, Kind kind) {
    if (begin == end) return;
    ImDrawCmd part = command;
    part.IdxOffset += begin;
    part.ElemCount = end - begin;
    if (kind != Kind::textured) {
        part.UserCallback = kind == Kind::opaque ? fill<Kind::opaque> : fill<Kind::see_through>;
        part.UserCallbackData = this;
    }
    commands_.push_back(part);
}

/// Classifies the triangle whose first index is at `at`.
PlainFills::Kind PlainFills::kind_of(const ImDrawList& list, const ImDrawCmd& command, unsigned at) const {
    const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
    Kind kind = Kind::opaque;
    for (unsigned i = at; i < at + 3; ++i) {
        const ImDrawVert& vertex = vertex_at(list, command, i);
        if (vertex.uv.x != white.x || vertex.uv.y != white.y) return Kind::textured;
        if (!is_opaque(vertex.col)) kind = Kind::see_through;
    }
    return kind;
}

/// Draw callback that does the same as ImGui's own renderer, but without a texture.
template <PlainFills::Kind kind>
void PlainFills::fill(const ImDrawList* /*list*/, const ImDrawCmd* command) {
    const auto& self = *static_cast<const PlainFills*>(command->UserCallbackData);
    const render::FramebufferBox clip = box_of_clip(*self.frame_, command->ClipRect);
    if (clip.is_empty()) return;
    self.triangles_->draw({.lower_left_px = {clip.left, clip.below},
                           .size_px = {clip.width_px, clip.height_px},
                           .first_index = command->IdxOffset,
                           .index_bytes = sizeof(ImDrawIdx),
                           .index_count = command->ElemCount,
                           .first_vertex = command->VtxOffset,
                           .is_opaque = kind == Kind::opaque});
}

namespace {

/// Drawing this many indices outside the box costs less than splitting the command in two.
constexpr unsigned k_max_indices_between = 120;

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

FramePainter::FramePainter() : is_worth_it_(render::is_software_driver()) {}

void FramePainter::paint(int width_px, int height_px, Pixels pixels) {
    glViewport(0, 0, width_px, height_px);
    ImDrawData& frame = *ImGui::GetDrawData();
    const render::FramebufferBox whole{0, 0, width_px, height_px};
    if (!is_worth_it_ || whole.is_empty() || whole_box(frame) != whole) {
        changes_.forget();
        clear();
        draw(frame);
        return;
    }
    if (!std::exchange(is_warm_, true)) warm_up(frame);
    if (pixels == Pixels::are_lost || (pixels == Pixels::may_be_kept && !is_marked(whole))) changes_.forget();
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

void FramePainter::draw_changes(ImDrawData& frame, const render::FramebufferBox& whole) {
    Surroundings around{0, whole.width_px, whole.height_px, palette().window, fonts_version()};
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &around.framebuffer);
    if (std::exchange(around_, around) != around) changes_.forget();
    find_pieces(frame, found_);
    for (const render::FramebufferBox& cut : changes_.take(found_, whole)) draw_within(frame, cut);
}

/// True if two opposite corners have the mark of the last frame. They do not if another frame was drawn since, if this is
/// another of several alternating buffers, or if the size has changed. A framebuffer without an alpha channel is never
/// marked.
bool FramePainter::is_marked(const render::FramebufferBox& whole) const {
    const auto alpha_of = [](int x, int y) {
        std::array<std::uint8_t, 4> pixel{};
        glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel.data());
        return pixel[3];
    };
    return mark_ != 0 && alpha_of(0, 0) == mark_ && alpha_of(whole.width_px - 1, whole.height_px - 1) == mark_;
}

void FramePainter::mark(const render::FramebufferBox& whole) {
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

void FramePainter::draw_within(ImDrawData& frame, const render::FramebufferBox& cut) {
    glEnable(GL_SCISSOR_TEST);
    glScissor(cut.left, cut.below, cut.width_px, cut.height_px);
    clear();
    glDisable(GL_SCISSOR_TEST);
    take_commands(frame, cut);
    const OtherCommands those(frame, commands_);
    draw(frame);
}

/// Collects as few commands as possible that draw everything visible within a box.
void FramePainter::take_commands(const ImDrawData& frame, const render::FramebufferBox& cut) {
    commands_.resize(static_cast<std::size_t>(frame.CmdListsCount));
    for (ImVector<ImDrawCmd>& commands : commands_) commands.resize(0);
    pictures_.clear();
    const FramePiece* last = nullptr;
    for (const FramePiece& piece : changes_.pieces()) {
        if (render::intersection_of(piece.box, cut).is_empty()) continue;
        ImVector<ImDrawCmd>& commands = commands_[static_cast<std::size_t>(piece.list)];
        const bool goes_on = last != nullptr && last->list == piece.list && last->command == piece.command &&
                             piece.first_index - (last->first_index + last->index_count) <= k_max_indices_between;
        last = &piece;
        if (!goes_on) commands.push_back(cut_command(frame, piece, cut));
        ImDrawCmd& command = commands.back();
        const unsigned begin = frame.CmdLists[piece.list]->CmdBuffer[piece.command].IdxOffset;
        command.ElemCount = begin + piece.first_index + piece.index_count - command.IdxOffset;
    }
}

/// Returns the piece's command, starting at the piece and clipped to a box.
ImDrawCmd FramePainter::cut_command(const ImDrawData& frame, const FramePiece& piece, const render::FramebufferBox& cut) {
    ImDrawCmd command = frame.CmdLists[piece.list]->CmdBuffer[piece.command];
    const render::FramebufferBox within = render::intersection_of(box_of_clip(frame, command.ClipRect), cut);
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
