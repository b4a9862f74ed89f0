#include "app/ui/input_queue.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace snapviewer {
namespace {

void press(InputQueue& queue, int key, int mods = 0) { queue.push(InputEvent{key, 0, GLFW_PRESS, mods, 0}); }
void release(InputQueue& queue, int key, int mods = 0) { queue.push(InputEvent{key, 0, GLFW_RELEASE, mods, 0}); }
void type(InputQueue& queue, const std::string& text) {
    for (const char c : text) {
        const int key = c >= 'a' ? c - 'a' + GLFW_KEY_A : c;
        press(queue, key);
        queue.push(InputEvent{0, 0, 0, 0, static_cast<std::uint32_t>(c)});
        release(queue, key);
    }
}

/// Simulates what ImGui 1.86 notices in one frame: text as it is, and " +264" for a key press. A key whose state at the end
/// of the frame is the same as at its start is not noticed, and characters count as text only without Ctrl.
std::string seen_in_frame(InputQueue& queue, std::vector<int>& down) {
    std::string seen;
    const std::vector<int> before = down;
    for (const InputEvent& event : queue.take_portion().keys) {
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

/// Everything that ImGui notices until the queue is empty.
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
    for (const InputEvent& event : queue.take_portion().keys) EXPECT_NE(event.key, GLFW_KEY_ENTER);
    const std::vector<InputEvent> second = queue.take_portion().keys;
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
    queue.push(InputEvent{0, 0, 0, 0, 'A'});
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
        const std::vector<InputEvent> portion = queue.take_portion().keys;
        if (portion.back().key == GLFW_KEY_Z && portion.back().action == GLFW_PRESS) ++presses_at_an_end;
    }
    EXPECT_EQ(presses_at_an_end, 2);
}

void click(InputQueue& queue) {
    queue.push(MouseButton{GLFW_MOUSE_BUTTON_LEFT, true});
    queue.push(MouseButton{GLFW_MOUSE_BUTTON_LEFT, false});
}

/// Mouse positions at which the button is noticed to go down, one per frame in which it was not down before.
std::vector<double> places_of_presses(InputQueue& queue) {
    std::vector<double> places;
    double place = -1;
    bool was_down = false;
    bool is_down = false;
    while (!queue.is_empty()) {
        const InputPortion portion = queue.take_portion();
        if (!portion.moves.empty()) place = portion.moves.back().x;
        for (const MouseButton& each : portion.buttons) is_down = each.is_down;
        if (is_down && !was_down) places.push_back(place);
        was_down = is_down;
    }
    return places;
}

TEST(InputQueue, TwoClicksWithinASlowFrameAreTwo) {
    InputQueue queue;
    queue.push(MouseMove{7, 0});
    click(queue);
    click(queue);
    EXPECT_EQ(places_of_presses(queue), (std::vector<double>{7, 7}));
}

TEST(InputQueue, AClickIsWhereTheMouseWasThen) {
    InputQueue queue;
    queue.push(MouseMove{1, 0});
    queue.push(MouseMove{2, 0});
    click(queue);
    queue.push(MouseMove{3, 0});
    queue.push(MouseMove{4, 0});
    click(queue);
    queue.push(MouseMove{5, 0});
    EXPECT_EQ(places_of_presses(queue), (std::vector<double>{2, 4}));
}

TEST(InputQueue, MovesAloneAreOnePortionHoweverMany) {
    InputQueue queue;
    for (int i = 0; i < 100; ++i) queue.push(MouseMove{static_cast<double>(i), 0});
    EXPECT_EQ(queue.take_portion().moves.back().x, 99);
    EXPECT_TRUE(queue.is_empty());
}

TEST(InputQueue, KeysAndClicksStayInOrder) {
    InputQueue queue;
    type(queue, "ab");
    click(queue);
    type(queue, "cd");
    EXPECT_TRUE(queue.take_portion().buttons.empty()) << "the text is for what the click takes the keyboard from";
    const InputPortion press = queue.take_portion();
    EXPECT_TRUE(press.keys.empty() && press.buttons.size() == 1 && press.buttons[0].is_down);
    const InputPortion release = queue.take_portion();
    EXPECT_TRUE(release.keys.empty() && release.buttons.size() == 1 && !release.buttons[0].is_down);
    EXPECT_EQ(seen(queue), "cd");
}

TEST(InputQueue, AClickWithControlHasIt) {
    InputQueue queue;
    press(queue, GLFW_KEY_LEFT_CONTROL);
    click(queue);
    release(queue, GLFW_KEY_LEFT_CONTROL);
    const InputPortion first = queue.take_portion();
    EXPECT_EQ(first.keys.size(), 1U);
    EXPECT_EQ(first.buttons.size(), 1U);
    EXPECT_TRUE(queue.take_portion().keys.empty()) << "it is still down when the button goes up";
    EXPECT_EQ(queue.take_portion().keys.size(), 1U);
}

TEST(InputQueue, TheWheelTurnsWhereTheMouseCameToBefore) {
    InputQueue queue;
    queue.push(MouseMove{10, 20});
    queue.push(WheelTurn{0, 1});
    queue.push(WheelTurn{0.5, 2});
    queue.push(MouseButton{0, true});
    queue.push(WheelTurn{0, -1});
    const InputPortion first = queue.take_portion();
    ASSERT_EQ(first.moves.size(), 1U);
    EXPECT_EQ(first.wheel.x, 0.5);
    EXPECT_EQ(first.wheel.y, 3);
    EXPECT_EQ(first.buttons.size(), 1U);
    const InputPortion second = queue.take_portion();
    EXPECT_EQ(second.wheel.y, -1) << "turned while the button was down";
    EXPECT_TRUE(queue.is_empty());
}

}  // namespace
}  // namespace snapviewer
