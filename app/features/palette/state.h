#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/requests.h"
#include "app/ui/state_parts.h"

namespace snapviewer {

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
    std::string typed_early;            ///< letters typed before the field had the focus
    std::string matched_to;             ///< the typed text that `matches` belongs to
    std::vector<PaletteEntry> entries;  ///< entries collected when the palette was opened
    /// entries of stacks, named by a worker thread; null until then
    std::shared_ptr<const std::vector<PaletteEntry>> stacks;
    bool has_stacks = false;                   ///< `matches` includes `stacks`
    std::vector<const PaletteEntry*> matches;  ///< entries that match, best first
    std::size_t chosen = 0;                    ///< index into `matches`
    bool scroll_to_chosen = false;
    std::optional<Pane> returns_to;  ///< the pane that had the keyboard focus before the palette opened and gets it back
};

}  // namespace snapviewer
