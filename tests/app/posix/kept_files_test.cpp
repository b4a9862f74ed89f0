#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "app/features/notes/note_file.h"
#include "app/features/preferences.h"
#include "tests/app/scratch_folder.h"

namespace snapviewer {
namespace {

/// Files that version 1.0 wrote. docs/compatibility.md promises that every later version can read them.
const std::filesystem::path k_kept = std::filesystem::path(KEPT_FILES) / "1.0";

nlohmann::json json_of_file(const std::filesystem::path& path) {
    std::ifstream file(path);
    return nlohmann::json::parse(file);
}

/// The preferences as JSON, written without an existing file.
nlohmann::json written_anew(const Preferences& preferences) {
    const ScratchFolder folder;
    ::setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
    EXPECT_TRUE(save_preferences(preferences));
    ::unsetenv("XDG_CONFIG_HOME");
    return json_of_file(folder.path() / "snapviewer" / "settings.json");
}

TEST(KeptFiles, EveryPreferenceOfTheFirstVersionIsStillUnderstood) {
    const ScratchFolder folder;
    std::filesystem::create_directories(folder.path() / "snapviewer");
    std::filesystem::copy_file(k_kept / "settings.json", folder.path() / "snapviewer" / "settings.json");
    ::setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
    const Preferences preferences = load_preferences();
    ::unsetenv("XDG_CONFIG_HOME");

    EXPECT_EQ(preferences.error, "");
    const nlohmann::json defaults = written_anew({});
    const nlohmann::json written = written_anew(preferences);
    const nlohmann::json kept = json_of_file(k_kept / "settings.json");
    for (const auto& [key, value] : kept.items()) {
        EXPECT_EQ(written.value(key, nlohmann::json()), value) << key;
        EXPECT_NE(defaults.value(key, nlohmann::json()), value) << key << " is a default, so that this would prove nothing";
    }
}

TEST(KeptFiles, NotesOfTheFirstVersionAreStillRead) {
    const ScratchFolder folder;
    const auto path = folder.path() / "notes.json";
    std::filesystem::copy_file(k_kept / "notes.json", path);
    std::vector<notes::Note> notes = notes::read_notes(path).value();
    ASSERT_EQ(notes.size(), 2U);
    const notes::Note expected = {"0011223344556677", 1, ViewKind::segments, 1200.5, 1073741824, "two\nlines, 日本",
                                  1795737600000000};
    EXPECT_EQ(notes[0], expected);
    EXPECT_EQ(notes[1].text, "");
    // Writing another note does not change the existing ones.
    notes.push_back({"ffff000011112222", 0, ViewKind::allocations, 1, 2, "new", 3});
    ASSERT_TRUE(notes::merge_notes(path, notes));
    const nlohmann::json kept = json_of_file(k_kept / "notes.json")["notes"];
    const nlohmann::json now = json_of_file(path)["notes"];
    ASSERT_EQ(now.size(), 3U);
    EXPECT_EQ(now[0], kept[0]);
    EXPECT_EQ(now[1], kept[1]);
}

}  // namespace
}  // namespace snapviewer
