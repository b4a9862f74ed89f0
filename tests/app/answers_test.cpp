#include "app/features/findings/findings.h"

#include <algorithm>
#include <memory>

#include "app/features/answers/device_answers.h"
#include "app/features/growth/growth.h"
#include "app/features/timeline/timeline_axis.h"
#include "core/analysis/stacks/stack_groups.h"
#include "core/timeline/totals.h"
#include "tests/app/opened_sample.h"

namespace snapviewer::answers_test {
namespace {

using test::OpenedSample;
using test::update_until_idle;

struct Opened : OpenedSample {
    findings::Answers answers{session, pictures, selection, live};
    const findings::FindingsState& page = answers.state();
};

struct Answered : Opened {
    Answered() {
        update_until_idle(answers);
        EXPECT_TRUE(page.is_ready());
    }
};

/// Opens the sample and stops the analyses as soon as they have started. Retries if they finish before they notice the stop.
std::unique_ptr<Opened> opened_and_stopped() {
    for (int tries = 0; tries < 20; ++tries) {
        auto opened = std::make_unique<Opened>();
        while (!opened->page.work.is_running() && !opened->page.is_ready()) opened->answers.update();
        opened->answers.stop();
        update_until_idle(opened->answers);
        if (opened->page.work.is_stopped) return opened;
    }
    return nullptr;
}

TEST(Answers, ComeAfterThePictureAndAreCountedBesideTheDevice) {
    Opened opened;
    opened.answers.update();
    EXPECT_FALSE(opened.page.work.is_running()) << "the picture goes first";
    EXPECT_TRUE(opened.answers.is_busy());
    update_until_idle(opened.answers);
    ASSERT_TRUE(opened.page.is_ready()) << opened.page.work.error;
    EXPECT_FALSE(opened.page.answers->findings->empty());
    EXPECT_EQ(opened.session.devices.front().findings, opened.page.answers->findings->size());
}

TEST(Answers, WhatIsStoppedRestsUntilItIsToldToGoOn) {
    const auto opened = opened_and_stopped();
    ASSERT_NE(opened, nullptr);
    for (int frame = 0; frame < 5; ++frame) opened->answers.update();
    EXPECT_FALSE(opened->answers.is_busy());
    EXPECT_FALSE(opened->page.is_ready());
    EXPECT_TRUE(opened->page.work.error.empty()) << "a wish is no error";
    opened->answers.restart();
    update_until_idle(opened->answers);
    EXPECT_TRUE(opened->page.is_ready());
}

TEST(Answers, AFindingLeadsToItsMoment) {
    Answered answered;
    const auto& findings = *answered.page.answers->findings;
    const auto found = std::ranges::find_if(
        findings, [](const findings::DeviceFinding& finding) { return finding.code.starts_with("oom_") && finding.moment; });
    ASSERT_NE(found, findings.end());
    const auto index = static_cast<std::size_t>(found - findings.begin());
    answered.answers.go_to(index);
    EXPECT_EQ(answered.page.chosen, index);
    const Timeline& timeline = *answered.session.current_timeline();
    const std::uint32_t tick = tick_of_moment(timeline, *found->moment);
    EXPECT_EQ(answered.live.tick(), tick);
    const View& view = answered.session.current_device().view;
    const double place = place_of_tick(timeline, Axis::steps, tick);
    EXPECT_LE(view.x_begin, place);
    EXPECT_GE(view.x_end, place);
    EXPECT_LT(view.width(), fit_view(answered.session.current_limits()).width());
    EXPECT_TRUE(answered.session.timeline.overlays.current_marker) << "its flag";
}

TEST(Answers, AnEventLeadsToWhatWasAllocatedThen) {
    Answered answered;
    answered.answers.go_to_event(99);
    EXPECT_EQ(answered.live.tick(), tick_of_moment(*answered.session.current_timeline(), 100));
}

TEST(Answers, AllThatAGrowingStackMadeStandsOut) {
    Answered answered;
    const growth::Growth& growth = *answered.page.answers->growth;
    ASSERT_FALSE(growth.suspects.empty() && growth.settled.empty());
    growth::GrowthPage page{answered.session, answered.pictures, answered.selection, answered.answers};
    page.go_to(growth.suspects.size() + growth.settled.size());
    EXPECT_FALSE(page.chosen());
    EXPECT_EQ(answered.session.highlight.as<AllocationsSought>(), nullptr);
    page.go_to(0);
    EXPECT_EQ(page.chosen(), 0U);
    const auto* sought = answered.session.highlight.as<AllocationsSought>();
    ASSERT_NE(sought, nullptr);
    const growth::GrowthRow& row = growth::growth_row(growth, 0);
    EXPECT_EQ(sought->name, row.source);
    const auto& stack_of = answered.page.answers->stack_lines;
    const DeviceTrace& trace = answered.page.answers->analyses().trace();
    ASSERT_FALSE(sought->ids.empty());
    for (const AllocationId id : sought->ids) EXPECT_EQ(stack_of->key(stacks::allocating_stack(trace, id)), row.stack_key);
}

TEST(Answers, WhatIsNotInTheListIsNotShown) {
    Answered answered;
    const View before = answered.session.current_device().view;
    answered.answers.go_to(answered.page.answers->findings->size());
    EXPECT_FALSE(answered.page.chosen);
    EXPECT_EQ(answered.session.current_device().view, before);
}

TEST(Answers, GoWithTheFile) {
    Answered answered;
    answered.session.document.reset();
    answered.session.devices.clear();
    answered.answers.update();
    EXPECT_EQ(answered.page.answers, nullptr);
    EXPECT_FALSE(answered.answers.is_busy());
}

}  // namespace
}  // namespace snapviewer::answers_test
