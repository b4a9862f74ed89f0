#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/output_file.h"

namespace snapviewer {

/// The overlays that the user switched on or off, by OverlayItem::id. Saved in the preferences. An overlay without an entry
/// has its default visibility.
using OverlayChoice = std::map<std::string, bool, std::less<>>;

/// Preferences for the tracks below the timeline.
struct TrackSettings {
    bool show = true;
    float fraction = 0.3F;            ///< maximum height of the tracks, as a fraction of the timeline's height
    std::vector<std::string> folded;  ///< names of the tracks that are folded
};

/// Theme of the window. `system` follows the preference of the desktop.
enum class ThemeChoice : std::uint8_t { system, dark, light };

/// How stacks are displayed, and how their source code is found and opened.
struct StackSettings {
    static constexpr const char* k_default_rules = "fold <interpreter>\nfold <framework>\n";
    std::string frame_rules = k_default_rules;  ///< rules for folding frames, see FrameRules::parse()
    std::string editor_command;                 ///< command that opens the editor, see editor_words(); blank for no editor
    std::string source_folders;                 ///< where source files are on this machine, see PathMap::parse()
    bool operator==(const StackSettings&) const = default;
};

/// Preferences that persist between two runs, with their defaults. A saved member also has a row in k_preferences in
/// preferences.cpp: its key and its bounds. Stored as JSON in $XDG_CONFIG_HOME/snapviewer/settings.json, or in
/// ~/.config/snapviewer/settings.json if that variable is not set.
struct Preferences {
    std::vector<std::string> recent_files;   ///< absolute paths of opened files, most recent first
    std::vector<std::string> recent_places;  ///< folders of opened files, most recent first
    int window_width_px = 1600;
    int window_height_px = 900;
    float details_fraction = 0.30F;  ///< width of the details, as a fraction of the window's width
    float query_fraction = 0.30F;    ///< height of the query pane, as a fraction of the window's height
    float query_split = 0.36F;       ///< width of the query editor, as a fraction of the query pane's width
    bool show_query = true;
    bool show_address_map = false;
    /// Height of the address map, as a fraction of the height that it shares with the timeline.
    float address_map_fraction = 0.35F;
    std::vector<std::string> query_history;  ///< executed queries, oldest first
    std::vector<std::string> saved_queries;  ///< starred queries, most recently starred first
    std::string colour_by = "stack";
    std::string kind_rules;  ///< the user's rules for kinds of allocations, see KindRules::parse(); blank for none
    StackSettings stacks;
    bool show_minimap = true;
    bool show_names = true;    ///< draws names and sizes into the blocks of the timeline
    bool clock_times = false;  ///< labels the time axis with the time of day
    ThemeChoice theme = ThemeChoice::system;
    float interface_scale = 1;  ///< size of the interface, relative to the monitor's scale; see next_interface_scale()
    OverlayChoice overlays;
    TrackSettings tracks;

    // The fields below are not saved:
    /// What happened to a preferences file that could not be read, as a sentence; empty if there was no problem.
    std::string error;
    bool needs_saving = false;  ///< true if a change should be saved at the end of the frame, so that it survives a crash
};

/// Reads the preferences. An absent, damaged or oversized file gives the defaults; an existing damaged file is renamed to
/// settings.json.broken. Values out of range are clamped.
Preferences load_preferences();

/// Replaces the preferences file atomically. Of two windows that are open at once, the one that saves last wins. Keys that
/// this version does not know are kept. Fails with a sentence if the file cannot be read or written. Does nothing if the
/// environment defines no place for the file.
Status save_preferences(const Preferences& preferences, OutputFile::Durability durability = OutputFile::Durability::synced);

/// The message for the user when the preferences could not be saved.
std::string preferences_not_kept(const Error& why);

/// The next larger or next smaller supported scale. Returns `scale` if it is already the largest or smallest.
float next_interface_scale(float scale, bool is_larger);

/// Moves a file to the front of the recent files, and its folder to the front of the recent places.
void remember_file(Preferences& preferences, const std::string& path);

/// Moves a query to the end of the history, or appends it.
void remember_query(Preferences& preferences, const std::string& sql);

/// Adds a query at the front of the starred queries, or removes it from them. Drops the oldest one if there are too many.
void star_query(Preferences& preferences, const std::string& sql, bool is_saved);

/// The path of snapviewer/settings.json in config_folder(); empty if there is no such folder.
std::filesystem::path preferences_path();

/// Reads a JSON object from a file that belongs to the user: the preferences, or notes. An absent file gives an empty
/// object. A file that is damaged, deeply nested, or larger than this program writes is renamed to NAME.broken, so that
/// nothing overwrites it. The error is a sentence for the user. Its code is bad_file if the file was renamed, and io if it
/// could be neither read nor renamed.
Result<nlohmann::json> read_user_file(const std::filesystem::path& path);

/// Lets `change` edit the object of a file that read_user_file() reads, and replaces the file atomically if it returns true.
/// Creates missing folders. The file is locked meanwhile, but waits at most a fraction of a second for another window that
/// holds the lock. A damaged file is renamed and counts as empty. The error names the file or folder.
Status change_user_file(const std::filesystem::path& path, OutputFile::Durability durability,
                        const std::function<bool(nlohmann::json&)>& change);

}  // namespace snapviewer
