#include "app/features/files/files_on_disk.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/app/scratch_folder.h"

namespace snapviewer {
namespace {

std::vector<std::string> names_of(const std::vector<files::FolderEntry>& entries) {
    std::vector<std::string> names;
    for (const files::FolderEntry& entry : entries) names.push_back(entry.name);
    return names;
}

std::vector<std::string> passing(const std::vector<files::FolderEntry>& entries, const files::FolderFilter& filter) {
    std::vector<std::string> names;
    for (const std::uint32_t index : files::filter_entries(entries, filter)) names.push_back(entries[index].name);
    return names;
}

TEST(ListFolderTest, GivesNamesKindsAndSizes) {
    ScratchFolder folder;
    folder.write("b.pickle", "12345");
    folder.write("sub/inner.txt", "x");
    folder.write(".hidden", "");
    Result<std::vector<files::FolderEntry>> listed = files::list_folder(folder.path().string());
    ASSERT_TRUE(listed.ok());
    files::sort_entries(*listed, files::FolderSort::name, false);
    ASSERT_EQ(names_of(*listed), (std::vector<std::string>{"sub", ".hidden", "b.pickle"}));
    EXPECT_TRUE((*listed)[0].is_folder);
    EXPECT_EQ((*listed)[2].size_bytes, 5U);
    EXPECT_GT((*listed)[2].modified_s, 1'600'000'000);
}

TEST(ListFolderTest, BrokenLinksAreListed) {
    ScratchFolder folder;
    std::filesystem::create_symlink(folder.path() / "nowhere", folder.path() / "link");
    const Result<std::vector<files::FolderEntry>> listed = files::list_folder(folder.path().string());
    ASSERT_TRUE(listed.ok());
    ASSERT_EQ(listed->size(), 1U);
    EXPECT_FALSE(listed->front().is_folder);
}

TEST(ListFolderTest, WhatCannotBeReadIsASentence) {
    ScratchFolder folder;
    const std::string file = folder.write("file", "x");
    EXPECT_EQ(files::list_folder((folder.path() / "absent").string()).error().message, "This folder does not exist");
    EXPECT_EQ(files::list_folder(file).error().message, "This is not a folder");
}

TEST(SortEntriesTest, FoldersFirstNumbersByValueCaseIgnored) {
    std::vector<files::FolderEntry> entries = {
        {"rank10.pickle", false, 5, 300}, {"Rank2.pickle", false, 9, 100}, {"zoo", true, 0, 50},
        {"rank1.pickle", false, 9, 200},  {"Area", true, 0, 400},          {"rank02.pickle", false, 1, 1}};
    files::sort_entries(entries, files::FolderSort::name, false);
    EXPECT_EQ(names_of(entries),
              (std::vector<std::string>{"Area", "zoo", "rank1.pickle", "Rank2.pickle", "rank02.pickle", "rank10.pickle"}));
    files::sort_entries(entries, files::FolderSort::size, true);
    EXPECT_EQ(names_of(entries),
              (std::vector<std::string>{"Area", "zoo", "rank1.pickle", "Rank2.pickle", "rank10.pickle", "rank02.pickle"}));
    files::sort_entries(entries, files::FolderSort::modified, false);
    EXPECT_EQ(names_of(entries),
              (std::vector<std::string>{"zoo", "Area", "rank02.pickle", "Rank2.pickle", "rank1.pickle", "rank10.pickle"}));
}

TEST(FilterEntriesTest, EachFilterNarrows) {
    const std::vector<files::FolderEntry> entries = {{"Old", true, 0, 0},          {".cache", true, 0, 0},
                                                     {"Snap.PICKLE", false, 1, 0}, {"snapshot.txt", false, 1, 0},
                                                     {"out.json.gz", false, 1, 0}, {".snap.db", false, 1, 0}};
    EXPECT_EQ(passing(entries, {}), (std::vector<std::string>{"Old", "Snap.PICKLE", "snapshot.txt", "out.json.gz"}));
    EXPECT_EQ(passing(entries, {.snapshots_only = true}), (std::vector<std::string>{"Old", "Snap.PICKLE", "out.json.gz"}));
    EXPECT_EQ(passing(entries, {.prefix = "sNaP"}), (std::vector<std::string>{"Snap.PICKLE", "snapshot.txt"}));
    EXPECT_EQ(passing(entries, {.part = "JSON"}), (std::vector<std::string>{"out.json.gz"}));
    EXPECT_EQ(passing(entries, {.prefix = ".s"}), (std::vector<std::string>{".snap.db"}));
    EXPECT_EQ(passing(entries, {.show_hidden = true}).size(), 6U);
}

TEST(TypedPathTest, SplitsAtTheLastSlash) {
    const auto parse = [](const std::string& text) {
        const files::TypedPath typed = files::parse_typed_path(text, "/base/folder");
        return typed.folder + "|" + typed.prefix;
    };
    EXPECT_EQ(parse("/data/run/sn"), "/data/run|sn");
    EXPECT_EQ(parse("/data/run/"), "/data/run|");
    EXPECT_EQ(parse("/"), "/|");
    EXPECT_EQ(parse("/d"), "/|d");
    EXPECT_EQ(parse(""), "/base/folder|");
    EXPECT_EQ(parse("sn"), "/base/folder|sn");
    EXPECT_EQ(parse("sub/sn"), "/base/folder/sub|sn");
    EXPECT_EQ(parse("../sn"), "/base|sn");
    EXPECT_EQ(parse("/data/../etc/./x"), "/etc|x");
    ::setenv("HOME", "/home/somebody", 1);
    EXPECT_EQ(parse("~"), "/home/somebody|");
    EXPECT_EQ(parse("~/x/y"), "/home/somebody/x|y");
    EXPECT_EQ(parse("~other"), "/base/folder|~other");
}

TEST(PathsTest, ParentOfTheRootIsTheRoot) {
    EXPECT_EQ(files::parent_folder("/a/b"), "/a");
    EXPECT_EQ(files::parent_folder("/a"), "/");
    EXPECT_EQ(files::parent_folder("/"), "/");
    EXPECT_EQ(files::join_path("/", "a"), "/a");
}

TEST(PathsTest, AFolderWithATraceIsOpenedAsAWhole) {
    ScratchFolder folder;
    folder.write("plain/snapshot.pickle", "x");
    folder.write("trace/allocations.json", "[]");
    const auto kind = [&](const char* name) { return files::path_kind((folder.path() / name).string()); };
    EXPECT_EQ(kind("plain"), files::PathKind::folder);
    EXPECT_EQ(kind("trace"), files::PathKind::trace_folder);
    EXPECT_EQ(kind("trace/allocations.json"), files::PathKind::file);
    EXPECT_EQ(kind("nothing"), files::PathKind::absent);
}

TEST(CommonBeginningTest, IgnoresCaseAndKeepsCharactersWhole) {
    EXPECT_EQ(files::common_beginning({}), "");
    EXPECT_EQ(files::common_beginning({"one.pickle"}), "one.pickle");
    EXPECT_EQ(files::common_beginning({"Train-1", "train-2", "TRAIN-10"}), "Train-");
    EXPECT_EQ(files::common_beginning({"a", "b"}), "");
    EXPECT_EQ(files::common_beginning({"x\xc3\xa4", "x\xc3\xb6"}), "x");
}

TEST(FoldersElsewhere, EachOnceAsItWasSpelled) {
    const std::vector<std::string> opened = {
        "node7:/runs/b.pickle",    "/home/me/a.pickle", "me@node8:a.pickle",
        "node7:/runs/a.pickle",    "node7:/top.pickle", "https://example.org/runs/a.pickle",
        "ssh://node7:2222/r/a.db", "node7:/runs/oom/",  "node7:~/mine/a.pickle"};
    const std::vector<std::string> folders = {"node7:/runs/",        "me@node8:",        "node7:/",
                                              "ssh://node7:2222/r/", "node7:/runs/oom/", "node7:~/mine/"};
    EXPECT_EQ(files::folders_elsewhere(opened), folders);
}

}  // namespace
}  // namespace snapviewer
