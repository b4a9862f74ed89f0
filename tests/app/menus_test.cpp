#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "app/features/command_palette/command_palette.h"
#include "app/features/compare/compare.h"
#include "app/features/details/details.h"
#include "app/features/files/files.h"
#include "app/features/fleet/fleet.h"
#include "app/features/kinds/kinds.h"
#include "app/features/table/table.h"
#include "app/features/what_if/what_if.h"
#include "app/shell/application.h"

namespace snapviewer::menus_test {
namespace {

std::unique_ptr<shell::Application> empty_window() { return shell::Application::create_parked(Preferences{}); }

/// The first command that the palette finds, ignoring other entries.
std::optional<CommandId> found_by(const shell::Application& window, const std::string& typed) {
    std::optional<CommandId> best;
    int most = 0;
    for (const Command& command : window.commands().in_menus()) {
        const command_palette::PaletteEntry entry{"", command.words, command.keys, RunCommand{command.id}, command.synonyms};
        const auto points = command_palette::match_entry(entry, typed);
        if (!points || *points <= most) continue;
        most = *points;
        best = command.id;
    }
    return best;
}

TEST(Menus, NoneIsLongerThanOneLooksThrough) {
    const auto window = empty_window();
    std::size_t listed = 0;
    for (const MenuRow& row : menu_rows()) {
        const std::vector<MenuEntry> entries = window->commands().entries_of(row.menu);
        EXPECT_LE(entries.size(), 16U) << row.title << " is no longer easy to scan; move entries into a menu within it";
        for (const MenuEntry& entry : entries) listed += entry.command != nullptr ? 1 : 0;
    }
    EXPECT_EQ(listed, window->commands().in_menus().size()) << "each command stands in a menu that is drawn";
}

TEST(Menus, MenusWithinOthersStandAmongTheirCommands) {
    const auto window = empty_window();
    const std::vector<MenuEntry> entries = window->commands().entries_of(Menu::file);
    ASSERT_GE(entries.size(), 2U);
    EXPECT_EQ(entries[0].command->id, CommandId::file_open);
    ASSERT_NE(entries[1].menu, nullptr);
    EXPECT_EQ(entries[1].menu->menu, Menu::recent);
}

TEST(Menus, EveryCommandOfTheTableDoesSomething) {
    const auto window = empty_window();
    ASSERT_EQ(window->commands().all().size(), k_command_count);
    for (const Command& command : window->commands().all()) EXPECT_TRUE(command.run) << command.name;
}

TEST(Menus, EveryPageIsUnderPanels) {
    const auto window = empty_window();
    const std::map<std::string_view, CommandId> pages = {
        {"findings", CommandId::tools_findings}, {"growth", CommandId::tools_growth},
        {"pins", CommandId::page_pins},          {"live", CommandId::page_live},
        {"moments", CommandId::page_range},      {"allocation", CommandId::page_allocation}};
    for (const auto& [page, id] : pages) {
        const Command& command = window->commands().at(id);
        EXPECT_EQ(command.menu, Menu::panels) << command.name;
        window->session().pages.next.reset();
        command.run();
        EXPECT_EQ(window->session().pages.next, page) << command.name;
    }
}

/// Windows of the help, of saving and of notes are exceptions, because they are not panels.
TEST(Menus, EveryWindowIsUnderPanels) {
    const auto window = empty_window();
    const std::map<CommandId, const bool*> windows = {
        {CommandId::tools_table, &window->feature<table::AllocationList>().state().is_open},
        {CommandId::tools_what_if, &window->feature<what_if::WhatIfRuns>().state().is_open},
        {CommandId::tools_kind_rules, &window->feature<kinds::OwnRules>().is_open()},
        {CommandId::tools_stack_rules, &window->feature<details::SelectedDetails>().is_rules_window_open()},
        {CommandId::tools_compare, &window->feature<compare::CompareRuns>().state().is_open},
        {CommandId::tools_fleet, &window->feature<fleet::FleetRuns>().state().is_open},
        {CommandId::log_show, &window->feature<files::FileOpener>().import_log().is_open}};
    for (const auto& [id, is_open] : windows) {
        const Command& command = window->commands().at(id);
        EXPECT_EQ(command.menu, Menu::panels) << command.name;
        EXPECT_FALSE(*is_open) << command.name;
        command.run();
        EXPECT_TRUE(*is_open) << command.name;
    }
    for (const CommandId id : {CommandId::view_query, CommandId::view_address_map, CommandId::tools_settings}) {
        EXPECT_EQ(command_row(id).menu, Menu::panels) << command_row(id).name;
    }
}

TEST(Palette, FindsByWhatUsersCallIt) {
    const auto window = empty_window();
    EXPECT_EQ(found_by(*window, "leak"), CommandId::tools_growth);
    EXPECT_EQ(found_by(*window, "oom"), CommandId::tools_findings);
    EXPECT_EQ(found_by(*window, "out of memory"), CommandId::tools_findings);
    EXPECT_EQ(found_by(*window, "fragmentation"), CommandId::page_pins);
    EXPECT_EQ(found_by(*window, "pins"), CommandId::page_pins);
    EXPECT_EQ(found_by(*window, "shortcuts"), CommandId::help_keys);
    EXPECT_EQ(found_by(*window, "exit"), CommandId::file_quit);
}

TEST(Palette, ItsOwnWordsCountForMore) {
    const command_palette::PaletteEntry by_words{"", "Find leak", "", RunCommand{CommandId::view_fit}, ""};
    const command_palette::PaletteEntry by_synonym{"", "Growth", "", RunCommand{CommandId::view_zoom}, "leak"};
    ASSERT_TRUE(command_palette::match_entry(by_words, "leak") && command_palette::match_entry(by_synonym, "leak"));
    EXPECT_GT(*command_palette::match_entry(by_words, "leak"), *command_palette::match_entry(by_synonym, "leak"));
    EXPECT_FALSE(command_palette::match_entry(by_words, "growth"));
}

}  // namespace
}  // namespace snapviewer::menus_test
