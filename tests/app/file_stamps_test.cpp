#include "app/features/files/files_on_disk.h"

#include <gtest/gtest.h>

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
