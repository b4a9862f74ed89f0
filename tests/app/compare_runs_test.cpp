#include "app/features/compare/compare.h"

#include "tests/app/opened_sample.h"

namespace snapviewer::compare_runs_test {
namespace {

using test::OpenedSample;
using test::update_until_idle;

struct Opened : OpenedSample {
    files::FileOpener opener{session, pictures};
    compare::CompareRuns runs{session, pictures, selection, opener};
    compare::CompareState& page = runs.state();
};

/// The comparison of the sample with itself, so that everything exists in both files.
struct Compared : Opened {
    Compared() {
        runs.begin(session.document->path);
        update_until_idle(runs);
    }
};

TEST(CompareRuns, AFileIsTheSameAsItself) {
    const Compared compared;
    ASSERT_NE(compared.page.shown, nullptr) << compared.page.work.error;
    const compare::PeakComparison& peaks = compared.page.shown->comparison.peaks;
    EXPECT_TRUE(peaks.only_a.empty());
    EXPECT_TRUE(peaks.only_b.empty());
    ASSERT_FALSE(peaks.both.empty());
    for (const compare::PeakComparison::Row& row : peaks.both) EXPECT_EQ(row.delta_bytes(), 0) << row.source;
    EXPECT_EQ(compared.page.other, compared.session.document) << "it is not read twice";
    EXPECT_NE(compared.runs.both(), nullptr);
    EXPECT_NE(compared.runs.command_line().find("snapviewer compare"), std::string::npos);
}

TEST(CompareRuns, AnotherGroupingIsComparedAnew) {
    Compared compared;
    const auto by_stack = compared.page.shown;
    compared.page.by = compare::CompareBy::function;
    EXPECT_TRUE(compared.runs.is_busy());
    update_until_idle(compared.runs);
    EXPECT_NE(compared.page.shown, by_stack);
    EXPECT_EQ(compared.page.shown->input.by, compare::CompareBy::function);
}

TEST(CompareRuns, ARowLightsUpWhatBothAllocatedThere) {
    Compared compared;
    const compare::PeakComparison::Row row = compared.page.shown->comparison.peaks.both.front();
    compared.runs.go_to(row.key);
    EXPECT_EQ(compared.page.chosen_key, row.key);
    const auto* sought = compared.session.highlight.as<AllocationsSought>();
    ASSERT_NE(sought, nullptr);
    EXPECT_GE(sought->ids.size(), row.count_a);
    ASSERT_NE(compared.page.highlight_b, nullptr);
    // Another highlight ends this one in both files.
    compared.selection.close_search();
    compared.runs.update();
    EXPECT_EQ(compared.page.highlight_b, nullptr);
    EXPECT_TRUE(compared.page.chosen_key.empty());
}

TEST(CompareRuns, AFileThatIsNotThereIsAnError) {
    Opened opened;
    opened.runs.begin("/nothing/of/this/name.pickle");
    update_until_idle(opened.runs);
    EXPECT_FALSE(opened.page.work.error.empty());
    EXPECT_EQ(opened.page.shown, nullptr);
}

TEST(CompareRuns, AClosedWindowForgetsWithTheFile) {
    Compared compared;
    compared.page.is_open = false;
    compared.session.document.reset();
    compared.session.devices.clear();
    compared.runs.update();
    EXPECT_EQ(compared.page.shown, nullptr);
    EXPECT_TRUE(compared.page.path.empty());
}

}  // namespace
}  // namespace snapviewer::compare_runs_test
