#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/features/overlay_choice.h"
#include "core/base/output_file.h"

namespace snapviewer {

/// The tracks below the picture.
struct TrackSettings {
    bool show = true;
    float fraction = 0.3F;            ///< of the timeline's height at most
    std::vector<std::string> folded;  ///< names
};

/// Dark, light, or as the desktop has it.
enum class ThemeChoice : std::uint8_t { system, dark, light };

/// How stacks are shown, and the way from there into the sources.
struct StackSettings {
    static constexpr const char* k_default_rules = "fold <interpreter>\nfold <framework>\n";
    std::string frame_rules = k_default_rules;  ///< see FrameRules::parse()
    std::string editor_command;                 ///< see editor_words(); none where blank
    std::string source_folders;                 ///< see PathMap::parse()
    bool operator==(const StackSettings&) const = default;
};

/// What the window remembers between two runs. Kept as JSON in $XDG_CONFIG_HOME/snapviewer/settings.json
/// (~/.config/snapviewer/settings.json where that is not set).
struct Preferences {
    std::vector<std::string> recent_files;   ///< absolute paths, most recent first
    std::vector<std::string> recent_places;  ///< folders they were opened from, most recent first
    int window_width_px = 1600;
    int window_height_px = 900;
    float details_fraction = 0.30F;  ///< of the window's width
    float query_fraction = 0.30F;    ///< of the window's height
    float query_split = 0.36F;       ///< of the query pane's width, for the input
    bool show_query = true;
    bool show_address_map = false;
    float address_map_fraction = 0.35F;      ///< of the height that it shares with the picture
    std::vector<std::string> query_history;  ///< oldest first
    std::vector<std::string> saved_queries;  ///< those with a star, the last one first
    std::string colour_by = "stack";
    std::string kind_rules;  ///< the user's own, see KindRules::parse(); none where blank
    StackSettings stacks;
    bool show_minimap = true;
    bool show_names = true;    ///< names and sizes in the blocks of the picture
    bool clock_times = false;  ///< the time axis says the time of day
    ThemeChoice theme = ThemeChoice::system;
    float interface_scale = 1;  ///< of what the monitor asks for; see next_interface_scale()
    OverlayChoice overlays;
    TrackSettings tracks;

    // Not remembered:
    std::string error;                          ///< what became of a file that could not be read, as a sentence
    bool has_news = false;                      ///< a file or a query that is not saved yet
    bool is_changed = false;                    ///< in a way that another window, and this one after a crash, should know of
    std::shared_ptr<const Preferences> agreed;  ///< as they were when they were last read or written
};

/// A broken, absent or oversized file gives the defaults; one that is there is set aside, as settings.json.broken. A value
/// out of its range is brought into it.
Preferences load_preferences();

/// Replaces the file in one step, so that nobody ever reads half of it. What other windows wrote meanwhile stays, but for
/// what was changed in this one, too; their recent files and queries join those in `settings`. Keys this program does not
/// know stay as they are. Fails with a sentence where the file cannot be written, or read; where the environment names no
/// place for it, the window just forgets.
Status save_preferences(Preferences& settings, OutputFile::Durability durability = OutputFile::Durability::synced);

/// "system", "dark", "light".
const char* theme_name(ThemeChoice choice);

/// The next larger one that there is, or the next smaller.
float next_interface_scale(float scale, bool is_larger);

/// What there is to say when they could not be saved.
std::string preferences_not_kept(const Error& why);

/// Puts a file at the head of the recent files, and its folder at the head of the recent places.
void remember_file(Preferences& settings, const std::string& path);

/// Puts a query at the end of the history; one that is there already moves.
void remember_query(Preferences& settings, const std::string& sql);

/// Puts a query at the head of the saved ones, or takes it out of them. Of too many the oldest goes.
void star_query(Preferences& settings, const std::string& sql, bool is_saved);

}  // namespace snapviewer
