#include "app/features/what_if/what_if.h"

#include "tests/app/opened_sample.h"

namespace snapviewer::what_if_runs_test {
namespace {

using test::OpenedSample;
using test::update_until_idle;

struct Opened : OpenedSample {
    Opened() {
        runs.connect(board);
        show(true);
    }
    /// Opens or closes the window, as its command and its button do.
    void show(bool is_open) { *board.docked.front().is_open = is_open; }

    Switchboard board;
    what_if::WhatIfRuns runs{session};
    const what_if::WhatIfState& page = runs.state();
};

TEST(WhatIfRuns, RepeatAnswerAndTryOneAfterAnother) {
    Opened opened;
    update_until_idle(opened.runs);
    ASSERT_NE(opened.page.recording, nullptr) << opened.page.work.error;
    ASSERT_NE(opened.page.answer, nullptr);
    EXPECT_TRUE(opened.page.answer->settings.empty());
    EXPECT_GT(opened.page.to_try, 0U);
    EXPECT_EQ(opened.page.tried.size(), opened.page.to_try);
    EXPECT_NE(opened.page.map, nullptr);
    EXPECT_FALSE(opened.page.work.is_running());
}

TEST(WhatIfRuns, DoNothingWhileTheirWindowIsClosed) {
    Opened opened;
    opened.show(false);
    opened.runs.update();
    EXPECT_FALSE(opened.runs.is_busy());
    EXPECT_EQ(opened.page.recording, nullptr);
}

TEST(WhatIfRuns, AnotherSettingIsAskedAndTheRecordingKept) {
    Opened opened;
    update_until_idle(opened.runs);
    const auto recording = opened.page.recording;
    const auto first_answer = opened.page.answer;
    opened.runs.use_setting("expandable_segments", opened.page.switches[0].value);
    EXPECT_TRUE(opened.runs.is_busy());
    update_until_idle(opened.runs);
    EXPECT_EQ(opened.page.recording, recording);
    ASSERT_NE(opened.page.answer, first_answer);
    ASSERT_EQ(opened.page.answer->settings.size(), 1U);
    EXPECT_EQ(opened.page.answer->settings.front().first, "expandable_segments");
}

TEST(WhatIfRuns, WhatIsStoppedRestsUntilItIsToldToGoOn) {
    Opened opened;
    opened.runs.update();
    opened.runs.stop();
    EXPECT_TRUE(opened.page.work.is_stopped);
    for (int frame = 0; frame < 5; ++frame) opened.runs.update();
    EXPECT_FALSE(opened.runs.is_busy());
    EXPECT_EQ(opened.page.recording, nullptr);
    opened.runs.restart();
    update_until_idle(opened.runs);
    EXPECT_NE(opened.page.answer, nullptr);
}

TEST(WhatIfRuns, AnotherFileIsAnotherRecording) {
    Opened opened;
    opened.runs.use_setting("max_split_size_mb", "64");
    update_until_idle(opened.runs);
    opened.session.document.reset();
    opened.session.devices.clear();
    opened.runs.update();
    EXPECT_EQ(opened.page.recording, nullptr);
    EXPECT_EQ(opened.page.answer, nullptr);
    EXPECT_EQ(opened.page.switches[1].value, "64") << "what the user chose stays";
}

}  // namespace
}  // namespace snapviewer::what_if_runs_test
