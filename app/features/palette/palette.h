#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "app/features/notes/notes.h"
#include "app/features/palette/state.h"
#include "app/features/query/queries.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/ui/feature.h"
#include "core/base/job.h"

namespace snapviewer {

/// Fills the command palette with the commands that can run now, and with the names of the stacks of the current picture. A
/// worker thread makes the names.
class PaletteFiller : public Feature {
public:
    /// Keeps references; all must outlive this object.
    PaletteFiller(Session& session, const Commands& commands, Notes& notes, const Queries& queries)
        : session_(session), commands_(commands), notes_(notes), queries_(queries) {}

    void open();
    /// Called every frame; takes the names when they are ready.
    void update() override;
    bool is_busy() const override { return job_.is_busy(); }
    void connect(Switchboard& board) override;
    void describe(nlohmann::json& report) const override;

private:
    void draw(Requests& requests);
    using Entries = std::vector<PaletteEntry>;

    Session& session_;
    const Commands& commands_;
    Notes& notes_;
    const Queries& queries_;
    Job<std::shared_ptr<const Entries>> job_;
    std::shared_ptr<const Timeline> named_;  ///< the timeline whose stacks are named or being named
};

/// Scores how well an entry matches the typed text, lower if only its synonyms match; nullopt if it does not match.
std::optional<int> match_entry(const PaletteEntry& entry, std::string_view typed);

/// Draws the palette on top of everything else while it is open, and issues the request of the chosen entry.
void draw_palette(PaletteState& state, Requests& requests);

/// Scores how well `text` matches a typed pattern; nullopt if it does not. Every word of `typed`, separated by blanks, must
/// occur, in any order, either verbatim or by its letters at the starts of words. The score is higher for verbatim words,
/// most of all at the start of a word and near the start of the text. Case-insensitive for ASCII. An empty pattern scores
/// 0.
std::optional<int> fuzzy_match(std::string_view text, std::string_view typed);

}  // namespace snapviewer
