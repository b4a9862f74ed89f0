#include "app/ui/still_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/hash.h"
#include "render/gl/framebuffer_binding_guard.h"
#include "render/software_driver.h"

namespace snapviewer {
namespace {

// What marks a part's first and last command. Where nobody looks for them they do nothing.
void mark_begin(const ImDrawList* /*list*/, const ImDrawCmd* /*command*/) {}
void mark_end(const ImDrawList* /*list*/, const ImDrawCmd* /*command*/) {}

/// ImGui hands a callback one pointer, which here is a number.
void* as_pointer(ImGuiID id) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(id)); }
ImGuiID as_id(const void* pointer) { return static_cast<ImGuiID>(reinterpret_cast<std::uintptr_t>(pointer)); }

std::uint64_t add_to(std::uint64_t hash, std::uint64_t value) { return mix_bits(hash * 0x9fb21c651e98df25ULL ^ value); }

/// Of everything that commands draw with: equal looks give equal pixels.
std::uint64_t look_of(const ImDrawList& list, int begin, int end) {
    unsigned first = std::numeric_limits<unsigned>::max(), last = 0;
    std::uint64_t look = 0;
    for (int i = begin; i < end; ++i) {
        const ImDrawCmd& command = list.CmdBuffer[i];
        const ImTextureID texture = command.TextureId;
        look = add_to(look, hash_bytes(&command.ClipRect, sizeof command.ClipRect));
        look = add_to(look, hash_bytes(&texture, sizeof texture));
        look = add_to(look, command.ElemCount);
        const ImDrawIdx* index = list.IdxBuffer.Data + command.IdxOffset;
        for (unsigned k = 0; k < command.ElemCount; ++k) {
            const unsigned vertex = index[k] + command.VtxOffset;
            first = std::min(first, vertex);
            last = std::max(last, vertex);
        }
    }
    if (first > last) return look;
    // The same triangles may have other numbers, after something else was drawn before them.
    for (int i = begin; i < end; ++i) {
        const ImDrawCmd& command = list.CmdBuffer[i];
        const ImDrawIdx* index = list.IdxBuffer.Data + command.IdxOffset;
        for (unsigned k = 0; k < command.ElemCount; ++k)
            look = (look ^ (index[k] + command.VtxOffset - first)) * 0x9fb21c651e98df25ULL;
    }
    return add_to(look, hash_bytes(list.VtxBuffer.Data + first, (last - first + 1) * sizeof(ImDrawVert)));
}

}  // namespace

StillPart::StillPart(ImDrawList* list, ImGuiID id, ImVec2 min, ImVec2 max) : list_(list), id_(id) {
    list_->PushClipRect(min, max, true);
    list_->AddCallback(mark_begin, as_pointer(id_));
}

StillPart::~StillPart() {
    list_->AddCallback(mark_end, as_pointer(id_));
    list_->PopClipRect();
}

StillParts::StillParts() : is_worth_it_(is_software_driver()) {}

void StillParts::use_in(const ImDrawData& frame) {
    if (!is_worth_it_) return;
    ++frame_;
    for (int i = 0; i < frame.CmdListsCount; ++i) {
        ImDrawList& list = *frame.CmdLists[i];
        int begin = -1;
        for (int at = 0; at < list.CmdBuffer.Size; ++at) {
            const ImDrawCmd& command = list.CmdBuffer[at];
            if (command.UserCallback == mark_begin) begin = at;
            if (command.UserCallback != mark_end || begin < 0) continue;
            Kept& part = parts_[as_id(command.UserCallbackData)];
            part.frame = frame_;
            const Box box = box_of(frame, command.ClipRect);
            if (part.box != box) part.is_kept = false;
            part.box = box;
            if (box.width_px > 0 && box.height_px > 0) use(part, list, begin, at);
            begin = -1;
        }
    }
    std::erase_if(parts_, [&](const auto& part) { return part.second.frame != frame_; });
}

std::size_t StillParts::kept() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(parts_, [](const auto& part) { return part.second.pixels.has_value(); }));
}

void StillParts::use(Kept& part, ImDrawList& list, int begin, int end) {
    const std::uint64_t look = look_of(list, begin + 1, end);
    const bool is_as_before = std::exchange(part.look, look) == look;
    if (!is_as_before) part.is_kept = false;
    if (part.is_kept) {
        for (int i = begin + 1; i < end; ++i) list.CmdBuffer[i].ElemCount = 0;
        list.CmdBuffer[begin].UserCallback = copy;
        list.CmdBuffer[begin].UserCallbackData = &part;
    } else if (is_as_before) {
        list.CmdBuffer[end].UserCallback = keep;
        list.CmdBuffer[end].UserCallbackData = &part;
    }
}

/// The pixels that a rectangle touches.
StillParts::Box StillParts::box_of(const ImDrawData& frame, const ImVec4& clip) {
    const ImVec2 scale = frame.FramebufferScale;
    const auto pixels = [](float length) { return static_cast<int>(length); };
    const int width = pixels(frame.DisplaySize.x * scale.x), height = pixels(frame.DisplaySize.y * scale.y);
    const int left = std::clamp(pixels(std::floor((clip.x - frame.DisplayPos.x) * scale.x)), 0, width);
    const int right = std::clamp(pixels(std::ceil((clip.z - frame.DisplayPos.x) * scale.x)), left, width);
    const int top = std::clamp(pixels(std::floor((clip.y - frame.DisplayPos.y) * scale.y)), 0, height);
    const int bottom = std::clamp(pixels(std::ceil((clip.w - frame.DisplayPos.y) * scale.y)), top, height);
    return {left, height - bottom, right - left, bottom - top};
}

void StillParts::keep(const ImDrawList* /*list*/, const ImDrawCmd* command) {
    Kept& part = *static_cast<Kept*>(command->UserCallbackData);
    const Box& box = part.box;
    if (!part.pixels || part.pixels->width_px() != box.width_px || part.pixels->height_px() != box.height_px) {
        const gl::FramebufferBindingGuard guard;
        auto made = OffscreenFramebuffer::create(box.width_px, box.height_px);
        part.pixels.reset();
        if (!made) return;  // then it is drawn in every frame
        part.pixels = std::move(made).value();
    }
    const gl::FramebufferBindingGuard guard;
    part.pixels->take_from_bound(box.left, box.below);
    part.is_kept = true;
}

void StillParts::copy(const ImDrawList* /*list*/, const ImDrawCmd* command) {
    const Kept& part = *static_cast<const Kept*>(command->UserCallbackData);
    const gl::FramebufferBindingGuard guard;
    part.pixels->copy_to_bound(part.box.left, part.box.below, part.box.width_px, part.box.height_px);
}

}  // namespace snapviewer
