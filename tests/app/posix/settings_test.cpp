#include "app/features/preferences.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/system/files.h"
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
    const Preferences settings = load_preferences();
    EXPECT_EQ(settings.window_width_px, 1600);
    EXPECT_EQ(settings.colour_by, "stack");
    EXPECT_TRUE(settings.recent_files.empty());
}

TEST_F(SettingsTest, BrokenFileGivesDefaults) {
    for (const char* text : {"", "{\"window_width_px\": 7", "[1, 2]", "\x80\x02}q."}) {
        folder_.write("snapviewer/settings.json", text);
        EXPECT_EQ(load_preferences().window_width_px, 1600) << text;
    }
}

TEST_F(SettingsTest, ABrokenFileIsSetAsideAndSaidSo) {
    const auto content = [&](const char* name) {
        std::ifstream file(folder_.path() / "snapviewer" / name);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    folder_.write("snapviewer/settings.json", "{\"window_width_px\": 7");
    Preferences settings = load_preferences();
    EXPECT_NE(settings.error.find("settings.json.broken"), std::string::npos) << settings.error;
    ASSERT_TRUE(save_preferences(settings));
    EXPECT_EQ(content("settings.json.broken"), "{\"window_width_px\": 7");
    EXPECT_EQ(stored()["window_width_px"], 1600);
    // A second broken file does not replace the copy of the first, and a file that breaks while the program runs is kept as
    // well.
    folder_.write("snapviewer/settings.json", "[1]");
    ASSERT_TRUE(save_preferences(settings));
    EXPECT_EQ(content("settings.json.broken"), "{\"window_width_px\": 7");
    EXPECT_EQ(content("settings.json.broken.2"), "[1]");
    EXPECT_EQ(load_preferences().error, "");
}

TEST_F(SettingsTest, WrongTypesAndWildValuesAreContained) {
    folder_.write("snapviewer/settings.json",
                  R"({"window_width_px": 1e300, "window_height_px": "tall", "details_fraction": -4,
                      "show_query": 1, "recent_files": ["/a", 5, null, "/b"], "query_history": {}, "colour_by": ["x"]})");
    const Preferences settings = load_preferences();
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
    Preferences settings = load_preferences();
    EXPECT_EQ(settings.window_width_px, 800);
    settings.query_fraction = 0.5F;
    settings.show_query = false;
    settings.recent_files = {"/data/with \"quotes\" and \xc3\xa4.pickle"};
    settings.query_history = {"SELECT 1", "SELECT\n2"};
    ASSERT_TRUE(save_preferences(settings));

    EXPECT_EQ(stored()["from_a_later_version"]["deep"], nlohmann::json({1, 2}));
    const Preferences again = load_preferences();
    EXPECT_FLOAT_EQ(again.query_fraction, 0.5F);
    EXPECT_FALSE(again.show_query);
    EXPECT_EQ(again.recent_files, settings.recent_files);
    EXPECT_EQ(again.query_history, settings.query_history);
}

TEST_F(SettingsTest, TheWindowThatSavesLastWins) {
    Preferences before;
    before.recent_files = {"/old"};
    before.query_history = {"SELECT 0"};
    for (const char* sql : {"c", "b", "a"}) star_query(before, sql, true);
    ASSERT_TRUE(save_preferences(before));
    Preferences first = load_preferences();
    Preferences second = load_preferences();
    EXPECT_EQ(first.saved_queries, (std::vector<std::string>{"a", "b", "c"}));

    remember_file(first, "/first/a");
    remember_query(first, "SELECT 1");
    star_query(first, "b", false);
    first.overlays["peak_line"] = false;
    first.details_fraction = 0.5F;
    ASSERT_TRUE(save_preferences(first));
    EXPECT_EQ(load_preferences().recent_files, (std::vector<std::string>{"/first/a", "/old"}));
    remember_file(second, "/second/b");
    remember_query(second, "SELECT 2");
    star_query(second, "second", true);
    second.overlays["allocated"] = true;
    second.show_query = false;
    ASSERT_TRUE(save_preferences(second));

    const Preferences last = load_preferences();
    EXPECT_EQ(last.recent_files, (std::vector<std::string>{"/second/b", "/old"}));
    EXPECT_EQ(last.recent_places, (std::vector<std::string>{"/second"}));
    EXPECT_EQ(last.query_history, (std::vector<std::string>{"SELECT 0", "SELECT 2"}));
    EXPECT_EQ(last.saved_queries, (std::vector<std::string>{"second", "a", "b", "c"}));
    EXPECT_EQ(last.overlays, (OverlayChoice{{"allocated", true}}));
    EXPECT_FLOAT_EQ(last.details_fraction, 0.30F);
    EXPECT_FALSE(last.show_query);

    ASSERT_TRUE(save_preferences(first));
    const Preferences again = load_preferences();
    EXPECT_EQ(again.recent_files, (std::vector<std::string>{"/first/a", "/old"}));
    EXPECT_EQ(again.query_history, (std::vector<std::string>{"SELECT 0", "SELECT 1"}));
    EXPECT_EQ(again.saved_queries, (std::vector<std::string>{"a", "c"}));
    EXPECT_EQ(again.overlays, (OverlayChoice{{"peak_line", false}}));
    EXPECT_FLOAT_EQ(again.details_fraction, 0.5F);
    EXPECT_TRUE(again.show_query);
}

TEST_F(SettingsTest, ListsThatAreTooLongKeepTheirNewestTexts) {
    nlohmann::json file;
    for (const char* key : {"recent_files", "recent_places", "query_history", "saved_queries", "folded_tracks"}) {
        for (int i = 0; i < 300; ++i) file[key].push_back(std::to_string(i));
    }
    folder_.write("snapviewer/settings.json", file.dump());
    const Preferences preferences = load_preferences();
    const auto ends = [](const std::vector<std::string>& texts) {
        return std::vector<std::string>{std::to_string(texts.size()), texts.front(), texts.back()};
    };
    EXPECT_EQ(ends(preferences.recent_files), (std::vector<std::string>{"12", "0", "11"}));
    EXPECT_EQ(ends(preferences.recent_places), (std::vector<std::string>{"12", "0", "11"}));
    EXPECT_EQ(ends(preferences.query_history), (std::vector<std::string>{"200", "100", "299"}));
    EXPECT_EQ(ends(preferences.saved_queries), (std::vector<std::string>{"100", "0", "99"}));
    EXPECT_EQ(ends(preferences.tracks.folded), (std::vector<std::string>{"200", "100", "299"}));
}

TEST_F(SettingsTest, EveryWriterKeepsUnknownKeysOfTheOther) {
    folder_.write("snapviewer/settings.json", "{}");
    Preferences settings = load_preferences();
    folder_.write("snapviewer/settings.json", R"({"from_a_later_version": 7})");
    ASSERT_TRUE(save_preferences(settings));
    EXPECT_EQ(stored()["from_a_later_version"], 7);
}

TEST_F(SettingsTest, WhatTheUserDidIsSavedAtOnce) {
    Preferences settings = load_preferences();
    EXPECT_FALSE(settings.needs_saving);
    remember_file(settings, "/a");
    EXPECT_TRUE(std::exchange(settings.needs_saving, false));
    remember_query(settings, "SELECT 1");
    EXPECT_TRUE(std::exchange(settings.needs_saving, false));
    star_query(settings, "SELECT 1", true);
    EXPECT_TRUE(settings.needs_saving);
}

TEST_F(SettingsTest, OverlaysOfEarlierVersionsAreUnderstood) {
    folder_.write("snapviewer/settings.json", R"({"overlays": {"Peak line": false, "gap": true, "markers": 1}})");
    EXPECT_EQ(load_preferences().overlays, (OverlayChoice{{"gap", true}, {"peak_line", false}}));
}

TEST_F(SettingsTest, AFileNestedWithoutEndIsSetAside) {
    constexpr std::size_t k_depth = 4'000'000;
    folder_.write("snapviewer/settings.json", "{\"deep\": " + std::string(k_depth, '[') + std::string(k_depth, ']') + "}");
    Preferences settings = load_preferences();
    EXPECT_NE(settings.error.find("settings.json.broken"), std::string::npos) << settings.error;
    ASSERT_TRUE(save_preferences(settings));
    EXPECT_FALSE(stored().contains("deep"));
}

TEST_F(SettingsTest, AHugeFileIsSetAside) {
    folder_.write("snapviewer/settings.json", "{\"text\": \"" + std::string(17 << 20, 'x') + "\"}");
    EXPECT_NE(load_preferences().error.find("settings.json.broken"), std::string::npos);
}

TEST_F(SettingsTest, APipeIsNotWaitedFor) {
    std::filesystem::create_directories(folder_.path() / "snapviewer");
    ASSERT_EQ(::mkfifo((folder_.path() / "snapviewer" / "settings.json").c_str(), 0600), 0);
    EXPECT_NE(load_preferences().error.find("settings.json.broken"), std::string::npos);
}

TEST_F(SettingsTest, AFileThatMayNotBeReadStaysAndIsTold) {
    namespace fs = std::filesystem;
    const std::string path = folder_.write("snapviewer/settings.json", R"({"window_width_px": 800})");
    fs::permissions(path, fs::perms::none);
    if (std::ifstream(path)) {
        // As root, gives up the right to read everything for a moment.
        fs::permissions(folder_.path(), fs::perms::all);
        fs::permissions(folder_.path() / "snapviewer", fs::perms::all);
        ASSERT_EQ(::seteuid(65534), 0);
    }
    Preferences settings = load_preferences();
    const Status saved = save_preferences(settings);
    ASSERT_EQ(::seteuid(::getuid()), 0);
    EXPECT_NE(settings.error.find("Permission denied"), std::string::npos) << settings.error;
    EXPECT_FALSE(saved);
    fs::permissions(path, fs::perms::owner_all);
    EXPECT_EQ(load_preferences().window_width_px, 800);
}

TEST_F(SettingsTest, AFolderThatCannotBeIsTold) {
    folder_.write("snapviewer", "a file where the folder should be");
    Preferences settings;
    const Status saved = save_preferences(settings);
    ASSERT_FALSE(saved);
    const std::string folder = (folder_.path() / "snapviewer").string();
    EXPECT_EQ(saved.error().message, folder + " cannot be created: Not a directory");
}

TEST_F(SettingsTest, AFullDiskLeavesTheOldFile) {
    Preferences settings;
    settings.window_width_px = 700;
    ASSERT_TRUE(save_preferences(settings));
    settings.window_width_px = 800;
    const auto before = std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit nothing{0, limit.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &nothing);
    const Status saved = save_preferences(settings);
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, before);
    ASSERT_FALSE(saved);
    EXPECT_NE(saved.error().message.find("File too large"), std::string::npos) << saved.error().message;
    EXPECT_EQ(stored()["window_width_px"], 700);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path() / "snapviewer"), {}), 1);
}

TEST_F(SettingsTest, AWindowThatStandsStillWithTheLockIsNotWaitedFor) {
    Preferences settings;
    ASSERT_TRUE(save_preferences(settings));
    const FileHandle held = open_lock_of_folder((folder_.path() / "snapviewer").string());
    ASSERT_FALSE(lock_file(held));
    const auto began = std::chrono::steady_clock::now();
    EXPECT_TRUE(save_preferences(settings));
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(600));
}

TEST_F(SettingsTest, SavingLeavesNoTemporaryFileBehind) {
    Preferences settings;
    ASSERT_TRUE(save_preferences(settings));
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path() / "snapviewer")) ++files;
    EXPECT_EQ(files, 1U);
}

TEST_F(SettingsTest, WhatIsPrivateStaysPrivate) {
    namespace fs = std::filesystem;
    const std::string path = folder_.write("snapviewer/settings.json", "{}");
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    Preferences settings;
    ASSERT_TRUE(save_preferences(settings));
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(SettingsTest, NamesThatAreNotUtf8AreKept) {
    const std::vector<std::string> names = {"/data/\xff.pickle", "/data/100%41 \xc3\x28.pickle", "/data/100%41.pickle"};
    Preferences settings;
    settings.recent_files = names;
    settings.recent_places = {"/d\xe4ten"};
    ASSERT_TRUE(save_preferences(settings));
    EXPECT_EQ(settings.recent_files, names);
    Preferences again = load_preferences();
    EXPECT_EQ(again.recent_files, names);
    EXPECT_EQ(again.recent_places, settings.recent_places);
    remember_file(again, names[1]);
    ASSERT_TRUE(save_preferences(again));
    EXPECT_EQ(load_preferences().recent_files, (std::vector<std::string>{names[1], names[0], names[2]})) << "none twice";
}

TEST_F(SettingsTest, ThemeAndScaleAreKept) {
    Preferences settings;
    EXPECT_EQ(settings.theme, ThemeChoice::system);
    settings.theme = ThemeChoice::light;
    settings.interface_scale = 1.5F;
    ASSERT_TRUE(save_preferences(settings));
    EXPECT_EQ(load_preferences().theme, ThemeChoice::light);
    EXPECT_FLOAT_EQ(load_preferences().interface_scale, 1.5F);
    folder_.write("snapviewer/settings.json", R"({"theme": "purple", "interface_scale": 40})");
    EXPECT_EQ(load_preferences().theme, ThemeChoice::system);
    EXPECT_FLOAT_EQ(load_preferences().interface_scale, 3);
}

TEST(InterfaceScale, GoesUpAndDownBetweenItsEnds) {
    EXPECT_FLOAT_EQ(next_interface_scale(1, true), 1.1F);
    EXPECT_FLOAT_EQ(next_interface_scale(1, false), 0.9F);
    EXPECT_FLOAT_EQ(next_interface_scale(1.3F, true), 1.5F);
    EXPECT_FLOAT_EQ(next_interface_scale(1.3F, false), 1.25F);
    EXPECT_FLOAT_EQ(next_interface_scale(3, true), 3);
    EXPECT_FLOAT_EQ(next_interface_scale(0.7F, false), 0.7F);
}

TEST(RememberFileTest, KeepsTheTwelveMostRecentOnceEach) {
    Preferences settings;
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
    Preferences settings;
    remember_file(settings, "snapshot.pickle");
    EXPECT_EQ(settings.recent_files[0], (std::filesystem::current_path() / "snapshot.pickle").string());
}

TEST(RememberQueryTest, MovesARepeatedQueryToTheEnd) {
    Preferences settings;
    for (const char* sql : {"a", "b", "a"}) remember_query(settings, sql);
    EXPECT_EQ(settings.query_history, (std::vector<std::string>{"b", "a"}));
    for (int i = 0; i < 500; ++i) remember_query(settings, std::to_string(i));
    EXPECT_EQ(settings.query_history.size(), 200U);
    EXPECT_EQ(settings.query_history.back(), "499");
}

TEST(StarQueryTest, TakesTheOldestOutWhereThereAreTooMany) {
    Preferences settings;
    for (int i = 0; i < 150; ++i) star_query(settings, std::to_string(i), true);
    EXPECT_EQ(settings.saved_queries.size(), 100U);
    EXPECT_EQ(settings.saved_queries.front(), "149");
    star_query(settings, "60", true);
    EXPECT_EQ(settings.saved_queries.front(), "60");
    EXPECT_EQ(settings.saved_queries.size(), 100U);
    star_query(settings, "60", false);
    EXPECT_EQ(settings.saved_queries.front(), "149");
    star_query(settings, "", true);
    EXPECT_EQ(settings.saved_queries.size(), 99U);
}

}  // namespace
}  // namespace snapviewer
