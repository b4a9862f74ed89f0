#include "app/features/reports/icicle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace snapviewer {
namespace {

const IcicleTitle k_title{"any", "milliseconds", Unit::milliseconds};

/// An icicle with one operation per line, so that each has its own bar below a single root.
stacks::Icicle row_of(const std::vector<double>& widths) {
    std::vector<IcicleEntry> entries;
    for (std::uint32_t i = 0; i < widths.size(); ++i)
        entries.push_back({{{"net.py", i + 1}}, "op", widths[i], IcicleGroup::forward, i});
    return stacks::build_icicle({k_title, IcicleLayout::in_order}, entries);
}

std::vector<double> narrow_around_a_wide_one() {
    std::vector<double> widths(1001, 0.01);
    widths[500] = 10;
    return widths;
}

TEST(IcicleBarsTest, NeighboursUnderAPixelAreDrawnTogether) {
    const stacks::Icicle icicle = row_of(narrow_around_a_wide_one());
    // 20 ms on 100 pixels: each bar has a twentieth of a pixel.
    const auto bars = reports::visible_bars(icicle, 1, reports::whole_icicle(icicle), 100);
    ASSERT_EQ(bars.size(), 3U);
    EXPECT_TRUE(bars[0].is_run());
    EXPECT_FALSE(bars[1].is_run());
    EXPECT_EQ(reports::entries_in(icicle, bars[0]), 500U);
    EXPECT_EQ(reports::entries_in(icicle, bars[2]), 500U);
    EXPECT_NEAR(bars[1].x_begin, 5, 1e-9);
    EXPECT_NEAR(bars[1].x_end, 15, 1e-9);
    EXPECT_EQ(reports::bar_text(icicle, bars[0]), "... 500 operations");
}

TEST(IcicleBarsTest, NearerEachIsABarOfItsOwn) {
    const stacks::Icicle icicle = row_of(narrow_around_a_wide_one());
    // From the centre of the 101st narrow bar to the centre of the 104th: four bars, two of them cut off.
    const auto bars = reports::visible_bars(icicle, 1, {1.005, 1.035, 0}, 300);
    ASSERT_EQ(bars.size(), 4U);
    for (const reports::IcicleBar& bar : bars) EXPECT_FALSE(bar.is_run());
    EXPECT_EQ(bars[0].first_node, icicle.level_begin(1) + 100);
}

TEST(IcicleBarsTest, WhateverTheViewNothingIsLostOrTwice) {
    std::mt19937 random(7);
    const auto number = [&random] { return std::generate_canonical<double, 32>(random); };
    for (int round = 0; round < 40; ++round) {
        std::vector<double> widths;
        for (int i = 0; i < 300; ++i) widths.push_back(std::pow(number(), 8) + 1e-4);
        const stacks::Icicle icicle = row_of(widths);
        const reports::IcicleWindow window =
            reports::zoom_icicle(icicle, reports::whole_icicle(icicle), number() * icicle.total, number());
        const double px = 200 / window.width();
        std::uint32_t next = 0;
        for (const reports::IcicleBar& bar : reports::visible_bars(icicle, 1, window, 200)) {
            EXPECT_GE(bar.first_node, next) << "from left to right";
            for (std::uint32_t node = std::max(next, icicle.level_begin(1)); next != 0 && node < bar.first_node; ++node)
                ADD_FAILURE() << "bar " << node << " is left out";
            for (std::uint32_t node = bar.first_node; bar.is_run() && node <= bar.last_node; ++node)
                EXPECT_LT(icicle.nodes[node].width * px, 1) << "wide enough to be seen alone";
            EXPECT_EQ(bar.x_begin, icicle.nodes[bar.first_node].start);
            EXPECT_EQ(bar.x_end, icicle.nodes[bar.last_node].end());
            next = bar.last_node + 1;
        }
        for (std::uint32_t node = icicle.level_begin(1); node < icicle.level_ends[1]; ++node) {
            const bool is_in_view = icicle.nodes[node].end() > window.x_begin && icicle.nodes[node].start < window.x_end;
            EXPECT_TRUE(!is_in_view || node < next) << "the last one in view is drawn";
        }
    }
}

TEST(IcicleBarsTest, ZoomKeepsThePlaceAndEndsAtTheEdges) {
    const stacks::Icicle icicle = row_of({4, 6});
    const reports::IcicleWindow whole = reports::whole_icicle(icicle);
    EXPECT_EQ(whole, (reports::IcicleWindow{0, 10, 0}));
    EXPECT_EQ(reports::zoom_icicle(icicle, whole, 4, 0.5), (reports::IcicleWindow{2, 7, 0}));
    EXPECT_EQ(reports::zoom_icicle(icicle, {2, 7, 0}, 4, 100), whole);
    EXPECT_EQ(reports::zoom_icicle(icicle, {8, 10, 0}, 10, 2), (reports::IcicleWindow{6, 10, 0}));
    EXPECT_GT(reports::zoom_icicle(icicle, whole, 3, 0).width(), 0);
    EXPECT_EQ(reports::whole_icicle(stacks::Icicle{}).width(), 1) << "nothing can still be looked at";
}

TEST(IcicleBarsTest, PanStopsAtTheEdges) {
    const stacks::Icicle icicle = row_of({4, 6});
    ASSERT_EQ(icicle.depth_count(), 3U) << "a root, lines, operations";
    EXPECT_EQ(reports::pan_icicle(icicle, {2, 4, 0}, 3, 0, 10), (reports::IcicleWindow{5, 7, 0}));
    EXPECT_EQ(reports::pan_icicle(icicle, {2, 4, 0}, 50, 0, 10), (reports::IcicleWindow{8, 10, 0}));
    EXPECT_EQ(reports::pan_icicle(icicle, {2, 4, 0}, -50, 9, 2), (reports::IcicleWindow{0, 2, 1}))
        << "two of three rows fit: one to scroll";
    EXPECT_EQ(reports::pan_icicle(icicle, {2, 4, 1}, 0, -9, 2).top_row, 0);
}

TEST(IcicleBarsTest, Texts) {
    EXPECT_EQ(reports::amount_text(Unit::milliseconds, 0.0005), "500 ns");
    EXPECT_EQ(reports::amount_text(Unit::milliseconds, 0.25), "250 us");
    EXPECT_EQ(reports::amount_text(Unit::milliseconds, 1.239), "1.24 ms");
    EXPECT_EQ(reports::amount_text(Unit::milliseconds, 2500), "2.50 s");
    EXPECT_EQ(reports::amount_text(Unit::bytes, 1536), "1.5 KiB");
    EXPECT_EQ(reports::amount_text(Unit::bytes, -5), reports::amount_text(Unit::bytes, 0));
    EXPECT_EQ(reports::share_text(1, 8), "12.5 %");
    EXPECT_EQ(reports::share_text(5, 0), "0.0 %");

    const std::vector<IcicleEntry> entries = {{{{"net/a.py", 3}}, "linear", 2, IcicleGroup::forward, 0},
                                              {{{"net/a.py", 3}}, "linear", 4, IcicleGroup::backward, 0}};
    const stacks::Icicle icicle = stacks::build_icicle({k_title, IcicleLayout::in_order}, entries);
    EXPECT_EQ(reports::totals_text(icicle),
              "Forward 2.00 ms  ·  Backward 4.00 ms  ·  sum 6.00 ms  ·  backward/forward 2.00");
    EXPECT_EQ(reports::totals_text(stacks::Icicle{}), "");
    const auto text = [&](std::uint32_t node) { return reports::bar_text(icicle, {node, node, 0, 1}); };
    EXPECT_EQ(text(0), "Forward  2.00 ms");
    EXPECT_EQ(text(icicle.level_begin(1)), "a.py:3");
    EXPECT_EQ(text(icicle.level_begin(2)), "linear  2.00 ms");
    EXPECT_EQ(reports::entries_in(icicle, {0, 0, 0, 1}), 1U);

    // In the icicle by source, a line that only contains the operation is merged with it.
    const stacks::Icicle merged = stacks::build_icicle({k_title, IcicleLayout::by_source}, entries);
    EXPECT_EQ(reports::bar_text(merged, {merged.level_begin(1), merged.level_begin(1), 0, 1}), "linear  a.py:3");
}

}  // namespace
}  // namespace snapviewer
