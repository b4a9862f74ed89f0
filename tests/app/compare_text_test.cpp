#include "app/features/compare/compare.h"

#include <gtest/gtest.h>

namespace snapviewer {
namespace {

constexpr std::uint64_t k_mib = std::uint64_t{1} << 20;

compare::PeakComparison peaks_of_three_boxes() {
    compare::PeakComparison peaks;
    peaks.only_a = {{"a1", "conv@a.py:1", 300, 3, 0, 0}};
    peaks.both = {{"s1", "linear@b.py:2", 100, 1, 900, 2}, {"s2", "attention@c.py:3", 50, 5, 40, 4}};
    peaks.only_b = {{"b1", "buffer@d.py:4", 0, 0, 500, 7}};
    return peaks;
}

std::string keys_in_order(const compare::ComparedOrder& order) {
    const compare::PeakComparison peaks = peaks_of_three_boxes();
    std::string keys;
    for (const compare::ComparedPlace& place : compare::arrange(peaks, order))
        keys += compare::rows_of(peaks, place.box)[place.row].key + " ";
    return keys;
}

TEST(ComparedRows, TheLargestDifferenceComesFirstWhateverItsSign) {
    EXPECT_EQ(keys_in_order({}), "s1 b1 a1 s2 ");
    EXPECT_EQ(keys_in_order({{}, compare::ComparedColumn::delta, false}), "s2 a1 b1 s1 ");
    EXPECT_EQ(keys_in_order({compare::ComparedBox::both, compare::ComparedColumn::delta, true}), "s1 s2 ");
}

TEST(ComparedRows, EveryColumnSorts) {
    EXPECT_EQ(keys_in_order({{}, compare::ComparedColumn::source, false}), "s2 b1 a1 s1 ");
    EXPECT_EQ(keys_in_order({{}, compare::ComparedColumn::box, false}), "a1 s1 s2 b1 ");
    EXPECT_EQ(keys_in_order({{}, compare::ComparedColumn::bytes_a, true}), "a1 s1 s2 b1 ");
    EXPECT_EQ(keys_in_order({{}, compare::ComparedColumn::bytes_b, true}), "s1 b1 s2 a1 ");
    EXPECT_EQ(keys_in_order({{}, compare::ComparedColumn::count_a, true}), "s2 a1 s1 b1 ");
    EXPECT_EQ(keys_in_order({{}, compare::ComparedColumn::count_b, true}), "b1 s2 s1 a1 ");
}

TEST(CompareText, ThePeaksAreASentence) {
    compare::Comparison comparison;
    comparison.a.bytes = 10 * k_mib;
    comparison.b.bytes = 14 * k_mib;
    EXPECT_EQ(compare::peaks_sentence(comparison), "B peaks 4.0 MiB higher than A.");
    comparison.b.bytes = 9 * k_mib;
    EXPECT_EQ(compare::peaks_sentence(comparison), "B peaks 1.0 MiB lower than A.");
    comparison.b.bytes = comparison.a.bytes;
    EXPECT_EQ(compare::peaks_sentence(comparison), "Both peaks are equal.");
}

TEST(CompareText, SumsNameWhatARowIs) {
    const compare::PeakComparison peaks = peaks_of_three_boxes();
    EXPECT_EQ(compare::sums_words(1, compare::ComparedSums(peaks.only_a), compare::CompareBy::stack),
              "1 stack, 3 allocations");
    EXPECT_EQ(compare::sums_words(2, compare::ComparedSums(peaks.both), compare::CompareBy::source),
              "2 lines, 6 → 6 allocations");
    EXPECT_EQ(compare::sums_words(0, compare::ComparedSums({}), compare::CompareBy::function),
              "0 call paths, 0 allocations");
}

TEST(CompareText, TheSentenceOnTrainingStepsSaysWhereNoneAreTold) {
    steps::Steps with;
    with.steps.resize(2);
    const steps::Steps without;
    compare::Alignment alignment;
    EXPECT_EQ(compare::alignment_sentence(alignment, with, without),
              "Each recording is scaled to the full width, because no training steps were found in B.");
    EXPECT_EQ(compare::alignment_sentence(alignment, without, with),
              "Each recording is scaled to the full width, because no training steps were found in A.");
    EXPECT_EQ(compare::alignment_sentence(alignment, without, without),
              "Each recording is scaled to the full width, because no training steps were found in either.");
    alignment.method = compare::Alignment::Method::step_order;
    alignment.steps.resize(1);
    EXPECT_EQ(compare::alignment_sentence(alignment, with, with), "Aligned by complete training steps, in order: 1 pair.");
}

TEST(CompareText, TheCommandIsWhatAShellUnderstands) {
    EXPECT_EQ(compare::compare_command_line({"/runs/a.pickle", {}}, {"/runs/b.pickle", {}}, compare::CompareBy::stack,
                                            compare::CompareBasis::all),
              "snapviewer compare /runs/a.pickle /runs/b.pickle");
    EXPECT_EQ(compare::compare_command_line({"/my runs/a.pickle", 1}, {"/it's/$b", 0}, compare::CompareBy::function,
                                            compare::CompareBasis::alone),
              "snapviewer compare '/my runs/a.pickle' '/it'\\''s/$b' --device 1 --device2 0 --by function --basis alone");
}

}  // namespace
}  // namespace snapviewer
