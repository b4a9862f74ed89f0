#include "app/ui/input_queue.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "app/shell/application.h"

namespace snapviewer::key_chord_test {
namespace {

InputEvent press(int key, int mods) { return {key, 0, GLFW_PRESS, mods, 0}; }

TEST(KeyChord, ReadsWhatTheMenusShow) {
    EXPECT_EQ(key_chords("F, Home"), (std::vector<KeyChord>{{GLFW_KEY_F, 0}, {GLFW_KEY_HOME, 0}}));
    EXPECT_EQ(key_chords("Ctrl+Shift+P"), (std::vector<KeyChord>{{GLFW_KEY_P, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT}}));
    EXPECT_EQ(key_chords("F11"), (std::vector<KeyChord>{{GLFW_KEY_F11, 0}}));
    EXPECT_EQ(key_chords("Shift+Enter").size(), 2U);
    EXPECT_EQ(key_chords("Ctrl++"),
              (std::vector<KeyChord>{{GLFW_KEY_EQUAL, GLFW_MOD_CONTROL}, {GLFW_KEY_KP_ADD, GLFW_MOD_CONTROL}}));
    EXPECT_EQ(key_chords("Ctrl+0"),
              (std::vector<KeyChord>{{GLFW_KEY_0, GLFW_MOD_CONTROL}, {GLFW_KEY_KP_0, GLFW_MOD_CONTROL}}));
    EXPECT_TRUE(key_chords("F13, Qq").empty());
    EXPECT_TRUE(key_chords("").empty());
}

TEST(KeyChord, OnlyItsOwnModifiersAreIt) {
    const KeyChord n = key_chords("N").front();
    EXPECT_TRUE(is_chord(press(GLFW_KEY_N, 0), n));
    EXPECT_FALSE(is_chord(press(GLFW_KEY_N, GLFW_MOD_SHIFT), n));
    EXPECT_FALSE(is_chord(press(GLFW_KEY_M, 0), n));
    EXPECT_TRUE(is_chord(press(GLFW_KEY_EQUAL, GLFW_MOD_SHIFT), key_chords("+").front()));
    EXPECT_TRUE(is_chord(press(GLFW_KEY_P, GLFW_MOD_SUPER), key_chords("Ctrl+P").front()));
}

/// Two commands with one shortcut would both run. Esc, Enter and the like are exceptions, because they go to one command at
/// a time.
TEST(KeyChord, NoKeyMeansTwoThings) {
    std::map<std::pair<int, int>, std::string> taken;
    const std::unique_ptr<shell::Application> window = shell::Application::create_parked(Preferences{});
    ASSERT_FALSE(window->commands().in_menus().empty());
    for (const Command& command : window->commands().in_menus()) {
        EXPECT_EQ(key_chords(command.keys).empty(), *command.keys == '\0') << command.name;
        for (const KeyChord& chord : key_chords(command.keys)) {
            if (chord.key == GLFW_KEY_ESCAPE) continue;
            EXPECT_TRUE(taken.emplace(std::pair(chord.key, chord.mods), command.name).second)
                << command.name << command.keys;
        }
    }
}

}  // namespace
}  // namespace snapviewer::key_chord_test
