#include <imgui.h>
#include <imgui_stdlib.h>
#include <nlohmann/json.hpp>

#include "app/features/allocator_settings/allocator_settings.h"
#include "app/features/requests.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/budget.h"
#include "core/base/text.h"

namespace snapviewer::allocator_settings {
namespace {

using nlohmann::ordered_json;

/// Maximum depth of the tree of settings. Deeper values are shown as text, because a file may nest values arbitrarily deep.
constexpr int k_max_depth = 12;

std::string text_of(const ordered_json& value) {
    if (value.is_string()) return value.get<std::string>();
    return json_text(value);
}

bool matches(const std::string& name, const ordered_json& value, const std::string& filter) {
    return filter.empty() || contains_in_any_case(name, filter) || contains_in_any_case(text_of(value), filter);
}

void copy_menu(const std::string& name, const std::string& text, Requests& requests) {
    if (!ImGui::BeginPopupContextItem("copy")) return;
    if (ImGui::MenuItem("Copy the value")) requests.ask(CopyText{text, "The value"});
    if (ImGui::MenuItem("Copy name and value")) requests.ask(CopyText{name + ": " + text, "Name and value"});
    ImGui::EndPopup();
}

void draw_leaf(const std::string& name, const std::string& text, Requests& requests) {
    ImGui::TreeNodeEx("leaf",
                      ImGuiTreeNodeFlags_Leaf | ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanFullWidth, "%s",
                      name.c_str());
    copy_menu(name, text, requests);
    ImGui::TableNextColumn();
    coloured_text(palette().accent, std::string_view(text).substr(0, 4096));
    if (ImGui::IsItemHovered() && ImGui::CalcTextSize(text.c_str()).x > ImGui::GetContentRegionAvail().x) {
        row_tooltip(text.substr(0, 2000));
    }
}

void draw_entry(const std::string& name, const ordered_json& value, const std::string& filter, int depth,
                Requests& requests) {
    if (!matches(name, value, filter)) return;
    ImGui::PushID(name.c_str());
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (!value.is_structured() || value.empty() || depth >= k_max_depth) {
        draw_leaf(name, text_of(value), requests);
        ImGui::PopID();
        return;
    }
    // If the name of this entry matches the filter, all its children are shown.
    const std::string below = contains_in_any_case(name, filter) ? std::string() : filter;
    if (!filter.empty()) ImGui::SetNextItemOpen(true);
    const bool is_open =
        ImGui::TreeNodeEx("node", ImGuiTreeNodeFlags_SpanFullWidth | ImGuiTreeNodeFlags_DefaultOpen, "%s", name.c_str());
    copy_menu(name, text_of(value), requests);
    if (is_open) {
        std::size_t index = 0;
        for (const auto& [key, child] : value.items()) {
            draw_entry(value.is_array() ? std::to_string(index) : key, child, below, depth + 1, requests);
            ++index;
        }
        ImGui::TreePop();
    }
    ImGui::PopID();
}

std::string all_text(const std::vector<std::pair<std::string, std::string>>& settings) {
    std::string text;
    for (std::size_t i = 0; i < settings.size(); ++i) {
        const auto& [name, value] = settings[i];
        if (text.size() + value.size() > limits::k_max_clipboard_bytes)
            return text + more_items(settings.size() - i, "setting") + "\n";
        text.append(name).append(": ").append(value).append("\n");
    }
    return text;
}

void draw_tree(const std::vector<std::pair<std::string, std::string>>& settings, const std::string& filter,
               Requests& requests) {
    const ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable;
    if (!ImGui::BeginTable("settings", 2, flags)) return;
    ImGui::TableSetupColumn("Name", ImGuiTableColumnFlags_WidthStretch, 0.5F);
    ImGui::TableSetupColumn("Value", ImGuiTableColumnFlags_WidthStretch, 0.5F);
    ImGui::TableHeadersRow();
    std::size_t parsed_bytes = 0;  // settings are parsed in every frame, so beyond this limit they are shown as text
    for (const auto& [name, value] : settings) {
        parsed_bytes += value.size();
        const bool is_parsed = parsed_bytes <= limits::k_max_stack_bytes;
        const ordered_json parsed = is_parsed ? parse_ordered_json(value) : ordered_json(value);
        draw_entry(name, parsed.is_discarded() ? ordered_json(value) : parsed, filter, 0, requests);
    }
    ImGui::EndTable();
}

}  // namespace

void AllocatorSettingsWindow::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::window,
                            .command = CommandId::tools_settings,
                            .is_possible = has_document,
                            .is_open = &is_open_,
                            .draw = [this](const Area& /*area*/, Requests& requests) {
                                if (session_.document && is_open_) draw(session_.document->snapshot->settings, requests);
                            }});
}

void AllocatorSettingsWindow::draw(const std::vector<std::pair<std::string, std::string>>& settings, Requests& requests) {
    ImGui::SetNextWindowSize({scaled(640), scaled(480)}, ImGuiCond_Appearing);
    if (begin_floating_window("Allocator settings", is_open_)) {
        if (settings.empty()) {
            ImGui::TextUnformatted("This file holds no settings.");
        } else {
            ImGui::SetNextItemWidth(scaled(300));
            ImGui::InputTextWithHint("##filter", "part of a name or value", &filter_);
            observe_item("settings_filter");
            ImGui::SameLine();
            if (observed(ImGui::Button("Copy all"), "settings_copy"))
                requests.ask(CopyText{all_text(settings), "All of it"});
            draw_tree(settings, filter_, requests);
        }
    }
    ImGui::End();
}

}  // namespace snapviewer::allocator_settings
