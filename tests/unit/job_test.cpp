#include "core/base/job.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "core/system/threads.h"

namespace snapviewer {
namespace {

using namespace std::chrono_literals;

/// Polls a job every millisecond, for at most ten seconds, and returns its outcome.
template <typename Outcome>
std::optional<Outcome> wait_for(Job<Outcome>& job) {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (std::chrono::steady_clock::now() < deadline) {
        if (std::optional<Outcome> outcome = job.take()) return outcome;
        std::this_thread::sleep_for(1ms);
    }
    return std::nullopt;
}

/// Runs until a stop is requested, then returns "stopped".
std::string work_until_stopped(Progress& progress) {
    while (!progress.stop_requested()) std::this_thread::sleep_for(1ms);
    return "stopped";
}

TEST(JobTest, GivesTheOutcomeOnceAndWakesItsOwner) {
    std::atomic<int> woken{0};
    Job<std::vector<std::string>> job([&] { ++woken; });
    EXPECT_FALSE(job.is_busy());
    EXPECT_FALSE(job.take().has_value());
    EXPECT_EQ(job.elapsed_ms(), 0);
    job.start([](Progress&) { return std::vector<std::string>{"a", "b"}; });
    EXPECT_TRUE(job.is_busy()) << "until it was taken";
    EXPECT_EQ(wait_for(job), (std::vector<std::string>{"a", "b"}));
    EXPECT_FALSE(job.is_busy());
    EXPECT_FALSE(job.take().has_value());
    EXPECT_EQ(woken, 1);
}

TEST(JobTest, OutcomesNeedNoDefaultAndNoCopy) {
    struct Outcome {
        explicit Outcome(int value) : number(std::make_unique<int>(value)) {}
        std::unique_ptr<int> number;
    };
    Job<Outcome> job;
    job.start([](Progress&) { return Outcome(7); });
    const std::optional<Outcome> outcome = wait_for(job);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(*outcome->number, 7);
}

TEST(JobTest, TellsHowFarItIs) {
    Job<std::string> job;
    job.start([](Progress& progress) {
        progress.enter(Stage::mesh);
        progress.update(1, 4);
        return work_until_stopped(progress);
    });
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (job.progress().fraction() == 0 && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(job.progress().stage(), Stage::mesh);
    EXPECT_EQ(job.progress().fraction(), 0.25F);
    EXPECT_GT(job.elapsed_ms(), 0);
    EXPECT_FALSE(job.take().has_value()) << "it goes on";
}

TEST(JobTest, StoppedWorkStillSaysWhatBecameOfIt) {
    Job<std::string> job;
    job.start(work_until_stopped);
    job.stop();
    EXPECT_TRUE(job.is_busy());
    EXPECT_EQ(wait_for(job), "stopped");
}

TEST(JobTest, DiscardedWorkSaysNothing) {
    std::atomic<bool> ended{false};
    Job<std::string> job([&] { ended = true; });
    job.start(work_until_stopped);
    job.discard();
    EXPECT_FALSE(job.is_busy());
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (!ended && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(1ms);
    for (int look = 0; look < 20; ++look) {
        EXPECT_FALSE(job.take().has_value());
        std::this_thread::sleep_for(1ms);
    }
    job.start([](Progress&) { return std::string("anew"); });
    EXPECT_EQ(wait_for(job), "anew");
}

TEST(JobTest, OfSeveralThatWaitTheLastOneRuns) {
    std::atomic<int> at_work{0};
    std::atomic<int> most_at_work{0};
    std::atomic<int> begun{0};
    const auto work = [&](const std::string& name) {
        return [&, name](Progress& progress) {
            ++begun;
            most_at_work = std::max(most_at_work.load(), ++at_work);
            if (name != "third") work_until_stopped(progress);
            --at_work;
            return name;
        };
    };
    Job<std::string> job;
    job.start(work("first"));
    while (begun == 0) std::this_thread::sleep_for(1ms);
    job.start(work("second"));
    job.start(work("third"));
    EXPECT_TRUE(job.is_busy());
    EXPECT_EQ(wait_for(job), "third");
    EXPECT_EQ(begun, 2) << "the second never began";
    EXPECT_EQ(most_at_work, 1);
}

TEST(JobTest, WhatWaitsIsForgottenWhenStopped) {
    Job<std::string> job;
    job.start(work_until_stopped);
    job.start([](Progress&) { return std::string("never"); });
    job.stop();
    EXPECT_FALSE(job.is_busy());
    std::this_thread::sleep_for(20ms);
    EXPECT_FALSE(job.take().has_value());
}

TEST(JobTest, DestructionStopsAndWaits) {
    std::atomic<bool> woken{false};
    {
        Job<std::string> job([&] { woken = true; });
        job.start(work_until_stopped);
        job.start(work_until_stopped);
    }
    EXPECT_TRUE(woken);
}

TEST(JobTest, WhatTheWorkThrowsIsItsError) {
    Job<Result<int>> job;
    job.start([](Progress&) -> Result<int> { throw Failure{{ErrorCode::bad_file, "is no file"}}; });
    const auto failed = wait_for(job);
    ASSERT_TRUE(failed && !*failed);
    EXPECT_EQ(failed->error().code, ErrorCode::bad_file);
    job.start([](Progress&) -> Result<int> { throw std::bad_alloc(); });
    const auto lacking = wait_for(job);
    ASSERT_TRUE(lacking && !*lacking);
    EXPECT_EQ(lacking->error().code, ErrorCode::memory);
}

TEST(JobTest, AnOutcomeThatIsNoResultIsThrownByTake) {
    Job<std::string> job;
    job.start([](Progress&) -> std::string { throw Failure{{ErrorCode::io, "cannot be read"}}; });
    EXPECT_THROW(wait_for(job), Failure);
    EXPECT_FALSE(job.is_busy());
}

/// Calls check_stop() until it throws.
Result<int> check_until_stopped() {
    return caught([] {
        for (;;) check_stop();
        return 0;
    });
}

TEST(ContextTest, WorkOfAJobIsStoppedByItsProgress) {
    Job<Result<int>> job;
    job.start([](Progress& progress) {
        progress.request_stop();
        return check_until_stopped();
    });
    const auto outcome = wait_for(job);
    ASSERT_TRUE(outcome && !*outcome);
    EXPECT_EQ(outcome->error().code, ErrorCode::cancelled);
}

TEST(ContextTest, WorkBesideInheritsTheContextAndHandsOverWhatItThrows) {
    Progress progress;
    progress.request_stop();
    const Status status = caught(&progress, [] { start_async([] { check_stop(); }).get(); });
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::cancelled);
}

TEST(ContextTest, EndsWithItsScope) {
    Progress progress;
    progress.request_stop();
    EXPECT_FALSE(caught(&progress, [] { check_stop(); }));
    EXPECT_TRUE(caught([] { check_stop(); }));
    const ContextScope outer{Context(progress)};
    Progress another;
    EXPECT_TRUE(caught(&another, [] { check_stop(); }));
    Progress* const nothing = nullptr;
    EXPECT_FALSE(caught(nothing, [] { check_stop(); })) << "the context stays as it is";
    EXPECT_FALSE(caught([] { check_stop(); }));
}

/// In a page without threads, work yields to the drawing code of the page. That code must not run in the context of the
/// work.
TEST(ContextTest, APageThatDrawsMeanwhileIsOutsideOfIt) {
    static int calls = 0;
    static const Progress* seen = nullptr;
    Progress progress;
    seen = &progress;
    const auto before = yield_to_browser;
    yield_to_browser = [] {
        ++calls;
        seen = Context::current().progress;
    };
    EXPECT_TRUE(caught(&progress, [&] {
        check_stop();
        EXPECT_EQ(Context::current().progress, &progress) << "afterwards the work goes on in its context";
    }));
    yield_to_browser = before;
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(seen, nullptr);
}

TEST(ContextTest, ErrorsOfTheSystemAndOfMemoryAreCaught) {
    EXPECT_EQ(caught([] { throw std::bad_alloc(); }).error().code, ErrorCode::memory);
    EXPECT_EQ(caught([] { throw std::system_error(EAGAIN, std::generic_category()); }).error().code, ErrorCode::environment);
}

}  // namespace
}  // namespace snapviewer
