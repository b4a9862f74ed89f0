#include "app/state/settings.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/app/scratch_folder.h"

namespace snapviewer {
namespace {

class SettingsTest : public ::testing::Test {
protected:
    SettingsTest() { ::setenv("XDG_CONFIG_HOME", folder_.path().c_str(), 1); }
    ~SettingsTest() override { ::unsetenv("XDG_CONFIG_HOME"); }

    nlohmann::json stored() const {
        std::ifstream file(folder_.path() / "snapviewer" / "settings.json");
        return nlohmann::json::parse(file);
    }

    ScratchFolder folder_;
};

TEST_F(SettingsTest, AbsentFileGivesDefaults) {
    const Settings settings = load_settings();
    EXPECT_EQ(settings.window_width_px, 1600);
    EXPECT_EQ(settings.colour_by, "stack");
    EXPECT_TRUE(settings.recent_files.empty());
}

TEST_F(SettingsTest, BrokenFileGivesDefaults) {
    for (const char* text : {"", "{\"window_width_px\": 7", "[1, 2]", "\x80\x02}q."}) {
        folder_.write("snapviewer/settings.json", text);
        EXPECT_EQ(load_settings().window_width_px, 1600) << text;
    }
}

TEST_F(SettingsTest, ABrokenFileIsSetAsideAndSaidSo) {
    const auto content = [&](const char* name) {
        std::ifstream file(folder_.path() / "snapviewer" / name);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    folder_.write("snapviewer/settings.json", "{\"window_width_px\": 7");
    Settings settings = load_settings();
    EXPECT_NE(settings.trouble.find("settings.json.broken"), std::string::npos) << settings.trouble;
    save_settings(settings);
    EXPECT_EQ(content("settings.json.broken"), "{\"window_width_px\": 7");
    EXPECT_EQ(stored()["window_width_px"], 1600);
    // A second one does not replace the first, and one that breaks while the program runs is kept as well.
    folder_.write("snapviewer/settings.json", "[1]");
    save_settings(settings);
    EXPECT_EQ(content("settings.json.broken"), "{\"window_width_px\": 7");
    EXPECT_EQ(content("settings.json.broken.2"), "[1]");
    EXPECT_EQ(load_settings().trouble, "");
}

TEST_F(SettingsTest, WrongTypesAndWildValuesAreContained) {
    folder_.write("snapviewer/settings.json",
                  R"({"window_width_px": 1e300, "window_height_px": "tall", "details_fraction": -4,
                      "show_query": 1, "recent_files": ["/a", 5, null, "/b"], "query_history": {}, "colour_by": ["x"]})");
    const Settings settings = load_settings();
    EXPECT_EQ(settings.window_width_px, 16384);
    EXPECT_EQ(settings.window_height_px, 900);
    EXPECT_FLOAT_EQ(settings.details_fraction, 0.05F);
    EXPECT_TRUE(settings.show_query);
    EXPECT_EQ(settings.recent_files, (std::vector<std::string>{"/a", "/b"}));
    EXPECT_TRUE(settings.query_history.empty());
    EXPECT_EQ(settings.colour_by, "stack");
}

TEST_F(SettingsTest, ComesBackAsSavedAndKeepsUnknownKeys) {
    folder_.write("snapviewer/settings.json", R"({"from_a_later_version": {"deep": [1, 2]}, "window_width_px": 800})");
    Settings settings = load_settings();
    EXPECT_EQ(settings.window_width_px, 800);
    settings.query_fraction = 0.5F;
    settings.mesh_budget_mib = 300;
    settings.show_query = false;
    settings.recent_files = {"/data/with \"quotes\" and \xc3\xa4.pickle"};
    settings.query_history = {"SELECT 1", "SELECT\n2"};
    save_settings(settings);

    EXPECT_EQ(stored()["from_a_later_version"]["deep"], nlohmann::json({1, 2}));
    const Settings again = load_settings();
    EXPECT_FLOAT_EQ(again.query_fraction, 0.5F);
    EXPECT_EQ(again.mesh_budget_mib, 300);
    EXPECT_FALSE(again.show_query);
    EXPECT_EQ(again.recent_files, settings.recent_files);
    EXPECT_EQ(again.query_history, settings.query_history);
}

TEST_F(SettingsTest, SavingLeavesNoDraftBehind) {
    save_settings(Settings{});
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path() / "snapviewer")) ++files;
    EXPECT_EQ(files, 1U);
}

TEST_F(SettingsTest, WhatIsPrivateStaysPrivate) {
    namespace fs = std::filesystem;
    const std::string path = folder_.write("snapviewer/settings.json", "{}");
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    save_settings(Settings{});
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(SettingsTest, SavingNamesThatAreNotUtf8DoesNotFail) {
    Settings settings;
    settings.recent_files = {"/data/\xff.pickle"};
    save_settings(settings);
    EXPECT_TRUE(stored().is_object());
}

TEST(RememberFileTest, KeepsTheTwelveMostRecentOnceEach) {
    Settings settings;
    for (int i = 0; i < 15; ++i) remember_file(settings, "/data/run" + std::to_string(i) + "/snapshot.pickle");
    remember_file(settings, "/data/run9/../run10/./snapshot.pickle");
    ASSERT_EQ(settings.recent_files.size(), 12U);
    EXPECT_EQ(settings.recent_files[0], "/data/run10/snapshot.pickle");
    EXPECT_EQ(settings.recent_files[1], "/data/run14/snapshot.pickle");
    EXPECT_EQ(settings.recent_files[11], "/data/run3/snapshot.pickle");
    EXPECT_EQ(std::count(settings.recent_files.begin(), settings.recent_files.end(), "/data/run10/snapshot.pickle"), 1);
    EXPECT_EQ(settings.recent_places[0], "/data/run10");
}

TEST(RememberFileTest, MakesPathsAbsolute) {
    Settings settings;
    remember_file(settings, "snapshot.pickle");
    EXPECT_EQ(settings.recent_files[0], (std::filesystem::current_path() / "snapshot.pickle").string());
}

TEST(RememberQueryTest, MovesARepeatedQueryToTheEnd) {
    Settings settings;
    for (const char* sql : {"a", "b", "a"}) remember_query(settings, sql);
    EXPECT_EQ(settings.query_history, (std::vector<std::string>{"b", "a"}));
    for (int i = 0; i < 500; ++i) remember_query(settings, std::to_string(i));
    EXPECT_EQ(settings.query_history.size(), 200U);
    EXPECT_EQ(settings.query_history.back(), "499");
}

}  // namespace
}  // namespace snapviewer
