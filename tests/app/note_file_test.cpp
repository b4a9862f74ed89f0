#include "app/features/notes/note_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <thread>

#include "tests/app/scratch_folder.h"

namespace snapviewer {
namespace {

notes::Note note_of(const std::string& id, const std::string& text, std::int64_t changed_us) {
    return {id, 1, ViewKind::segments, 12.5, 1e9, text, changed_us};
}

TEST(NoteFile, WhatWasWrittenIsReadAgain) {
    const ScratchFolder folder;
    const auto path = folder.path() / "notes" / "1.json";
    std::vector<notes::Note> notes = {note_of("b", "two\nlines", 5), note_of("a", "日本", 6)};
    ASSERT_TRUE(notes::merge_notes(path, notes));
    EXPECT_EQ(notes::read_notes(path).value(), notes);
    EXPECT_EQ(notes.front().id, "a");
    EXPECT_TRUE(notes::read_notes(folder.path() / "none.json").value().empty());
}

TEST(NoteFile, OfEachNoteTheLastChangeStaysWhoeverWritesLast) {
    const ScratchFolder folder;
    const auto path = folder.path() / "1.json";
    std::vector<notes::Note> mine = {note_of("a", "mine", 10), note_of("b", "new", 12)};
    std::vector<notes::Note> theirs = {note_of("a", "theirs", 20), note_of("c", "theirs alone", 1)};
    ASSERT_TRUE(notes::merge_notes(path, theirs));
    ASSERT_TRUE(notes::merge_notes(path, mine));
    const std::vector<notes::Note> all = {note_of("a", "theirs", 20), note_of("b", "new", 12),
                                          note_of("c", "theirs alone", 1)};
    EXPECT_EQ(mine, all);
    EXPECT_EQ(notes::read_notes(path).value(), all);
    ASSERT_TRUE(notes::merge_notes(path, theirs));
    EXPECT_EQ(theirs, all);
}

TEST(NoteFile, ADeletedNoteIsNotBroughtBackByAWindowThatStillHasIt) {
    const ScratchFolder folder;
    const auto path = folder.path() / "1.json";
    std::vector<notes::Note> first = {note_of("a", "text", 1)};
    std::vector<notes::Note> second = first;
    ASSERT_TRUE(notes::merge_notes(path, first));
    first[0] = note_of("a", "", 2);
    ASSERT_TRUE(notes::merge_notes(path, first));
    ASSERT_TRUE(notes::merge_notes(path, second));
    EXPECT_EQ(second, first);
}

TEST(NoteFile, ManyWritersLoseNothing) {
    const ScratchFolder folder;
    const auto path = folder.path() / "1.json";
    std::vector<std::thread> writers;
    for (int writer = 0; writer < 4; ++writer) {
        writers.emplace_back([&path, writer] {
            std::vector<notes::Note> notes;
            for (int i = 0; i < 10; ++i) {
                notes.push_back(note_of(std::to_string(writer) + "-" + std::to_string(i), "text", 1));
                EXPECT_TRUE(notes::merge_notes(path, notes));
            }
        });
    }
    for (std::thread& writer : writers) writer.join();
    EXPECT_EQ(notes::read_notes(path).value().size(), 40U);
}

TEST(NoteFile, WhatIsNoNoteIsPassedOverAndOtherKeysStay) {
    const ScratchFolder folder;
    const auto path = folder.write("1.json", R"({"later": 7, "notes": [3, {"id": "a"}, {"id": "b", "device": 0, "shows":)"
                                             R"( "allocations", "step": 1, "bytes": 2, "text": "t", "changed_us": 3}]})");
    std::vector<notes::Note> notes = notes::read_notes(path).value();
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(notes[0].id, "b");
    notes[0].changed_us = 9;
    ASSERT_TRUE(notes::merge_notes(path, notes));
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    EXPECT_NE(text.find("\"later\": 7"), std::string::npos);
}

TEST(NoteFile, ADamagedFileIsSetAside) {
    const ScratchFolder folder;
    const std::string path = folder.write("1.json", "{damaged");
    EXPECT_FALSE(notes::read_notes(path));
    EXPECT_TRUE(std::filesystem::exists(path + ".broken"));
    std::vector<notes::Note> notes = {note_of("a", "text", 1)};
    EXPECT_TRUE(notes::merge_notes(path, notes));
}

TEST(NoteFile, IdsDiffer) {
    std::set<std::string> ids;
    for (int i = 0; i < 1000; ++i) ids.insert(notes::new_note_id());
    EXPECT_EQ(ids.size(), 1000U);
    EXPECT_EQ(ids.begin()->size(), 16U);
}

}  // namespace
}  // namespace snapviewer
