#include "core/base/context.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace snapviewer {
namespace {

TEST(TotalsPreview, KeepsEveryTotalWhileThereIsRoom) {
    TotalsPreview preview;
    for (const std::int64_t change : {100, 50, -120, 0, -40}) preview.add(change);
    EXPECT_EQ(preview.samples(), (std::vector<std::int64_t>{100, 150, 30, 30, -10}));
}

TEST(TotalsPreview, IsTheLargestTotalOfEqualStretchesHoweverManyEvents) {
    TotalsPreview preview;
    std::mt19937 random(7);
    std::uniform_int_distribution<std::int64_t> change(-1'000'000, 1'000'000);
    std::vector<std::int64_t> totals;
    std::int64_t total = 0;
    for (int i = 0; i < 100'000; ++i) {
        const std::int64_t by = change(random);
        preview.add(by);
        totals.push_back(total += by);
    }
    // 100,000 events need 64 events per sample, because 32 would give too many samples.
    const std::vector<std::int64_t> samples = preview.samples();
    ASSERT_EQ(samples.size(), 100'000U / 64);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const auto begin = totals.begin() + static_cast<std::ptrdiff_t>(i * 64);
        ASSERT_EQ(samples[i], *std::max_element(begin, begin + 64)) << i;
    }
}

}  // namespace
}  // namespace snapviewer
