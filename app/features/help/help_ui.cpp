#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <string>
#include <utility>

#include "app/build_facts.h"
#include "app/features/help/help.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"

namespace snapviewer::help {
namespace {

constexpr float k_about_width = 460;

void draw_key_row(const char* keys, const std::string& text) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    coloured_text(palette().accent, keys);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(text.c_str());
}

/// Mouse gestures, and keys that belong to no menu command because they only move the picture or edit text.
constexpr std::array k_mouse_rows = {
    std::pair{"Drag, WASD, arrows", "Move the picture"},
    std::pair{"Wheel", "Zoom in and out at the pointer"},
    std::pair{"Ctrl+wheel, Shift+wheel", "Zoom along steps only; along memory only"},
    std::pair{"Right drag", "Zoom to a box; with Shift, to its steps"},
    std::pair{"Ctrl+drag", "Measure a range: steps, time, bytes, and what was allocated, freed and kept"},
    std::pair{"Click", "Select an allocation"},
    std::pair{"Right click", "In the flame graph: the callers and callees of a bar"},
    std::pair{"Double click", "Zoom to an allocation's lifetime; on empty space, zoom to fit"},
    std::pair{"Buttons 4 and 5", "Previous view and next view"},
    std::pair{"Drop a file", "Open it; on the tab strip, in a new tab"},
    std::pair{"Middle click", "On a tab: close it; on a recent file: open it in a new tab"}};

}  // namespace

void Help::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::window,
                            .command = CommandId::help_keys,
                            .is_open = &shows_keys_,
                            .draw = [this](const Area& /*area*/, Requests& /*requests*/) { draw_keys_window(); }});
    board.docked.push_back({.dock = Dock::window,
                            .command = CommandId::help_about,
                            .is_open = &shows_about_,
                            .draw = [this](const Area& /*area*/, Requests& /*requests*/) { draw_about_window(); }});
}

void Help::draw_keys_window() {
    if (!shows_keys_) return;
    const ImVec2 room = ImGui::GetMainViewport()->Size;
    ImGui::SetNextWindowSizeConstraints({0, 0}, {room.x * 0.96F, room.y * 0.9F});
    if (begin_floating_window("Keyboard and mouse", shows_keys_, ImGuiWindowFlags_AlwaysAutoResize) &&
        ImGui::BeginTable("keys", 2, ImGuiTableFlags_RowBg)) {
        ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed);
        ImGui::TableSetupColumn("text", ImGuiTableColumnFlags_WidthFixed);
        for (const auto& [keys, text] : k_mouse_rows) draw_key_row(keys, text);
        for (const Command& command : commands_.in_menus()) {
            if (*command.keys != '\0') draw_key_row(command.keys, command.words_now(session_));
        }
        ImGui::EndTable();
    }
    ImGui::End();
}

void Help::draw_about_window() {
    if (!shows_about_) return;
    ImGui::SetNextWindowSize({scaled(k_about_width), 0}, ImGuiCond_Appearing);
    if (begin_floating_window("About", shows_about_, ImGuiWindowFlags_NoResize)) {
        const BuildFacts& facts = k_build_facts;
        ImGui::TextUnformatted("snapviewer " SNAPVIEWER_VERSION);
        observe_item("about_version");
        draw_paragraph(palette().text_dim, fmt::format("Commit {}, made for {}.", facts.commit, facts.made_for));
        ImGui::Spacing();
        draw_paragraph(palette().text_dim,
                       "A viewer for GPU-memory snapshots: every allocation drawn, all of it in SQL. MIT licence.");
        ImGui::Spacing();
        draw_paragraph(palette().text_dim,
                       fmt::format("With {}, and the fonts Open Sans and JetBrains Mono.", facts.libraries));
    }
    ImGui::End();
}

}  // namespace snapviewer::help
