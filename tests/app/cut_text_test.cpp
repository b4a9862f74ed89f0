#include "app/ui/drawn_text.h"

#include <gtest/gtest.h>

namespace snapviewer {
namespace {

TEST(CutText, ATextUnderAPlaceStaysWithinItsRoom) {
    EXPECT_EQ(text_left(50, 20, 0, 100), 40);
    EXPECT_EQ(text_left(5, 20, 0, 100), 0);
    EXPECT_EQ(text_left(95, 20, 0, 100), 80);
}

TEST(CutText, ATextWiderThanItsRoomBeginsWhereThatBegins) {
    EXPECT_EQ(text_left(50, 20, 45, 55), 45);
    EXPECT_EQ(text_left(0, 20, 45, 44), 45);
}

}  // namespace
}  // namespace snapviewer
