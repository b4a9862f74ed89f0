#include "app/ui/frame_changes.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace snapviewer {
namespace {

/// The maximum number of boxes. Each box is drawn separately, which costs as much as drawing k_pixels_of_a_box pixels.
constexpr std::size_t k_most_boxes = 6;
constexpr std::int64_t k_pixels_of_a_box = 50'000;
/// Grid to which boxes are widened, so that the letters of one word fall into the same box.
constexpr int k_box_step_px = 16;

FramebufferBox widened(const FramebufferBox& box) {
    const auto down = [](int place) { return place / k_box_step_px * k_box_step_px; };
    const auto up = [&](int place) { return down(place + k_box_step_px - 1); };
    return {down(box.left), down(box.below), up(box.right()) - down(box.left), up(box.top()) - down(box.below)};
}

/// Number of additional pixels that are drawn if two boxes are merged.
std::int64_t growth(const FramebufferBox& a, const FramebufferBox& b) {
    return box_around(a, b).area_px() + intersection_of(a, b).area_px() - a.area_px() - b.area_px();
}

/// Merges the two boxes whose merge adds the fewest pixels, if it adds at most `most_growth`. Returns whether it merged any.
bool join_two(std::vector<FramebufferBox>& boxes, std::int64_t most_growth) {
    std::size_t best_a = 0, best_b = 0;
    std::int64_t least = most_growth;
    for (std::size_t a = 0; a < boxes.size(); ++a) {
        for (std::size_t b = a + 1; b < boxes.size(); ++b) {
            const std::int64_t more = growth(boxes[a], boxes[b]);
            if (more <= least) least = more, best_a = a, best_b = b;
        }
    }
    if (best_a == best_b) return false;
    boxes[best_a] = box_around(boxes[best_a], boxes[best_b]);
    boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(best_b));
    return true;
}

}  // namespace

const std::vector<FramebufferBox>& FrameChanges::take(std::vector<FramePiece>& pieces, const FramebufferBox& whole) {
    pieces_.swap(pieces);
    changed_.clear();
    if (std::exchange(has_seen_, true))
        compare(pieces);
    else
        changed_ = {whole};
    while (join_two(changed_, k_pixels_of_a_box)) {
    }
    for (FramebufferBox& box : changed_) box = intersection_of(box, whole);
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

void FrameChanges::add(const FramebufferBox& box) {
    if (std::ranges::any_of(changed_, [&](const FramebufferBox& held) { return held.contains(box); })) return;
    changed_.push_back(widened(box));
    if (changed_.size() > k_most_boxes) join_two(changed_, std::numeric_limits<std::int64_t>::max());
}

}  // namespace snapviewer
