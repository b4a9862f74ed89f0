#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/feature.h"
#include "app/ui/result_grid.h"
#include "core/mesh/mesh.h"
#include "core/timeline/view.h"
#include "core/trace/snapshot.h"
#include "core/trace/stack_table.h"

namespace snapviewer {

struct Document;

/// Identifies a rank of a fleet. Stays valid when the files are read again.
struct RankPlace {
    std::string file;
    std::int64_t rank = 0;
    std::optional<std::int64_t> device;
    bool operator==(const RankPlace&) const = default;
};

/// Text for a rank, such as "rank 7" or "rank 7, device 1". The device is omitted if it is the first.
std::string rank_words(const RankPlace& place);

/// Index of the device of `snapshot` that belongs to a rank. Falls back to the first device with the number of `place` if no
/// device has the rank. nullopt if `snapshot` has no such device.
std::optional<std::size_t> device_of_rank(const Snapshot& snapshot, const RankPlace& place);

/// Opens the files of the command line, or those that were dropped on the window. See FileOpener::open().
struct OpenFiles {
    std::vector<std::string> paths;
    std::uint32_t part = 1;  ///< see OpenOptions::part
    std::string words() const { return "open files"; }
};
/// Shows a file that was read; null for the welcome screen.
struct ShowDocument {
    std::shared_ptr<const Document> document;
    std::string words() const { return "show a document"; }
};
/// Reads the notes of the document that was just opened.
struct ReadNotes {
    std::optional<std::uint64_t> content;  ///< hash of the file, nullopt if it cannot have notes
    std::string words() const { return "read notes"; }
};
struct OpenFile {
    std::string path;
    std::string words() const { return "open " + path; }
};
/// Opens a file in a new tab and shows that tab.
struct OpenInTab {
    std::string path;
    std::string words() const { return "open in a tab " + path; }
};
struct ShowTab {
    std::size_t index = 0;
    std::string words() const { return "show tab " + std::to_string(index); }
};
struct CloseTab {
    std::size_t index = 0;
    std::string words() const { return "close tab " + std::to_string(index); }
};
/// Compares the device on the screen with a file.
struct CompareWith {
    std::string path;
    std::string words() const { return "compare with " + path; }
};
/// Opens files and folders as the ranks of a fleet. Other files in the folders are ignored.
struct OpenFleet {
    std::vector<std::string> paths;
    std::string words() const { return "open as a fleet"; }
};
/// Opens files and folders as the samples of a recorder.
struct OpenSeries {
    std::vector<std::string> paths;
    std::string words() const { return "open as a series"; }
};
struct ShowDevice {
    std::size_t index = 0;  ///< index into the document's devices
    std::string words() const { return "show device at " + std::to_string(index); }
};
struct ShowPicture {
    std::size_t picture = 0;  ///< 0 for the timeline, i + 1 for the i-th icicle of the document
    std::string words() const { return "show picture " + std::to_string(picture); }
};
struct ColourAs {
    mesh::ColourBy by = mesh::ColourBy::stack;
    std::string words() const { return "colour by " + std::to_string(static_cast<int>(by)); }
};
struct ShowOverlay {
    std::string id;  ///< id of the overlay, see OverlayItem::id
    bool is_shown = false;
    std::string words() const { return (is_shown ? "show overlay " : "hide overlay ") + id; }
};
struct SelectAllocation {
    AllocationId id;  ///< an allocation of the device on the screen; none() clears the selection
    std::string words() const { return "select allocation " + std::to_string(id.value); }
};
/// Selects an allocation and scrolls it into view.
struct RevealAllocation {
    AllocationId id;  ///< an allocation of the timeline on the screen
    std::string words() const { return "reveal allocation " + std::to_string(id.value); }
};
struct SelectMarker {
    /// Index of a marker of the timeline on the screen; the index of the selected marker clears the selection.
    std::size_t index = 0;
    std::string words() const { return "select marker " + std::to_string(index); }
};
struct SelectNode {
    std::uint32_t node = 0;  ///< a node of the icicle on the screen; IcicleNode::k_none clears the selection
    std::string words() const { return "select node " + std::to_string(node); }
};
/// Redraws the flame graph for one function: the callers and callees of the function of node `node`.
struct ShowCallers {
    std::uint32_t node = 0;
    std::string words() const { return "show callers of node " + std::to_string(node); }
};
struct ListLive {
    std::uint32_t tick = 0;  ///< the moment whose live allocations are listed
    std::string words() const { return "list what lives at tick " + std::to_string(tick); }
};
struct FindText {
    std::string text;  ///< text to search for; an empty text has no results
    std::string words() const { return "find " + text; }
};
/// Highlights all allocations of one stack.
struct HighlightStack {
    StackId stack;
    std::string words() const { return "highlight stack " + std::to_string(stack.value); }
};
/// Highlights a group of the colour legend. The group that is already highlighted removes the highlight.
struct HighlightGroup {
    std::size_t group = 0;
    std::string words() const { return "highlight group " + std::to_string(group); }
};
/// Selects the moment of an event and lists the allocations that were live then.
struct GoToEvent {
    std::uint32_t event = 0;  ///< event of the device on the screen
    std::string words() const { return "go to event " + std::to_string(event); }
};
/// Scrolls a marker of the timeline into view and selects it.
struct GoToMarker {
    std::size_t index = 0;
    std::string words() const { return "go to marker " + std::to_string(index); }
};
/// Zooms the picture on the screen to a part of it.
struct ShowPart {
    View view;  ///< the part to show, in units of the picture's axis
    std::string words() const { return "show a part of the picture"; }
};
/// Shows the place that a link names, in the open file or, if no file is open, in the next opened file.
struct ShowPlace {
    std::string place;  ///< text of the place, see app/features/link/links.h
    std::string words() const { return "show " + place; }
};
/// Puts a text into the query pane.
struct PutQuery {
    std::string sql;
    std::size_t select_begin = 0, select_end = 0;  ///< byte range of `sql` that is selected, so that typing replaces it
    bool is_complete = false;                      ///< true to run the query at once
    std::string words() const { return (is_complete ? "run " : "edit ") + sql; }
};
struct RemoveTrack {
    std::size_t index = 0;  ///< index into TimelineState::query_tracks
    std::string words() const { return "remove track " + std::to_string(index); }
};
/// Puts a text into the clipboard.
struct CopyText {
    std::string text;
    std::string what;  ///< name of the copied thing for the notice, such as "The stack"
    std::string words() const { return "copy a text"; }
};
/// Shows the object that a row of the query result refers to, such as an allocation or an event.
struct FollowRow {
    RowTarget target;
    std::string words() const { return "follow a row"; }
};

/// Begins to edit a note of the open file.
struct EditNote {
    std::string id;
    std::string words() const { return "edit a note"; }
};

}  // namespace snapviewer
