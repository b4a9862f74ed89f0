#include "app/features/answers/device_answers.h"

#include <gtest/gtest.h>

#include "core/base/context.h"

namespace snapviewer {
namespace {

Result<answers::DeviceAnswers> answers_with(std::uint64_t (*available)()) {
    Progress progress;
    const auto document = open_document(SAMPLE_FILE, {.mesh = false}, progress);
    EXPECT_TRUE(document);
    return caught([&] { return answers::make_answers(*document, 0, available); });
}

TEST(DeviceAnswers, AreGivenWhereMemorySuffices) {
    const Result<answers::DeviceAnswers> answers = answers_with([] { return std::uint64_t{1} << 20; });
    ASSERT_TRUE(answers) << answers.error().text();
    EXPECT_NE(answers->findings, nullptr);
}

TEST(DeviceAnswers, AreRefusedBeforeTheSystemEndsTheProgram) {
    const Result<answers::DeviceAnswers> answers = answers_with([] { return std::uint64_t{100} << 10; });
    ASSERT_FALSE(answers);
    EXPECT_EQ(answers.error().text(), "needs about 634.8 KiB of memory for its findings, but only 100.0 KiB is available");
}

}  // namespace
}  // namespace snapviewer
