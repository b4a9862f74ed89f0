#include "app/features/answers/device_answers.h"

#include <gtest/gtest.h>

#include <future>

namespace snapviewer {
namespace {

DeviceAnswers answers_with(std::uint64_t (*available)()) {
    Progress progress;
    const auto document = open_document(SAMPLE_FILE, {.mesh = false}, progress);
    EXPECT_TRUE(document);
    const auto work = make_answers_job(*document, 0, available);
    // Runs on its own thread, because the job puts its thread into the sandbox.
    return std::async(std::launch::async, [&] { return work(progress); }).get();
}

TEST(DeviceAnswers, AreGivenWhereMemorySuffices) {
    const DeviceAnswers answers = answers_with([] { return std::uint64_t{1} << 20; });
    EXPECT_FALSE(answers.error) << answers.error->text();
    EXPECT_NE(answers.findings, nullptr);
}

TEST(DeviceAnswers, AreRefusedBeforeTheSystemEndsTheProgram) {
    const DeviceAnswers answers = answers_with([] { return std::uint64_t{100} << 10; });
    ASSERT_TRUE(answers.error);
    EXPECT_EQ(answers.error->text(), "needs about 634.8 KiB of memory for its findings, but only 100.0 KiB is available");
    EXPECT_EQ(answers.findings, nullptr);
}

}  // namespace
}  // namespace snapviewer
