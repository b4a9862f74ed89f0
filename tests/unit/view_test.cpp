#include "core/timeline/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace snapviewer {
namespace {

constexpr ViewLimits k_limits{.x_end = 1e6, .y_end = 178e9, .min_width = 4, .min_height = 64};

double share_x(const View& view, double x) { return (x - view.x_begin) / view.width(); }
double share_y(const View& view, double y) { return (y - view.y_begin) / view.height(); }

/// The fraction of the view that the picture covers on one axis.
double coverage(double begin, double end, double picture) {
    return (std::min(end, picture) - std::max(begin, 0.0)) / (end - begin);
}

TEST(View, FitShowsAllWithAirAbove) {
    const View view = fit_view(k_limits);
    EXPECT_EQ(view.x_begin, 0);
    EXPECT_EQ(view.y_begin, 0);
    EXPECT_EQ(view.x_end, 1e6);
    EXPECT_NEAR(view.y_end, 178e9 * 1.05, 1);
}

TEST(View, FitOfNextToNothingKeepsTheMinimum) {
    const View view = fit_view({.x_end = 1, .y_end = 0, .min_width = 4, .min_height = 64});
    EXPECT_EQ(view.width(), 4);
    EXPECT_EQ(view.height(), 64);
}

TEST(View, ZoomKeepsThePointUnderTheCursorAtEveryZoom) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int walk = 0; walk < 200; ++walk) {
        View view = fit_view(k_limits);
        const double x = 1e6 * uniform(random);
        const double y = 178e9 * uniform(random);
        const double at_x = share_x(view, x);
        const double at_y = share_y(view, y);
        for (int i = 0; i < 200; ++i) view = zoom_view(view, x, y, 0.8, 0.85, k_limits);  // far beyond the maximum zoom
        EXPECT_NEAR(view.width(), 4, 1e-8);
        EXPECT_NEAR(view.height(), 64, 1e-3);
        // At 178e9 a double resolves 3e-5 bytes, which is half a millionth of this window.
        EXPECT_NEAR(share_x(view, x), at_x, 1e-8);
        EXPECT_NEAR(share_y(view, y), at_y, 1e-5);
    }
}

TEST(View, ZoomOfOneAxisLeavesTheOtherUntouched) {
    const View view{100, 300, 5000, 9000};
    const View zoomed = zoom_view(view, 150, 6000, 0.5, 1, k_limits);
    EXPECT_EQ(zoomed, (View{125, 225, 5000, 9000}));
}

TEST(View, ZoomingOutEndsAtOneAndAHalfPictures) {
    View view{500, 600, 1e9, 2e9};
    for (int i = 0; i < 300; ++i) view = zoom_view(view, 550, 1.5e9, 1.3, 1.3, k_limits);
    EXPECT_NEAR(view.width(), 1.5e6, 1e-3);
    EXPECT_NEAR(view.height(), 1.5 * 178e9, 1);
    const View same = zoom_view(view, 900, 1e9, 1.3, 1.3, k_limits);
    EXPECT_EQ(same, view);
}

TEST(View, PanMovesAndNeverLosesThePicture) {
    EXPECT_EQ(pan_view({100, 300, 5000, 9000}, 25, -50, k_limits), (View{125, 325, 4950, 8950}));
    std::mt19937 random(12);
    std::uniform_real_distribution<double> shift(-3, 3);
    View view = fit_view(k_limits);
    for (int i = 0; i < 3000; ++i) {
        if (i % 5 == 0)
            view = zoom_view(view, view.x_begin, view.y_end, std::exp(shift(random)), std::exp(shift(random)), k_limits);
        const double width = view.width();
        view = pan_view(view, shift(random) * view.width(), shift(random) * view.height(), k_limits);
        EXPECT_NEAR(view.width() / width, 1, 1e-6);
        ASSERT_GE(coverage(view.x_begin, view.x_end, k_limits.x_end), 0.0999);
        ASSERT_GE(coverage(view.y_begin, view.y_end, k_limits.y_end), 0.0999);
    }
}

TEST(View, RevealLeavesAloneWhatIsVisible) {
    const View view{100, 300, 5000, 9000};
    EXPECT_EQ(reveal_in_view(view, {120, 180, 5500, 5600}, k_limits), view);
    EXPECT_EQ(reveal_in_view(view, view, k_limits), view);
}

TEST(View, RevealCentresPerAxisAndKeepsTheZoomIfItCan) {
    const View revealed = reveal_in_view({100, 300, 5000, 9000}, {1000, 1100, 6000, 6100}, k_limits);
    EXPECT_EQ(revealed, (View{950, 1150, 5000, 9000}));
}

TEST(View, RevealZoomsOutWhenItMust) {
    const View target{2000, 3000, 1e6, 2e6};
    const View revealed = reveal_in_view({100, 300, 5000, 9000}, target, k_limits);
    EXPECT_NEAR(revealed.width(), 1250, 1e-6);
    EXPECT_LT(revealed.x_begin, target.x_begin);
    EXPECT_GT(revealed.x_end, target.x_end);
    EXPECT_LT(revealed.y_begin, target.y_begin);
    EXPECT_GT(revealed.y_end, target.y_end);
    EXPECT_EQ(reveal_in_view(revealed, target, k_limits), revealed);
}

TEST(View, WhatIsAllowedIsNearWhatIsWanted) {
    const View inside{100, 300, 5000, 9000};
    EXPECT_EQ(allowed_view(inside, k_limits), inside);
    EXPECT_EQ(allowed_view(fit_view(k_limits), k_limits), fit_view(k_limits));
    EXPECT_EQ(allowed_view({199, 201, 6999, 7001}, k_limits), (View{198, 202, 6968, 7032}));
    for (const View& far :
         {View{1e30, 2e30, 1e30, 2e30}, View{-2e30, -1e30, -2e30, -1e30}, View{-1e30, 1e30, -1e30, 1e30}}) {
        const View view = allowed_view(far, k_limits);
        EXPECT_LE(view.width(), 2 * k_limits.x_end);
        EXPECT_GE(coverage(view.x_begin, view.x_end, k_limits.x_end), 0.0999);
        EXPECT_GE(coverage(view.y_begin, view.y_end, k_limits.y_end), 0.0999);
    }
}

}  // namespace
}  // namespace snapviewer
