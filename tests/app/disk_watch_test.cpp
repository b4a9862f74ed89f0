#include "app/ui/disk_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace snapviewer {
namespace {

/// A detector that records the highest observed number.
class HighestSeen {
public:
    using Seen = int;
    void look(int seen) { highest_ = std::max(highest_, seen); }
    void mark() { is_marked_ = true; }
    int highest() const { return highest_; }
    bool is_marked() const { return is_marked_; }

private:
    int highest_ = 0;
    bool is_marked_ = false;
};

TEST(DiskWatch, WhatIsSeenReachesTheDetector) {
    DiskWatch<HighestSeen> watch;
    EXPECT_EQ(watch.ask(&HighestSeen::highest), 0) << "nothing is watched";
    watch.start(HighestSeen(), [] { return 7; });
    while (watch.ask(&HighestSeen::highest) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(watch.ask(&HighestSeen::highest), 7);
    EXPECT_FALSE(watch.ask(&HighestSeen::is_marked));
    watch.tell(&HighestSeen::mark);
    EXPECT_TRUE(watch.ask(&HighestSeen::is_marked));
}

TEST(DiskWatch, ADiskThatHangsIsNotWaitedFor) {
    std::atomic<bool> has_looked{false};
    std::promise<void> disk_answers;
    const std::shared_future<void> answer = disk_answers.get_future().share();
    DiskWatch<HighestSeen> watch;
    watch.start(HighestSeen(), [&has_looked, answer] {
        has_looked = true;
        answer.wait();
        return 1;
    });
    while (!has_looked) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const auto began = std::chrono::steady_clock::now();
    watch.tell(&HighestSeen::mark);
    EXPECT_EQ(watch.ask(&HighestSeen::highest), 0);
    watch.start(HighestSeen(), [] { return 2; });
    watch.stop();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(100));
    disk_answers.set_value();
}

}  // namespace
}  // namespace snapviewer
