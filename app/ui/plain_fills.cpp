#include "app/ui/plain_fills.h"

#include <algorithm>
#include <cmath>

#include "render/software_driver.h"

namespace snapviewer {
namespace {

/// Minimum area for a separate command; below it the command costs more than it saves.
constexpr float k_least_worth_it_px = 16'384;

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
    if (!is_software_driver()) return;
    if (auto made = PlainTriangles::create()) triangles_ = std::move(*made);
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
        if (kind == Kind::textured || std::min(area, room) < k_least_worth_it_px) continue;
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
    const ImVec2 origin = self.frame_->DisplayPos, scale = self.frame_->FramebufferScale;
    const ImVec2 min((command->ClipRect.x - origin.x) * scale.x, (command->ClipRect.y - origin.y) * scale.y);
    const ImVec2 max((command->ClipRect.z - origin.x) * scale.x, (command->ClipRect.w - origin.y) * scale.y);
    if (max.x <= min.x || max.y <= min.y) return;
    const float height_px = self.frame_->DisplaySize.y * scale.y;
    self.triangles_->draw({.lower_left_px = {static_cast<int>(min.x), static_cast<int>(height_px - max.y)},
                           .size_px = {static_cast<int>(max.x - min.x), static_cast<int>(max.y - min.y)},
                           .first_index = command->IdxOffset,
                           .index_bytes = sizeof(ImDrawIdx),
                           .index_count = command->ElemCount,
                           .first_vertex = command->VtxOffset,
                           .is_opaque = kind == Kind::opaque});
}

}  // namespace snapviewer
