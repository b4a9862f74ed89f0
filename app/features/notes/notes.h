#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/features/notes/note_file.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer::notes {

/// The notes of the open file. Reads them when the file is opened, and writes each change at once, merged with changes by
/// other windows. Main thread; each change rewrites a small file.
class Notes : public Feature {
public:
    /// Keeps references; both must outlive this object.
    Notes(Session& session, Pictures& pictures) : session_(session), pictures_(pictures) {}

    /// All notes of the open file, including deleted ones, whose text is empty.
    const std::vector<Note>& all() const { return notes_; }
    /// Scrolls the picture to a note, switching device and view if necessary.
    void go_to(const std::string& id);
    void connect(Switchboard& board) override;
    /// Puts the notes of the current picture where the timeline draws them.
    void update() override;
    void leave() override { read(std::nullopt); }

    /// The note in the editor window, if it is open.
    const std::optional<Note>& edited() const { return edited_; }
    /// The undo stack: the previous version of each changed note, oldest first.
    const std::vector<Note>& replaced() const { return replaced_; }

private:
    /// Reads the notes of the document that was just opened. `content` is its hash, nullopt if it cannot have notes.
    void read(std::optional<std::uint64_t> content);
    /// Opens the editor for a new note: at the mouse if it is over the picture, else at the start of the selected
    /// allocation, else in the middle of the view.
    void begin();
    void edit(const std::string& id);
    /// Stores a note, replacing the one with the same id if there is one. A note with an empty text is deleted.
    void keep(Note note);
    /// Undoes the last change made in this window.
    void undo();
    void put(Note note);
    /// Draws a small editor window while a note is being edited.
    void draw_editor(Requests& requests);

    Session& session_;
    Pictures& pictures_;
    std::optional<std::uint64_t> content_;  ///< hash of the open file, see content_hash(); nullopt if it cannot have notes
    std::vector<Note> notes_;               ///< all notes, including deleted ones
    std::vector<Note> replaced_;
    std::optional<Note> edited_;
    bool was_open_ = false;
};

/// Returns the notes to draw on one picture of a device; `device_index` is the device's index in the file.
std::vector<NoteFlag> notes_in_picture(const std::vector<Note>& notes, const Timeline& timeline, Axis axis,
                                       std::size_t device_index, ViewKind kind);

}  // namespace snapviewer::notes
