#include "app/features/what_if/what_if.h"

#include <gtest/gtest.h>

namespace snapviewer {
namespace {

constexpr std::uint64_t k_gib = std::uint64_t{1} << 30;

replay::WhatIfMode mode_with(std::uint64_t least, std::uint64_t most) {
    replay::WhatIfMode mode;
    mode.start_fits = true;
    mode.peak_reserved_bytes = most;
    mode.peak_range = {least, most};
    return mode;
}

TEST(WhatIfText, SaysWhatWasInForce) {
    replay::AllocatorSettings settings;
    EXPECT_EQ(what_if::recorded_value(settings, "expandable_segments"), "false");
    EXPECT_EQ(what_if::recorded_value(settings, "max_split_size_mb"), "no limit");
    EXPECT_EQ(what_if::recorded_value(settings, "roundup_power2_divisions"), "off");
    EXPECT_EQ(what_if::recorded_value(settings, "garbage_collection_threshold"), "off");
    EXPECT_EQ(what_if::recorded_value(settings, "capacity_bytes"), "unknown");
    settings.max_split = std::uint64_t{512} << 20;
    settings.roundup.fill(8);
    settings.gc_threshold = 0.8;
    settings.capacity = 40 * k_gib;
    EXPECT_EQ(what_if::recorded_value(settings, "max_split_size_mb"), "512 MiB");
    EXPECT_EQ(what_if::recorded_value(settings, "roundup_power2_divisions"), "8");
    EXPECT_EQ(what_if::recorded_value(settings, "garbage_collection_threshold"), "0.8");
    EXPECT_EQ(what_if::recorded_value(settings, "capacity_bytes"), "40.00 GiB");
    settings.roundup.back() = 4;
    EXPECT_EQ(what_if::recorded_value(settings, "roundup_power2_divisions"), "by size");
}

TEST(WhatIfText, PeaksAreRangesOverTheRuns) {
    EXPECT_EQ(what_if::peak_range_text(mode_with(2 * k_gib, 2 * k_gib)), "2.00 GiB");
    EXPECT_EQ(what_if::peak_range_text(mode_with(k_gib, 2 * k_gib)), "1.00 GiB to 2.00 GiB");
    EXPECT_EQ(what_if::peak_range_text(replay::WhatIfMode{}), "the memory held at the start does not fit");
    replay::WhatIf answer;
    EXPECT_EQ(what_if::peak_range_text(answer), "");
    answer.modes[1] = mode_with(2 * k_gib, 3 * k_gib);
    EXPECT_EQ(what_if::peak_range_text(answer), "2.00 GiB to 3.00 GiB");
    answer.modes[0] = mode_with(k_gib, 2 * k_gib);
    EXPECT_EQ(what_if::peak_range_text(answer), "1.00 GiB to 3.00 GiB");
}

TEST(WhatIfText, ChangesHaveASign) {
    EXPECT_EQ(what_if::peak_change_text(0), "no change");
    EXPECT_EQ(what_if::peak_change_text(-static_cast<std::int64_t>(k_gib)), "-1.00 GiB");
    EXPECT_EQ(what_if::peak_change_text(static_cast<std::int64_t>(k_gib)), "+1.00 GiB");
    EXPECT_EQ(what_if::peak_change_text(std::nullopt), "start does not fit");
}

TEST(WhatIfText, AVerdictNamesTheCardAndARefusalItsReason) {
    replay::ReplayAnswer answer;
    answer.settings.capacity = 8 * k_gib;
    answer.answer.emplace();
    answer.answer->verdict = replay::WhatIfVerdict::fits;
    EXPECT_EQ(what_if::verdict_sentence(answer), "Fits into 8.00 GiB.");
    answer.answer->verdict = replay::WhatIfVerdict::does_not_fit;
    EXPECT_EQ(what_if::verdict_sentence(answer), "Does not fit into 8.00 GiB.");
    answer.refused = {"this", "that"};
    EXPECT_EQ(what_if::verdict_sentence(answer), "No answer: this; that.");
}

}  // namespace
}  // namespace snapviewer
