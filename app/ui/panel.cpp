#include "app/ui/panel.h"

#include <imgui_internal.h>  // nothing else tells from outside which window has the keyboard

#include "app/ui/keys.h"

namespace snapviewer {
namespace {

/// Closes the current window on Esc. A text field in one of its child windows loses the focus first.
void close_on_escape(bool& is_open) {
    const bool has_keyboard = ImGui::IsWindowFocused() || (ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows) &&
                                                           !ImGui::GetIO().WantTextInput);
    if (has_keyboard && key_pressed(Key::escape)) is_open = false;
}

}  // namespace

bool begin_panel(const char* name, const Area& area, ImGuiWindowFlags flags) {
    ImGui::SetNextWindowPos(area.pos);
    ImGui::SetNextWindowSize(area.size);
    return ImGui::Begin(name, nullptr,
                        flags | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                            ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                            ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoFocusOnAppearing);
}

bool begin_floating_window(const char* name, bool& is_open, ImGuiWindowFlags flags) {
    ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ImGui::GetStyle().PopupRounding);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyleColorVec4(ImGuiCol_PopupBg));
    const bool is_shown =
        ImGui::Begin(name, &is_open, flags | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(2);
    if (is_shown) close_on_escape(is_open);
    return is_shown;
}

bool begin_docked_window(const char* name, const Area& area, bool& is_open) {
    ImGui::SetNextWindowPos(area.pos);
    ImGui::SetNextWindowSize(area.size);
    const bool is_shown =
        ImGui::Begin(name, &is_open,
                     ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove |
                         ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoBringToFrontOnFocus);
    if (is_shown) close_on_escape(is_open);
    return is_shown;
}

/// True if a docked or floating window has the keyboard focus; of all windows, only these have a title bar.
bool window_has_keyboard() {
    const ImGuiWindow* const window = ImGui::GetCurrentContext()->NavWindow;
    return window != nullptr && (window->RootWindow->Flags & ImGuiWindowFlags_NoTitleBar) == 0;
}

}  // namespace snapviewer
