#include "app/ui/tooltip.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace snapviewer::tooltip_test {
namespace {

const PixelBox k_picture{{100, 50}, {1100, 650}};
const ImVec2 k_size(300, 120);

bool overlaps(ImVec2 pos, const PixelBox& box) {
    return pos.x < box.max.x && pos.x + k_size.x > box.min.x && pos.y < box.max.y && pos.y + k_size.y > box.min.y;
}

bool is_inside(ImVec2 pos) { return pos.x >= 100 && pos.y >= 50 && pos.x + k_size.x <= 1100 && pos.y + k_size.y <= 650; }

/// Tests blocks of every size at every place that leaves room on at least one side.
TEST(TooltipPlace, IsInThePictureAndNotOnWhatItDescribes) {
    for (float left = 100; left < 1100; left += 90) {
        for (float top = 50; top < 650; top += 70) {
            for (const ImVec2 extent : {ImVec2(4, 4), ImVec2(600, 40), ImVec2(30, 500), ImVec2(1000, 100)}) {
                const PixelBox block{{left, top}, {std::min(left + extent.x, 1100.F), std::min(top + extent.y, 650.F)}};
                for (const float share : {0.1F, 0.5F, 0.9F}) {
                    const ImVec2 mouse(block.min.x + share * (block.max.x - block.min.x),
                                       block.min.y + share * (block.max.y - block.min.y));
                    const ImVec2 pos = place_tooltip(k_size, block, k_picture, mouse, 12);
                    EXPECT_TRUE(is_inside(pos)) << left << ' ' << top;
                    EXPECT_FALSE(overlaps(pos, block)) << left << ' ' << top << ' ' << extent.x << ' ' << share;
                    EXPECT_FALSE(overlaps(pos, {mouse, {mouse.x + 1, mouse.y + 1}}));
                }
            }
        }
    }
}

TEST(TooltipPlace, LeavesTheMouseFreeWhereABlockFillsThePicture) {
    for (float x = 101; x < 1100; x += 49) {
        const ImVec2 mouse(x, 330);
        const ImVec2 pos = place_tooltip(k_size, k_picture, k_picture, mouse, 12);
        EXPECT_TRUE(is_inside(pos));
        EXPECT_FALSE(overlaps(pos, {mouse, {mouse.x + 1, mouse.y + 1}}));
    }
}

/// Tests a row together with the rest of its list below it.
TEST(TooltipPlace, OfARowIsBesideItsListElseAboveTheRow) {
    const ImVec2 left = place_tooltip(k_size, {{800, 200}, {1100, 650}}, k_picture, {900, 210}, 12, true);
    EXPECT_EQ(left.x, 800 - 12 - 300);
    EXPECT_GE(left.y, 210);
    const ImVec2 right = place_tooltip(k_size, {{100, 200}, {400, 650}}, k_picture, {200, 210}, 12, true);
    EXPECT_EQ(right.x, 412);
    const ImVec2 above = place_tooltip(k_size, {{100, 300}, {1100, 650}}, k_picture, {600, 310}, 12, true);
    EXPECT_EQ(above.y, 300 - 12 - 120);
}

}  // namespace
}  // namespace snapviewer::tooltip_test
