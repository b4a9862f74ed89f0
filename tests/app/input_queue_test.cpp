#include "app/window/input_queue.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace snapviewer {
namespace {

void press(InputQueue& queue, int key, int mods = 0) { queue.push({key, 0, GLFW_PRESS, mods, 0}); }
void release(InputQueue& queue, int key, int mods = 0) { queue.push({key, 0, GLFW_RELEASE, mods, 0}); }
void type(InputQueue& queue, const std::string& text) {
    for (const char c : text) {
        const int key = c >= 'a' ? c - 'a' + GLFW_KEY_A : c;
        press(queue, key);
        queue.push({0, 0, 0, 0, static_cast<std::uint32_t>(c)});
        release(queue, key);
    }
}

/// One frame: what ImGui 1.86 sees of it. Text as it is, " +264" for a key that came down;
/// a key that is down at the end of a frame as at its start has done nothing, and text counts only without Ctrl.
std::string seen_in_frame(InputQueue& queue, std::vector<int>& down) {
    std::string seen;
    const std::vector<int> before = down;
    for (const InputEvent& event : queue.take_portion()) {
        if (event.character != 0) seen += static_cast<char>(event.character);
        if (event.key <= GLFW_KEY_WORLD_2) continue;
        std::erase(down, event.key);
        if (event.action != GLFW_RELEASE) down.push_back(event.key);
    }
    const bool is_control_down = std::ranges::find(down, GLFW_KEY_LEFT_CONTROL) != down.end();
    if (is_control_down) seen.clear();
    for (const int key : down) {
        if (std::ranges::find(before, key) == before.end()) seen += " +" + std::to_string(key);
    }
    return seen;
}

/// What all frames see, until nothing is left to see.
std::string seen(InputQueue& queue) {
    std::string all;
    std::vector<int> down;
    while (!queue.is_empty()) all += seen_in_frame(queue, down);
    return all;
}

TEST(InputQueue, ASlowFrameLosesNoSecondPress) {
    InputQueue queue;
    for (int i = 0; i < 3; ++i) {
        press(queue, GLFW_KEY_DOWN);
        release(queue, GLFW_KEY_DOWN);
    }
    EXPECT_EQ(seen(queue), " +264 +264 +264");
}

TEST(InputQueue, LinesBetweenQuickReturnsStayInOrder) {
    InputQueue queue;
    type(queue, "ab");
    press(queue, GLFW_KEY_ENTER);
    release(queue, GLFW_KEY_ENTER);
    type(queue, "b");
    press(queue, GLFW_KEY_ENTER);
    release(queue, GLFW_KEY_ENTER);
    type(queue, "c");
    EXPECT_EQ(seen(queue), "ab +257b +257c");
}

TEST(InputQueue, EnterComesInTheFrameAfterTheTextThatItActsOn) {
    InputQueue queue;
    type(queue, "ab");
    press(queue, GLFW_KEY_ENTER);
    for (const InputEvent& event : queue.take_portion()) EXPECT_NE(event.key, GLFW_KEY_ENTER);
    const std::vector<InputEvent> second = queue.take_portion();
    ASSERT_FALSE(second.empty());
    EXPECT_EQ(second.front().key, GLFW_KEY_ENTER);
}

TEST(InputQueue, TextJustBeforeControlIsNotDropped) {
    InputQueue queue;
    type(queue, "limit");
    press(queue, GLFW_KEY_LEFT_CONTROL);
    press(queue, GLFW_KEY_ENTER, GLFW_MOD_CONTROL);
    release(queue, GLFW_KEY_ENTER, GLFW_MOD_CONTROL);
    release(queue, GLFW_KEY_LEFT_CONTROL);
    type(queue, "x");
    EXPECT_EQ(seen(queue), "limit +341 +257x");
}

TEST(InputQueue, PlainTypingIsOnePortionHoweverOftenALetterComes) {
    InputQueue queue;
    type(queue, "aaa");
    press(queue, GLFW_KEY_LEFT_SHIFT);
    press(queue, GLFW_KEY_A, GLFW_MOD_SHIFT);
    queue.push({0, 0, 0, 0, 'A'});
    release(queue, GLFW_KEY_A, GLFW_MOD_SHIFT);
    release(queue, GLFW_KEY_LEFT_SHIFT);
    type(queue, "a a");
    queue.take_portion();
    EXPECT_TRUE(queue.is_empty());
}

TEST(InputQueue, ANewPressOfTheSameShortcutIsSeenAgain) {
    InputQueue queue;
    press(queue, GLFW_KEY_LEFT_CONTROL);
    for (int i = 0; i < 2; ++i) {
        press(queue, GLFW_KEY_Z, GLFW_MOD_CONTROL);
        release(queue, GLFW_KEY_Z, GLFW_MOD_CONTROL);
    }
    int presses_at_an_end = 0;
    while (!queue.is_empty()) {
        const std::vector<InputEvent> portion = queue.take_portion();
        if (portion.back().key == GLFW_KEY_Z && portion.back().action == GLFW_PRESS) ++presses_at_an_end;
    }
    EXPECT_EQ(presses_at_an_end, 2);
}

}  // namespace
}  // namespace snapviewer
