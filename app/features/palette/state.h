#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/requests.h"
#include "app/ui/pane.h"

namespace snapviewer {

/// Something that can be asked for by name.
struct PaletteEntry {
    const char* kind = "";  ///< "stack"; empty for an action
    std::string words;
    std::string keys;  ///< of an action
    Request request;
    std::string synonyms = {};  ///< other words by which it is found
};

/// Every command, stack, marker and ready query by a few letters of its name.
struct PaletteState {
    bool wants_open = false;
    bool is_open = false;
    bool wants_keyboard = false;  ///< for the field, in the next frame
    bool takes_letters = false;   ///< the field has the keyboard since the frame before
    std::string typed;
    std::string typed_early;                                  ///< before the field took letters
    std::string matched_to;                                   ///< what `matches` answers
    std::vector<PaletteEntry> entries;                        ///< of when it was opened
    std::shared_ptr<const std::vector<PaletteEntry>> stacks;  ///< named on another thread; null until then
    bool has_stacks = false;                                  ///< `matches` knows of them
    std::vector<const PaletteEntry*> matches;                 ///< best first
    std::size_t chosen = 0;                                   ///< into `matches`
    bool scroll_to_chosen = false;
    std::optional<Pane> returns_to;  ///< had the keyboard when it was opened, and gets it back
};

}  // namespace snapviewer
