#include "app/features/files/files_on_disk.h"

#include <gtest/gtest.h>

#include "scratch_folder.h"

namespace snapviewer {
namespace {

files::FileStamps stamps_of_size(std::uintmax_t size_bytes) { return {{true, size_bytes, {}}}; }

TEST(ChangeDetector, OnlyWhatStandsStillIsAChange) {
    files::ChangeDetector detector(stamps_of_size(10));
    detector.look(stamps_of_size(10));
    EXPECT_EQ(detector.change(), files::DiskChange::none);
    detector.look(stamps_of_size(20));
    detector.look(stamps_of_size(30));
    EXPECT_EQ(detector.change(), files::DiskChange::none);
    detector.look(stamps_of_size(30));
    EXPECT_EQ(detector.change(), files::DiskChange::changed);
    detector.look(stamps_of_size(10));
    EXPECT_EQ(detector.change(), files::DiskChange::none);
}

TEST(ChangeDetector, WhatWasAcceptedIsNoChangeUntilTheNext) {
    files::ChangeDetector detector(stamps_of_size(10));
    for (int i = 0; i < 2; ++i) detector.look(stamps_of_size(20));
    detector.accept();
    EXPECT_EQ(detector.change(), files::DiskChange::none);
    detector.look(stamps_of_size(20));
    EXPECT_EQ(detector.change(), files::DiskChange::none);
    for (int i = 0; i < 2; ++i) detector.look(stamps_of_size(30));
    EXPECT_EQ(detector.change(), files::DiskChange::changed);
}

TEST(ChangeDetector, AFileThatComesBackAsItWasIsNoChange) {
    files::ChangeDetector detector(stamps_of_size(10));
    detector.look({files::FileStamp{}});
    EXPECT_EQ(detector.change(), files::DiskChange::gone);
    detector.look(stamps_of_size(10));
    EXPECT_EQ(detector.change(), files::DiskChange::none);
}

TEST(FileStamps, TellSizeAndJournal) {
    const ScratchFolder folder;
    const std::string path = folder.write("a.db", "1234");
    const files::FileStamps before = files::read_stamps({path});
    EXPECT_EQ(before, files::read_stamps({path}));
    folder.write("a.db-wal", "");
    EXPECT_EQ(before, files::read_stamps({path}));
    folder.write("a.db-wal", "rows");
    EXPECT_NE(before, files::read_stamps({path}));
    EXPECT_FALSE(files::read_stamps({path + " not there"}).front().exists);
}

}  // namespace
}  // namespace snapviewer
