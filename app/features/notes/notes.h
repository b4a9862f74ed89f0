#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/features/app_state.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The notes of the open file: reads them when it is opened, and writes each change at once, joined with what other windows
/// wrote. Main thread; a change costs the writing of a small file.
class Notes : public Feature {
public:
    /// Both outlive this.
    Notes(AppState& state, Pictures& pictures) : state_(state), pictures_(pictures) {}

    /// Those of the document that came into the state; none where it takes no notes.
    void read(std::optional<std::uint64_t> content);
    /// Begins one: where the mouse is over the picture, else where the selected allocation begins, else in the middle.
    void begin();
    void edit(const std::string& id);
    /// In place of the one with its id, or as another; without a text that is deleted.
    void keep(Note note);
    /// Takes the change made last in this window back.
    void undo();
    /// Brings its place into view.
    void go_to(const std::string& id);
    void connect(Switchboard& board) override;
    void leave() override;
    void draw(Requests& requests) override;
    void describe(nlohmann::json& report) const override;

private:
    void put(Note note);

    AppState& state_;
    Pictures& pictures_;
};

/// Of the picture on the screen.
std::vector<NoteFlag> notes_in_picture(const AppState& state);
/// Of one picture of a device, by its place in the file.
std::vector<NoteFlag> notes_in_picture(const std::vector<Note>& notes, const Timeline& timeline, Axis axis,
                                       std::size_t device_index, ViewKind kind);

}  // namespace snapviewer
