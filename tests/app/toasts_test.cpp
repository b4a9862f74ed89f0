#include "app/ui/toasts.h"

#include <gtest/gtest.h>

namespace snapviewer::toasts_test {
namespace {

using namespace std::chrono_literals;

TEST(Toasts, GoByThemselves) {
    const Toasts::Clock::time_point begin{};
    Toasts toasts;
    toasts.say("copied", begin);
    toasts.say("saved", begin + 3s);
    toasts.update(begin + 3900ms);
    ASSERT_EQ(toasts.shown().size(), 2U);
    EXPECT_FALSE(toasts.is_fading(begin + 3900ms)) << "nothing has to be drawn while both are there";
    EXPECT_TRUE(toasts.is_fading(begin + 4200ms));
    const float half_way = Toasts::opacity(toasts.shown().front(), begin + 4200ms);
    EXPECT_NEAR(half_way, 0.5F, 0.01F);
    toasts.update(begin + 5s);
    ASSERT_EQ(toasts.shown().size(), 1U);
    EXPECT_EQ(toasts.shown().front().text, "saved");
    EXPECT_FALSE(toasts.is_fading(begin + 5s));
    EXPECT_TRUE(toasts.is_fading(begin + 60s)) << "so that a window that slept takes it away";
    toasts.update(begin + 60s);
    EXPECT_TRUE(toasts.shown().empty());
    EXPECT_FALSE(toasts.is_fading(begin + 60s));
}

TEST(Toasts, AreFewAndNotTwiceTheSame) {
    Toasts toasts;
    for (const char* text : {"a", "b", "c", "b", "d"}) toasts.say(text);
    std::string shown;
    for (const Toasts::Toast& toast : toasts.shown()) shown += toast.text;
    EXPECT_EQ(shown, "cbd");
}

}  // namespace
}  // namespace snapviewer::toasts_test
