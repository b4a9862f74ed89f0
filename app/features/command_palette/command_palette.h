#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/features/notes/notes.h"
#include "app/features/query/queries.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/ui/background_task.h"
#include "app/ui/feature.h"

namespace snapviewer::command_palette {

/// An entry of the palette, with the request that it issues when chosen.
struct PaletteEntry {
    const char* kind = "";  ///< kind that is shown beside the name, such as "stack"; empty for a command
    std::string words;
    std::string keys;  ///< keyboard shortcut of a command
    Request request;
    std::string synonyms = {};  ///< other words that find the entry
};

/// State of the command palette, which finds commands, stacks, markers and ready queries by a few letters of their names.
struct PaletteState {
    bool wants_open = false;
    bool is_open = false;
    bool wants_keyboard = false;  ///< the field takes the keyboard focus in the next frame
    bool takes_letters = false;   ///< the field had the keyboard focus in the previous frame
    std::string typed;
    std::string typed_early;                          ///< letters typed before the field had the focus
    std::string matched_to;                           ///< the typed text that `matches` belongs to
    std::vector<PaletteEntry> entries;                ///< entries collected when the palette was opened
    std::optional<std::vector<PaletteEntry>> stacks;  ///< entries of stacks; nullopt until a worker thread has named them
    bool has_stacks = false;                          ///< `matches` includes `stacks`
    std::vector<const PaletteEntry*> matches;         ///< entries that match, best first
    std::size_t chosen = 0;                           ///< index into `matches`
    bool scroll_to_chosen = false;
};

/// The command palette. Offers the commands that can run now, what the window shows, and the stacks of the current picture,
/// whose names a worker thread makes.
class PaletteFiller : public Feature {
public:
    /// Keeps references; all must outlive this object. `tab_names` returns the names of the window's tabs.
    PaletteFiller(Session& session, const Commands& commands, notes::Notes& notes, const query::Queries& queries,
                  std::function<std::vector<std::string>()> tab_names)
        : session_(session), commands_(commands), notes_(notes), queries_(queries), tab_names_(std::move(tab_names)) {}

    /// Called every frame; takes the names when they are ready.
    void update() override;
    bool is_busy() const override { return naming_.is_busy(); }
    void connect(Switchboard& board) override;

    const PaletteState& state() const { return state_; }

private:
    void open();
    void name_stacks();
    /// Draws the palette on top of everything else while it is open, and issues the request of the chosen entry.
    void draw(Requests& requests);
    void draw_popup(Requests& requests);

    Session& session_;
    const Commands& commands_;
    notes::Notes& notes_;
    const query::Queries& queries_;
    std::function<std::vector<std::string>()> tab_names_;
    PaletteState state_;
    /// Its input is the timeline whose stacks are named or being named.
    BackgroundTask<std::vector<PaletteEntry>, std::shared_ptr<const Timeline>> naming_;
};

/// Scores how well an entry matches the typed text, lower if only its synonyms match; nullopt if it does not match.
std::optional<int> match_entry(const PaletteEntry& entry, std::string_view typed);

/// Scores how well `text` matches a typed pattern; nullopt if it does not. Every word of `typed`, separated by blanks, must
/// occur, in any order, either verbatim or by its letters at the starts of words. The score is higher for verbatim words,
/// most of all at the start of a word and near the start of the text. Case-insensitive for ASCII. An empty pattern scores
/// 0.
std::optional<int> fuzzy_match(std::string_view text, std::string_view typed);

}  // namespace snapviewer::command_palette
