#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/features/compare/compare_rows.h"
#include "app/features/details/source_task.h"
#include "app/features/notes/note_file.h"
#include "app/features/preferences.h"
#include "app/features/rank_place.h"
#include "app/ui/commands.h"
#include "app/ui/request.h"
#include "app/ui/result_grid.h"
#include "core/base/ids.h"
#include "core/mesh/mesh.h"
#include "core/timeline/view.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// What became of an allocation between two moments.
enum class ChangeKind : std::uint8_t {
    came,    ///< alive at the second of the ruler's ends alone
    went,    ///< at the first alone
    stayed,  ///< at both
    born,    ///< allocated between the flags of the page of what grows, and alive at the end of the recording
};

struct OpenFile {
    std::string path;
    std::string words() const { return "open " + path; }
};
/// In a tab of its own, which comes to the front.
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
/// To be seen together with the open file.
struct OpenWith {
    std::string path;
    std::string words() const { return "open together with it " + path; }
};
/// Compares the device on the screen with a file.
struct CompareWith {
    std::string path;
    std::string words() const { return "compare with " + path; }
};
/// Lights up all that both files allocated under a row of the comparison.
struct GoToCompared {
    std::string key;  ///< PeakComparison::Row::key
    std::string words() const { return "go to compared " + key; }
};
/// The same for the rows of a box; none: nothing stands out.
struct ShowComparedBox {
    std::optional<ComparedBox> box;
    std::string words() const { return std::string("show compared ") + (box ? compared_box_name(*box) : "all"); }
};
/// Reads files and folders as the ranks of a fleet, whatever else is in them.
struct OpenFleet {
    std::vector<std::string> paths;
    std::string words() const { return "open as a fleet"; }
};
/// Shows a rank of the fleet in the main window.
struct OpenRank {
    RankPlace rank;
    std::string words() const { return "open " + rank_words(rank); }
};
struct ShowDevice {
    std::size_t index = 0;  ///< into the document's devices
    std::string words() const { return "show device at " + std::to_string(index); }
};
struct ShowPicture {
    std::size_t picture = 0;  ///< 0 the timeline, i + 1 the document's i-th icicle
    std::string words() const { return "show picture " + std::to_string(picture); }
};
struct ColourAs {
    ColourBy by = ColourBy::stack;
    std::string words() const { return "colour by " + std::to_string(static_cast<int>(by)); }
};
struct ShowOverlay {
    std::string id;  ///< OverlayItem::id
    bool is_shown = false;
    std::string words() const { return (is_shown ? "show overlay " : "hide overlay ") + id; }
};
struct SelectAllocation {
    AllocationId id;  ///< of the device on the screen; none() clears
    std::string words() const { return "select allocation " + std::to_string(id.value); }
};
/// Selects it and brings it into view.
struct RevealAllocation {
    AllocationId id;  ///< of the picture on the screen
    std::string words() const { return "reveal allocation " + std::to_string(id.value); }
};
struct SelectMarker {
    std::size_t index = 0;  ///< of the picture on the screen; the selected one again: none
    std::string words() const { return "select marker " + std::to_string(index); }
};
struct SelectNode {
    std::uint32_t node = 0;  ///< of the icicle on the screen; IcicleNode::k_none clears
    std::string words() const { return "select node " + std::to_string(node); }
};
/// Draws who calls the function of a bar of the flame graph on the screen, and what it calls.
struct ShowCallers {
    std::uint32_t node = 0;
    std::string words() const { return "show callers of node " + std::to_string(node); }
};
/// Saves the stacks of the flame graph as folded text.
struct SaveFolded {
    std::string path;
    std::string words() const { return "save folded stacks as " + path; }
};
struct ListLive {
    std::uint32_t tick = 0;  ///< the moment whose live allocations are listed
    std::string words() const { return "list what lives at tick " + std::to_string(tick); }
};
struct FindText {
    std::string text;  ///< "" finds nothing
    std::string words() const { return "find " + text; }
};
/// All that one stack made.
struct EmphasiseStack {
    StackId stack;
    std::string words() const { return "emphasise stack " + std::to_string(stack.value); }
};
/// A row of the legend of colours; the one that stands out again: nothing does.
struct EmphasiseGroup {
    std::size_t group = 0;
    std::string words() const { return "emphasise group " + std::to_string(group); }
};
/// Shows what a finding is about: its moment in view, its allocations standing out.
struct GoToFinding {
    std::size_t index = 0;  ///< of the findings of the device on the screen
    std::string words() const { return "go to finding " + std::to_string(index); }
};
/// Shows all that a stack that grows made.
struct GoToGrowth {
    std::size_t index = 0;  ///< see growth_row(), of the device on the screen
    std::string words() const { return "go to growth " + std::to_string(index); }
};
/// Lets what became of some allocations stand out, all of it or one stack's.
struct EmphasiseChange {
    ChangeKind change = ChangeKind::came;
    std::optional<StackId> stack;
    std::string words() const { return "emphasise change " + std::to_string(static_cast<int>(change)); }
};
/// Shows what was allocated when an event happened.
struct GoToEvent {
    std::uint32_t event = 0;  ///< of the device on the screen
    std::string words() const { return "go to event " + std::to_string(event); }
};
/// Brings a marker of the picture on the screen into view and marks it.
struct GoToMarker {
    std::size_t index = 0;
    std::string words() const { return "go to marker " + std::to_string(index); }
};
/// A part of the picture on the screen.
struct ShowPart {
    View view;  ///< in units of its axis
    std::string words() const { return "show a part of the picture"; }
};
/// What a link is about, of the open file or else of the next one.
struct ShowPlace {
    std::string place;  ///< see app/features/link/place.h
    std::string words() const { return "show " + place; }
};
/// Puts a text into the query pane.
struct PutQuery {
    std::string sql;
    std::size_t select_begin = 0, select_end = 0;  ///< bytes of it that are to be written over
    bool is_complete = false;                      ///< it is run as well
    std::string words() const { return (is_complete ? "run " : "edit ") + sql; }
};
/// Of the answer on the screen, as they are sorted.
struct SaveRows {
    std::string path;
    ResultFormat format = ResultFormat::csv;
    std::string words() const { return "save rows as " + path; }
};
/// The rows of the table of allocations, as they are on the screen.
struct SaveTable {
    std::string path;  ///< CSV
    std::string words() const { return "save the table as " + path; }
};
struct RemoveTrack {
    std::size_t index = 0;  ///< of AppState::query_tracks
    std::string words() const { return "remove track " + std::to_string(index); }
};
/// Puts a text into the clipboard.
struct CopyText {
    std::string text;
    std::string what;  ///< "The stack", for the notice
    std::string words() const { return "copy a text"; }
};
/// Adds up the card as PyTorch's out-of-memory error says, which is somewhere in the text.
struct ReadOomMessage {
    std::string text;
    std::string words() const { return "read an out-of-memory error"; }
};
struct ShowQueryTab {
    std::size_t index = 0;
    std::string words() const { return "show query tab " + std::to_string(index); }
};
/// Nothing where it is the only one.
struct CloseQueryTab {
    std::size_t index = 0;
    std::string words() const { return "close query tab " + std::to_string(index); }
};
/// Puts a query among the saved ones, or takes it out of them.
struct StarQuery {
    std::string sql;
    std::string words() const { return "star " + sql; }
};
/// Shows what a row of the answer stands for.
struct FollowRow {
    RowTarget target;
    std::string words() const { return "follow a row"; }
};

struct ReadyQuery;
/// The user's own rules for what allocations are for, as KindRules::parse() reads them; none where the text is blank. Asks
/// for what is open to be read anew with them.
struct UseKindRules {
    std::string text;
    std::string words() const { return "use rules for kinds"; }
};

/// Other rules for how stacks are shown, another editor, other folders.
struct UseStackRules {
    StackSettings settings;
    std::string words() const { return "use rules for stacks"; }
};
/// Opens a line of a stack in the user's editor.
struct OpenSource {
    SourcePlace place;
    std::string words() const { return "open line " + std::to_string(place.line) + " of " + place.path; }
};

/// Begins to edit a note of the open file.
struct EditNote {
    std::string id;
    std::string words() const { return "edit a note"; }
};
/// In place of the one with its id; without a text that is deleted.
struct KeepNote {
    Note note;
    std::string words() const { return "keep a note"; }
};
/// Brings the place of a note into view.
struct GoToNote {
    std::string id;
    std::string words() const { return "go to a note"; }
};

/// Draws what is on the screen into a file, as the command line would: an SVG where its name ends so, otherwise a PNG.
struct SavePicture {
    std::string path;
    std::string size;  ///< "1600x900"
    std::string words() const { return "save the picture as " + path; }
};

/// Runs it, or selects what is to be filled in before.
PutQuery put_ready_query(const ReadyQuery& query);

}  // namespace snapviewer
