#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/document/document.h"
#include "tests/bench/training_pickle.h"

namespace snapviewer {
namespace {

std::int64_t resident_bytes() {
    std::int64_t total_pages = 0;
    std::int64_t resident_pages = 0;
    std::ifstream("/proc/self/statm") >> total_pages >> resident_pages;
    return resident_pages * sysconf(_SC_PAGESIZE);
}

TEST(DocumentMemory, LevelsOffWhenAFileIsOpenedAndClosedManyTimes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer keeps what was freed";
#endif
    if (resident_bytes() == 0) GTEST_SKIP() << "the system does not tell how much memory is in use";
    const test::ScratchFile file(test::TrainingPickle(100'000).bytes());
    const auto open = [&] {
        Progress progress;
        return open_document(file.path(), {}, progress).value();
    };
    const std::int64_t at_first = resident_bytes();
    const auto kept_open = open();
    const std::int64_t one_document = resident_bytes() - at_first;
    ASSERT_GT(one_document, 0);
    // The C library assigns threads to several heaps at random. The heaps grow until each part of a load has used each of
    // them.
    for (int warm_up = 0; warm_up < 100; ++warm_up) open();
    const std::int64_t before = resident_bytes();
    for (int i = 0; i < 50; ++i) open();
    EXPECT_LT(resident_bytes() - before, one_document / 5);
}

}  // namespace
}  // namespace snapviewer
