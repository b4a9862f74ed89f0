#include "app/ui/key_chord.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <array>

#include "core/base/number_text.h"

namespace snapviewer {
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
