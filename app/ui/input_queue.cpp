#define GLFW_INCLUDE_NONE

#include "app/ui/input_queue.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace snapviewer {

bool is_plain_text(const InputEvent& event) {
    constexpr int k_command_mods = GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER;
    return event.key <= GLFW_KEY_WORLD_2 && (event.mods & k_command_mods) == 0;
}

namespace {

bool is_modifier(int key) { return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER; }

bool is_press(const InputEvent& event) { return event.key != 0 && event.action != GLFW_RELEASE; }

bool ends_portion(const InputEvent& event) { return is_press(event) && !is_modifier(event.key) && !is_plain_text(event); }

bool is_action(const InputEvent& event) { return is_press(event) && !is_modifier(event.key); }

/// True if the event must wait for the next frame, because ImGui would lose information if it got the event in the same
/// frame as the events of `portion`: a release and a press of the same key look like one held key; characters are not text
/// while Ctrl is down; and a key such as Enter may act on the text before it, which is processed only at the end of a frame.
bool begins_portion(const InputEvent& event, const InputPortion& portion) {
    if (!portion.buttons.empty()) return true;
    if (!is_press(event) || is_plain_text(event)) return false;
    if (event.key == GLFW_KEY_LEFT_SHIFT || event.key == GLFW_KEY_RIGHT_SHIFT) return false;
    return std::ranges::any_of(portion.keys, [](const InputEvent& each) { return each.character != 0; }) ||
           (!is_modifier(event.key) && std::ranges::find(portion.keys, event.key, &InputEvent::key) != portion.keys.end());
}

/// A move after a button event must wait, because the button event belongs to the old position.
bool begins_portion(const MouseMove&, const InputPortion& portion) { return !portion.buttons.empty(); }

/// A press must wait for earlier key presses, because it may move the keyboard focus away from their target.
bool begins_portion(const MouseButton&, const InputPortion& portion) {
    return !portion.buttons.empty() || std::ranges::any_of(portion.keys, is_action);
}

/// Wheel turns may share a frame with moves. A touchpad gesture sends many of both, and one frame for each would be slow.
bool begins_portion(const WheelTurn&, const InputPortion& portion) { return !portion.buttons.empty(); }

void add(const InputEvent& event, InputPortion& portion) { portion.keys.push_back(event); }
void add(const MouseMove& move, InputPortion& portion) { portion.moves.push_back(move); }
void add(const MouseButton& button, InputPortion& portion) { portion.buttons.push_back(button); }
void add(const WheelTurn& turn, InputPortion& portion) {
    portion.wheel.x += turn.x;
    portion.wheel.y += turn.y;
}

}  // namespace

InputPortion InputQueue::take_portion() {
    InputPortion portion;
    while (!events_.empty()) {
        const auto& event = events_.front();
        if (std::visit([&](const auto& each) { return begins_portion(each, portion); }, event)) break;
        std::visit([&](const auto& each) { add(each, portion); }, event);
        events_.pop_front();
        if (!portion.keys.empty() && ends_portion(portion.keys.back())) break;
    }
    return portion;
}

namespace {

struct NamedKey {
    std::string_view name;
    int key;
};
/// Names of keys. One name may mean several keys.
constexpr std::array k_named_keys = {
    NamedKey{"Enter", GLFW_KEY_ENTER}, NamedKey{"Enter", GLFW_KEY_KP_ENTER}, NamedKey{"+", GLFW_KEY_EQUAL},
    NamedKey{"+", GLFW_KEY_KP_ADD},    NamedKey{"-", GLFW_KEY_MINUS},        NamedKey{"-", GLFW_KEY_KP_SUBTRACT},
    NamedKey{"0", GLFW_KEY_0},         NamedKey{"0", GLFW_KEY_KP_0},         NamedKey{"Backspace", GLFW_KEY_BACKSPACE},
    NamedKey{"Esc", GLFW_KEY_ESCAPE},  NamedKey{"Home", GLFW_KEY_HOME},      NamedKey{"Tab", GLFW_KEY_TAB}};

std::vector<int> keys_of(std::string_view name) {
    std::vector<int> keys;
    for (const NamedKey& each : k_named_keys) {
        if (each.name == name) keys.push_back(each.key);
    }
    if (!keys.empty()) return keys;
    if (name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z') return {GLFW_KEY_A + (name[0] - 'A')};
    const auto number = name.starts_with('F') ? parse_number<int>(name.substr(1)) : std::nullopt;
    if (number && *number >= 1 && *number <= 12) return {GLFW_KEY_F1 + *number - 1};
    return {};
}

bool takes_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

void add_chords(std::string_view text, std::vector<KeyChord>& chords) {
    int mods = 0;
    while (true) {
        if (takes_prefix(text, "Ctrl+"))
            mods |= GLFW_MOD_CONTROL;
        else if (takes_prefix(text, "Shift+"))
            mods |= GLFW_MOD_SHIFT;
        else if (takes_prefix(text, "Alt+"))
            mods |= GLFW_MOD_ALT;
        else
            break;
    }
    for (const int key : keys_of(text)) chords.push_back({key, mods});
}

bool types_a_sign(int key) {
    return key == GLFW_KEY_EQUAL || key == GLFW_KEY_KP_ADD || key == GLFW_KEY_MINUS || key == GLFW_KEY_KP_SUBTRACT;
}

}  // namespace

std::vector<KeyChord> key_chords(std::string_view text) {
    constexpr std::string_view k_between = ", ";
    std::vector<KeyChord> chords;
    while (!text.empty()) {
        const std::size_t end = text.find(k_between);
        add_chords(text.substr(0, end), chords);
        text = end == text.npos ? std::string_view() : text.substr(end + k_between.size());
    }
    return chords;
}

bool is_chord(const InputEvent& event, const KeyChord& chord) {
    if (event.key != chord.key) return false;
    int mods = event.mods & (GLFW_MOD_SHIFT | GLFW_MOD_CONTROL | GLFW_MOD_ALT);
    if ((event.mods & GLFW_MOD_SUPER) != 0) mods |= GLFW_MOD_CONTROL;
    if (types_a_sign(chord.key)) mods &= ~GLFW_MOD_SHIFT;
    return mods == chord.mods;
}

bool is_command_chord(const KeyChord& chord) {
    return (chord.mods & GLFW_MOD_CONTROL) != 0 || (chord.key >= GLFW_KEY_F1 && chord.key <= GLFW_KEY_F12);
}

}  // namespace snapviewer
