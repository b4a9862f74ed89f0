#include "app/jobs/file_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "scratch_folder.h"

namespace snapviewer {
namespace {

FileStamps stamps_of_size(std::uintmax_t size_bytes) { return {{true, size_bytes, {}}}; }

TEST(ChangeDetector, OnlyWhatStandsStillIsAChange) {
    ChangeDetector detector(stamps_of_size(10));
    detector.look(stamps_of_size(10));
    EXPECT_EQ(detector.change(), DiskChange::none);
    detector.look(stamps_of_size(20));
    detector.look(stamps_of_size(30));
    EXPECT_EQ(detector.change(), DiskChange::none);
    detector.look(stamps_of_size(30));
    EXPECT_EQ(detector.change(), DiskChange::changed);
    detector.look(stamps_of_size(10));
    EXPECT_EQ(detector.change(), DiskChange::none);
}

TEST(ChangeDetector, WhatWasAcceptedIsNoChangeUntilTheNext) {
    ChangeDetector detector(stamps_of_size(10));
    for (int i = 0; i < 2; ++i) detector.look(stamps_of_size(20));
    detector.accept();
    EXPECT_EQ(detector.change(), DiskChange::none);
    detector.look(stamps_of_size(20));
    EXPECT_EQ(detector.change(), DiskChange::none);
    for (int i = 0; i < 2; ++i) detector.look(stamps_of_size(30));
    EXPECT_EQ(detector.change(), DiskChange::changed);
}

TEST(ChangeDetector, AFileThatComesBackAsItWasIsNoChange) {
    ChangeDetector detector(stamps_of_size(10));
    detector.look({FileStamp{}});
    EXPECT_EQ(detector.change(), DiskChange::gone);
    detector.look(stamps_of_size(10));
    EXPECT_EQ(detector.change(), DiskChange::none);
}

TEST(FileWatch, ADiskThatHangsIsNotWaitedFor) {
    std::atomic<bool> has_looked{false};
    std::promise<void> disk_answers;
    const std::shared_future<void> answer = disk_answers.get_future().share();
    FileWatch watch([&has_looked, answer](const std::vector<std::string>&) {
        has_looked = true;
        answer.wait();
        return FileStamps{};
    });
    watch.start({"/far/away"}, stamps_of_size(10));
    while (!has_looked) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const auto began = std::chrono::steady_clock::now();
    watch.accept();
    EXPECT_EQ(watch.change(), DiskChange::none);
    watch.start({"/somewhere/else"}, stamps_of_size(10));
    watch.stop();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(100));
    disk_answers.set_value();
}

TEST(FileStamps, TellSizeAndJournal) {
    const ScratchFolder folder;
    const std::string path = folder.write("a.db", "1234");
    const FileStamps before = read_stamps({path});
    EXPECT_EQ(before, read_stamps({path}));
    folder.write("a.db-wal", "");
    EXPECT_EQ(before, read_stamps({path}));
    folder.write("a.db-wal", "rows");
    EXPECT_NE(before, read_stamps({path}));
    EXPECT_FALSE(read_stamps({path + " not there"}).front().exists);
}

}  // namespace
}  // namespace snapviewer
