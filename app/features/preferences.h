#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/output_file.h"
#include "core/timeline/overlays.h"

namespace snapviewer {

/// The overlays that the user switched on or off, by OverlayItem::id. Saved in the preferences. An overlay without an entry
/// has its default visibility.
using OverlayChoice = std::map<std::string, bool, std::less<>>;

/// One overlay above the allocations that the user can switch on and off.
struct OverlayItem {
    enum class Kind { curve, gap, level, peak_line, markers, pending };
    Kind kind = Kind::curve;
    std::size_t index = 0;  ///< index of the curve or level in Overlays
    std::string id;         ///< key of the overlay in an OverlayChoice
    std::string name;       ///< label of the overlay in the legend
    std::string doc;        ///< sentence for the tooltip of the overlay
    bool is_shown = false;
    CurveRole role = CurveRole::other;  ///< role of the curve; unused for other kinds
    bool is_stacked = false;            ///< true for a curve drawn as an area, stacked on top of the previous ones
};

/// All overlays of one device that can be switched, in the order of the legend.
std::vector<OverlayItem> overlay_items(const Overlays& overlays, const OverlayChoice& choice);

/// The two curves that enclose the memory that is reserved but not in use. Both are null if the file has no such curves.
struct GapCurves {
    const Curve* lower = nullptr;
    const Curve* upper = nullptr;
};
GapCurves gap_curves(const Overlays& overlays);

/// True if the track has anything to draw below the timeline.
bool has_content(const BandTrack& track);
bool has_content(const CurveTrack& track);
bool has_tracks(const Overlays& overlays);

/// The largest value of the visible overlays, in bytes. The view of the whole timeline must include it, besides the
/// allocations.
double shown_top_bytes(const Overlays& overlays, const OverlayChoice& choice);

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

/// Preferences that persist between two runs. Stored as JSON in $XDG_CONFIG_HOME/snapviewer/settings.json, or in
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
    bool has_news = false;  ///< true if a recent file or a query was added since the last save
    /// True if a change should be saved soon, so that it survives a crash and other windows see it.
    bool is_changed = false;
    /// The preferences as they were last read or written, for merging with other windows' changes.
    std::shared_ptr<const Preferences> agreed;
};

/// Reads the preferences. An absent, damaged or oversized file gives the defaults; an existing damaged file is renamed to
/// settings.json.broken. Values out of range are clamped.
Preferences load_preferences();

/// Merges `settings` into the preferences file and replaces the file atomically. Values that other windows wrote since stay,
/// unless this window changed the same value. Recent files and queries of other windows are added to `settings`. Unknown
/// keys are kept. Fails with a sentence if the file cannot be read or written. Does nothing if the environment defines no
/// place for the file.
Status save_preferences(Preferences& settings, OutputFile::Durability durability = OutputFile::Durability::synced);

/// The name of a theme in the preferences file: "system", "dark" or "light".
const char* theme_name(ThemeChoice choice);

/// The next larger or next smaller supported scale. Returns `scale` if it is already the largest or smallest.
float next_interface_scale(float scale, bool is_larger);

/// The message for the user when the preferences could not be saved.
std::string preferences_not_kept(const Error& why);

/// Moves a file to the front of the recent files, and its folder to the front of the recent places.
void remember_file(Preferences& settings, const std::string& path);

/// Moves a query to the end of the history, or appends it.
void remember_query(Preferences& settings, const std::string& sql);

/// Adds a query at the front of the starred queries, or removes it from them. Drops the oldest one if there are too many.
void star_query(Preferences& settings, const std::string& sql, bool is_saved);

}  // namespace snapviewer
