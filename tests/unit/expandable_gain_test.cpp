#include "core/replay/what_if.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>

#include "core/base/context.h"
#include "core/base/text.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer::test {
namespace {

/// A snapshot in which 100 MiB are allocated and freed, 12 MiB of that space are reused, and then 120 MiB need another
/// segment. In an expandable segment they would follow the 12 MiB: 132 MiB are seven pages of 20 MiB.
std::shared_ptr<const Snapshot> two_sizes() {
    constexpr std::uint64_t k_first_segment = 0x7f0000000000;
    constexpr std::uint64_t k_second_segment = 0x7f1000000000;
    TraceBuilder trace;
    trace.event(Action::segment_alloc, k_first_segment, 100 * k_mib)
        .alloc(k_first_segment, 100 * k_mib)
        .free(k_first_segment, 100 * k_mib);
    trace.alloc(k_first_segment, 12 * k_mib);
    trace.event(Action::segment_alloc, k_second_segment, 120 * k_mib)
        .alloc(k_second_segment, 120 * k_mib)
        .free(k_second_segment, 120 * k_mib);
    trace.segment(k_first_segment, {{12 * k_mib, BlockState::active_allocated}, {88 * k_mib, BlockState::inactive}});
    trace.raw().segments.back().type = trace.text("large");
    trace.segment(k_second_segment, {{120 * k_mib, BlockState::inactive}});
    trace.raw().segments.back().type = trace.text("large");
    return trace.build();
}

Result<oom::ExpandableGain> gain_with(const std::function<bool()>& is_over, Progress* progress = nullptr) {
    const auto snapshot = two_sizes();
    return caught(progress, [&] { return replay::gain_of_expandable_segments(*snapshot, snapshot->devices[0], is_over); });
}

TEST(ExpandableGain, IsThatOfAReplay) {
    const auto gain = gain_with([] { return false; });
    ASSERT_TRUE(gain && gain->by_start);
    for (const oom::ExpandableRun& run : *gain->by_start) {
        EXPECT_EQ(run.recorded_peak_bytes, 220 * k_mib);
        EXPECT_EQ(run.peak_bytes, 140 * k_mib);
        EXPECT_TRUE(run.reserved_with_request.empty());
    }
}

TEST(ExpandableGain, HasNoAnswerIfTheTimeIsOver) {
    const auto gain = gain_with([] { return true; });
    ASSERT_TRUE(gain);
    EXPECT_TRUE(gain->has_events);
    EXPECT_FALSE(gain->by_start);
    std::atomic<int> calls{0};
    ASSERT_TRUE(gain_with([&] { return ++calls < 0; }));
    ASSERT_GT(calls, 2);
    const int half = calls / 2;
    calls = 0;
    const auto late = gain_with([&] { return ++calls >= half; });
    ASSERT_TRUE(late);
    EXPECT_FALSE(late->by_start);
}

TEST(ExpandableGain, FailsOnlyIfItsUserStopsIt) {
    Progress progress;
    progress.request_stop();
    const auto gain = gain_with([] { return false; }, &progress);
    ASSERT_FALSE(gain);
    EXPECT_EQ(gain.error().code, ErrorCode::cancelled);
}

TEST(ExpandableGain, IsNotAskedForWithoutEvents) {
    TraceBuilder trace;
    trace.segment(0x7f0000000000, {{12 * k_mib, BlockState::active_allocated}, {88 * k_mib, BlockState::inactive}});
    const auto snapshot = trace.build();
    const auto gain = replay::gain_of_expandable_segments(*snapshot, snapshot->devices[0], [] { return true; });
    EXPECT_FALSE(gain.has_events);
    EXPECT_EQ(oom::expandable_hint(gain), "");
}

/// The kind of a hint: "nothing", "may", which is the hint if no replay was possible, or "promise".
std::string kind_of(const std::string& hint) {
    if (hint.empty()) return "nothing";
    EXPECT_NE(hint.find("expandable_segments:True"), std::string::npos);
    return hint == oom::expandable_hint({true, std::nullopt}) ? "may" : "promise";
}

TEST(ExpandableGain, HintsPromiseOnlyWhatBothStartsConfirm) {
    const auto peaks = [](std::uint64_t carried, std::uint64_t rebuilt) {
        const std::array runs = {oom::ExpandableRun{1000 * k_mib, carried * k_mib, {}},
                                 oom::ExpandableRun{1000 * k_mib, rebuilt * k_mib, {}}};
        return oom::expandable_hint({true, runs});
    };
    EXPECT_EQ(kind_of(peaks(980, 980)), "promise");
    EXPECT_NE(peaks(980, 700).find("980.0 MiB"), std::string::npos);
    EXPECT_EQ(kind_of(peaks(981, 980)), "may");
    EXPECT_EQ(kind_of(peaks(981, 1100)), "nothing");
    EXPECT_NE(kind_of(oom::expandable_hint({true, std::nullopt})), "nothing");

    const oom::ExpandableRun serves{0, 0, {{7, 500}, {9, 990}}};
    const oom::ExpandableRun fails{0, 0, {{9, 100}}};
    EXPECT_EQ(kind_of(oom::expandable_hint({true, std::array{serves, serves}}, 7, 1000)), "promise");
    EXPECT_EQ(kind_of(oom::expandable_hint({true, std::array{serves, fails}}, 7, 1000)), "may");
    EXPECT_EQ(kind_of(oom::expandable_hint({true, std::array{fails, fails}}, 7, 1000)), "nothing");
    EXPECT_EQ(kind_of(oom::expandable_hint({true, std::array{serves, serves}}, 9, 1000)), "nothing");
    EXPECT_EQ(kind_of(oom::expandable_hint({true, std::nullopt}, 7, 1000)), "may");
}

}  // namespace
}  // namespace snapviewer::test
