#include "app/ui/frame_changes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "app/ui/frame_painter.h"
#include "core/base/hash.h"

namespace snapviewer {
namespace {

std::uint64_t add_to(std::uint64_t hash, std::uint64_t value) { return mix_bits(hash * 0x9fb21c651e98df25ULL ^ value); }

struct Bounds {
    ImVec2 min, max;

    explicit Bounds(ImVec2 first) : min(first), max(first) {}
    void add(ImVec2 pos) {
        min = {std::min(min.x, pos.x), std::min(min.y, pos.y)};
        max = {std::max(max.x, pos.x), std::max(max.y, pos.y)};
    }
};

/// The framebuffer pixels whose centres lie within the bounds.
render::FramebufferBox box_of_bounds(const ImDrawData& frame, const Bounds& bounds) {
    const ImVec2 origin = frame.DisplayPos, scale = frame.FramebufferScale;
    const render::FramebufferBox whole = whole_box(frame);
    // Clamps first, because coordinates far outside exceed the range of int.
    const auto pixel = [](float place, int most) {
        return static_cast<int>(std::clamp(place, -1.0F, static_cast<float>(most) + 1));
    };
    const int left = pixel(std::floor((bounds.min.x - origin.x) * scale.x), whole.width_px);
    const int right = pixel(std::ceil((bounds.max.x - origin.x) * scale.x), whole.width_px);
    const int above = pixel(std::floor((bounds.min.y - origin.y) * scale.y), whole.height_px);
    const int bottom = pixel(std::ceil((bounds.max.y - origin.y) * scale.y), whole.height_px);
    return {left, whole.height_px - bottom, right - left, bottom - above};
}

class PieceFinder {
public:
    PieceFinder(const ImDrawData& frame, std::vector<FramePiece>& pieces) : frame_(frame), pieces_(pieces) {}

    void find_in(int number) {
        const ImDrawList& list = *frame_.CmdLists[number];
        vertex_looks_.clear();
        for (const ImDrawVert& vertex : list.VtxBuffer) vertex_looks_.push_back(hash_bytes(&vertex, sizeof vertex));
        for (int i = 0; i < list.CmdBuffer.Size; ++i) {
            const ImDrawCmd& command = list.CmdBuffer[i];
            const render::FramebufferBox clip = box_of_clip(frame_, command.ClipRect);
            const FramePiece piece{look_of(command, clip), clip, number, i, 0, 0};
            if (clip.is_empty() || command.UserCallback == ImDrawCallback_ResetRenderState) continue;
            if (command.UserCallback != nullptr)
                pieces_.push_back(piece);
            else
                find_triangles(list, command, piece);
        }
    }

private:
    /// Hash of everything that all triangles of a command have in common.
    std::uint64_t look_of(const ImDrawCmd& command, const render::FramebufferBox& clip) const {
        std::uint64_t look = hash_bytes(&clip, sizeof clip);
        if (command.UserCallback == nullptr) return add_to(look, hash_bytes(&command.TextureId, sizeof command.TextureId));
        if (!is_picture_command(command)) return add_to(look, static_cast<std::uint64_t>(ImGui::GetFrameCount()));
        const render::FramebufferBox place = picture_place(frame_, command);
        return add_to(add_to(look, hash_bytes(&place, sizeof place)), canvas_of(command).picture_id());
    }

    void find_triangles(const ImDrawList& list, const ImDrawCmd& command, const FramePiece& of_command) {
        const std::span indices(list.IdxBuffer.Data + command.IdxOffset, command.ElemCount);
        for (unsigned at = 0; at + 3 <= indices.size();) {
            const bool is_rectangle =
                at + 6 <= indices.size() && indices[at + 3] == indices[at] && indices[at + 4] == indices[at + 2];
            FramePiece piece = of_command;
            piece.first_index = at;
            piece.index_count = is_rectangle ? 6 : 3;
            const std::array<unsigned, 4> corners = {indices[at], indices[at + 1], indices[at + 2],
                                                     indices[is_rectangle ? at + 5 : at]};
            at += piece.index_count;
            Bounds bounds(list.VtxBuffer[static_cast<int>(corners[0] + command.VtxOffset)].pos);
            for (const unsigned corner : corners) {
                const unsigned vertex = corner + command.VtxOffset;
                bounds.add(list.VtxBuffer[static_cast<int>(vertex)].pos);
                piece.look = (piece.look ^ vertex_looks_[vertex]) * 0x9fb21c651e98df25ULL;
            }
            piece.look = mix_bits(piece.look);
            piece.box = render::intersection_of(of_command.box, box_of_bounds(frame_, bounds));
            if (!piece.box.is_empty()) pieces_.push_back(piece);
        }
    }

    const ImDrawData& frame_;
    std::vector<FramePiece>& pieces_;
    std::vector<std::uint64_t> vertex_looks_;  ///< Hashes of the current list's vertices
};

}  // namespace

render::FramebufferBox whole_box(const ImDrawData& frame) {
    return {0, 0, static_cast<int>(frame.DisplaySize.x * frame.FramebufferScale.x),
            static_cast<int>(frame.DisplaySize.y * frame.FramebufferScale.y)};
}

render::FramebufferBox box_of_clip(const ImDrawData& frame, const ImVec4& clip) {
    const ImVec2 origin = frame.DisplayPos, scale = frame.FramebufferScale;
    const render::FramebufferBox whole = whole_box(frame);
    const ImVec2 min((clip.x - origin.x) * scale.x, (clip.y - origin.y) * scale.y);
    const ImVec2 max((clip.z - origin.x) * scale.x, (clip.w - origin.y) * scale.y);
    return render::intersection_of(whole,
                                   {static_cast<int>(min.x), static_cast<int>(static_cast<float>(whole.height_px) - max.y),
                                    static_cast<int>(max.x - min.x), static_cast<int>(max.y - min.y)});
}

ImVec4 clip_of_box(const ImDrawData& frame, const render::FramebufferBox& box) {
    // The backend truncates the fractions, which here are large enough to absorb rounding errors of floats.
    const ImVec2 origin = frame.DisplayPos, scale = frame.FramebufferScale;
    const float left = static_cast<float>(box.left) + 0.25F, right = static_cast<float>(box.right()) + 0.5F;
    const float bottom = static_cast<float>(whole_box(frame).height_px - box.below) - 0.25F;
    const float top = bottom - static_cast<float>(box.height_px) - 0.25F;
    return {left / scale.x + origin.x, top / scale.y + origin.y, right / scale.x + origin.x, bottom / scale.y + origin.y};
}

void find_pieces(const ImDrawData& frame, std::vector<FramePiece>& pieces) {
    pieces.clear();
    PieceFinder finder(frame, pieces);
    for (int i = 0; i < frame.CmdListsCount; ++i) finder.find_in(i);
}

namespace {

/// The maximum number of boxes. Each box is drawn separately, which costs as much as drawing k_pixels_of_a_box pixels.
constexpr std::size_t k_max_boxes = 6;
constexpr std::int64_t k_pixels_of_a_box = 50'000;
/// Grid to which boxes are widened, so that the letters of one word fall into the same box.
constexpr int k_box_step_px = 16;

render::FramebufferBox widened(const render::FramebufferBox& box) {
    const auto down = [](int place) { return place / k_box_step_px * k_box_step_px; };
    const auto up = [&](int place) { return down(place + k_box_step_px - 1); };
    return {down(box.left), down(box.below), up(box.right()) - down(box.left), up(box.top()) - down(box.below)};
}

/// Number of additional pixels that are drawn if two boxes are merged.
std::int64_t pixels_added_by_merging(const render::FramebufferBox& a, const render::FramebufferBox& b) {
    return render::box_around(a, b).area_px() + render::intersection_of(a, b).area_px() - a.area_px() - b.area_px();
}

/// Merges the two boxes whose merge adds the fewest pixels, if it adds at most `most_growth`. Returns whether it merged any.
bool join_two(std::vector<render::FramebufferBox>& boxes, std::int64_t most_growth) {
    std::size_t best_a = 0, best_b = 0;
    std::int64_t least = most_growth;
    for (std::size_t a = 0; a < boxes.size(); ++a) {
        for (std::size_t b = a + 1; b < boxes.size(); ++b) {
            const std::int64_t more = pixels_added_by_merging(boxes[a], boxes[b]);
            if (more <= least) least = more, best_a = a, best_b = b;
        }
    }
    if (best_a == best_b) return false;
    boxes[best_a] = render::box_around(boxes[best_a], boxes[best_b]);
    boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(best_b));
    return true;
}

}  // namespace

const std::vector<render::FramebufferBox>& FrameChanges::take(std::vector<FramePiece>& pieces,
                                                              const render::FramebufferBox& whole) {
    pieces_.swap(pieces);
    changed_.clear();
    if (std::exchange(has_seen_, true))
        compare(pieces);
    else
        changed_ = {whole};
    while (join_two(changed_, k_pixels_of_a_box)) {
    }
    for (render::FramebufferBox& box : changed_) box = render::intersection_of(box, whole);
    return changed_;
}

void FrameChanges::compare(const std::vector<FramePiece>& before) {
    const std::size_t most = std::min(before.size(), pieces_.size());
    std::size_t begin = 0;
    while (begin < most && before[begin].look == pieces_[begin].look) ++begin;
    std::size_t end_before = before.size(), end_now = pieces_.size();
    while (end_before > begin && end_now > begin && before[end_before - 1].look == pieces_[end_now - 1].look)
        --end_before, --end_now;
    match(before, begin, end_before, end_now);
}

/// Matches pieces of this frame, in order, with identical pieces of the last frame; each match lies after the previous one.
/// The unmatched pieces have changed. Matched pieces keep their order, so pixels that no unmatched piece touches have not
/// changed.
void FrameChanges::match(const std::vector<FramePiece>& before, std::size_t begin, std::size_t end_before,
                         std::size_t end_now) {
    constexpr std::uint32_t k_free = std::numeric_limits<std::uint32_t>::max();
    const std::size_t mask = std::bit_ceil(2 * (end_before - begin) + 1) - 1;
    table_.assign(mask + 1, k_free);
    for (std::size_t i = begin; i < end_before; ++i) {
        std::size_t slot = before[i].look & mask;
        while (table_[slot] != k_free) slot = (slot + 1) & mask;
        table_[slot] = static_cast<std::uint32_t>(i);
    }
    std::size_t next = begin;
    for (std::size_t i = begin; i < end_now; ++i) {
        std::size_t slot = pieces_[i].look & mask;
        while (table_[slot] != k_free && (before[table_[slot]].look != pieces_[i].look || table_[slot] < next))
            slot = (slot + 1) & mask;
        if (table_[slot] == k_free) {
            add(pieces_[i].box);
            continue;
        }
        for (; next < table_[slot]; ++next) add(before[next].box);
        ++next;
    }
    for (; next < end_before; ++next) add(before[next].box);
}

void FrameChanges::add(const render::FramebufferBox& box) {
    if (std::ranges::any_of(changed_, [&](const render::FramebufferBox& held) { return held.contains(box); })) return;
    changed_.push_back(widened(box));
    if (changed_.size() > k_max_boxes) join_two(changed_, std::numeric_limits<std::int64_t>::max());
}

}  // namespace snapviewer
