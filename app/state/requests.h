#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/jobs/source_task.h"
#include "app/state/note_file.h"
#include "app/state/settings.h"
#include "app/text/compare_rows.h"
#include "app/text/fleet_rows.h"
#include "app/text/result_grid.h"
#include "core/base/ids.h"
#include "core/mesh/mesh.h"
#include "core/timeline/view.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// What needs no saying more than that.
enum class Command : std::uint8_t {
    open_dialog,
    open_companion,
    dismiss_pair,
    reload,
    dismiss_reload,
    close_document,
    quit,
    fit,
    zoom_to_selection,
    go_to_peak,
    next_marker,
    previous_marker,
    toggle_axis,
    toggle_clock,
    toggle_query,
    toggle_tracks,
    clear_selection,
    copy_details,
    dismiss_import_log,
    show_settings,
    cancel_load,
    dismiss_error,
    open_search,
    close_search,
    next_hit,
    previous_hit,
    next_picture,
    next_view,
    nearer,
    farther,
    go_back,
    go_forward,
    next_pane,
    dismiss,
    open_palette,
    toggle_full_screen,
    list_hits,
    show_findings,
    show_growth,
    find_findings,
    stop_finding,
    stop_what_if,
    go_on_what_if,
    toggle_address_map,
    search_as_sql,
    toggle_flame_graph,
    toggle_minimap,
    toggle_names,
    add_note,
    undo_note,
    copy_render_command,
    compare_dialog,
    stop_compare,
    go_on_compare,
    copy_compare_command,
    open_fleet_dialog,
    devices_as_fleet,
    stop_fleet,
    go_on_fleet,
    compare_ranks,
    show_callers,
    leave_callers,
    copy_folded,
    open_tab_dialog,
    next_tab,
    previous_tab,
    interface_larger,
    interface_smaller,
    interface_normal,
    toggle_frame_times,
};

/// What became of an allocation between two moments.
enum class ChangeKind : std::uint8_t {
    came,    ///< alive at the second of the ruler's ends alone
    went,    ///< at the first alone
    stayed,  ///< at both
    born,    ///< allocated between the flags of the page of what grows, and alive at the end of the recording
};

struct AppState;

/// One of the windows of which the state says whether they are open.
struct OpenWindow {
    bool AppState::*is_open = nullptr;
};
struct OpenFile {
    std::string path;
};
/// In a tab of its own, which comes to the front.
struct OpenInTab {
    std::string path;
};
struct ShowTab {
    std::size_t index = 0;
};
struct CloseTab {
    std::size_t index = 0;
};
/// To be seen together with the open file.
struct OpenWith {
    std::string path;
};
/// Compares the device on the screen with a file.
struct CompareWith {
    std::string path;
};
/// Lights up all that both files allocated under a row of the comparison.
struct GoToCompared {
    std::string key;  ///< PeakComparison::Row::key
};
/// The same for the rows of a box; none: nothing stands out.
struct ShowComparedBox {
    std::optional<ComparedBox> box;
};
/// Shows a rank of the fleet in the main window.
struct OpenRank {
    RankPlace rank;
};
struct ShowDevice {
    std::size_t index = 0;  ///< into the document's devices
};
struct ShowView {
    ViewKind kind = ViewKind::allocations;
};
struct ShowPicture {
    std::size_t picture = 0;  ///< 0 the timeline, i + 1 the document's i-th icicle
};
struct ColourAs {
    ColourBy by = ColourBy::stack;
};
struct UseTheme {
    ThemeChoice theme = ThemeChoice::system;
};
struct ShowOverlay {
    std::string id;  ///< OverlayItem::id
    bool is_shown = false;
};
struct SelectAllocation {
    AllocationId id;  ///< of the device on the screen; none() clears
};
/// Selects it and brings it into view.
struct RevealAllocation {
    AllocationId id;  ///< of the picture on the screen
};
struct SelectMarker {
    std::size_t index = 0;  ///< of the picture on the screen; the selected one again: none
};
struct SelectNode {
    std::uint32_t node = 0;  ///< of the icicle on the screen; IcicleNode::k_none clears
};
/// Draws who calls the function of a bar of the flame graph on the screen, and what it calls.
struct ShowCallers {
    std::uint32_t node = 0;
};
/// Saves the stacks of the flame graph as folded text.
struct SaveFolded {
    std::string path;
};
struct ListLive {
    std::uint32_t tick = 0;  ///< the moment whose live allocations are listed
};
struct FindText {
    std::string text;  ///< "" finds nothing
};
/// All that one stack made.
struct EmphasiseStack {
    StackId stack;
};
/// A row of the legend of colours; the one that stands out again: nothing does.
struct EmphasiseGroup {
    std::size_t group = 0;
};
/// Shows what a finding is about: its moment in view, its allocations standing out.
struct GoToFinding {
    std::size_t index = 0;  ///< of the findings of the device on the screen
};
/// Shows all that a stack that grows made.
struct GoToGrowth {
    std::size_t index = 0;  ///< see growth_row(), of the device on the screen
};
/// Lets what became of some allocations stand out, all of it or one stack's.
struct EmphasiseChange {
    ChangeKind change = ChangeKind::came;
    std::optional<StackId> stack;
};
/// Shows what was allocated when an event happened.
struct GoToEvent {
    std::uint32_t event = 0;  ///< of the device on the screen
};
/// Brings a marker of the picture on the screen into view and marks it.
struct GoToMarker {
    std::size_t index = 0;
};
/// A part of the picture on the screen.
struct ShowPart {
    View view;  ///< in units of its axis
};
/// Puts a text into the query pane.
struct PutQuery {
    std::string sql;
    std::size_t select_begin = 0, select_end = 0;  ///< bytes of it that are to be written over
    bool is_complete = false;                      ///< it is run as well
};
struct RunQuery {
    bool all = false;  ///< every statement, otherwise the one under the caret
};
/// The same once more, with ten times as many rows at most.
struct MoreRows {};
/// Of the answer on the screen, as they are sorted.
struct SaveRows {
    std::string path;
    ResultFormat format = ResultFormat::csv;
};
/// The rows of the table of allocations, as they are on the screen.
struct SaveTable {
    std::string path;  ///< CSV
};
struct CopyTable {};
/// Draws the answer on the screen as a track below the picture.
struct AddTrack {};
struct RemoveTrack {
    std::size_t index = 0;  ///< of AppState::query_tracks
};
/// Puts a text into the clipboard.
struct CopyText {
    std::string text;
    std::string what;  ///< "The stack", for the notice
};
struct StopQuery {};
/// Another text of the query pane, empty, in front.
struct NewQueryTab {};
struct ShowQueryTab {
    std::optional<std::size_t> index;  ///< none: the next one
};
/// Nothing where it is the only one.
struct CloseQueryTab {
    std::optional<std::size_t> index;  ///< none: the one in front
};
/// Puts a query among the saved ones, or takes it out of them.
struct StarQuery {
    std::optional<std::string> sql;  ///< none: what is in the input
};
/// Shows what a row of the answer stands for.
struct FollowRow {
    RowTarget target;
};

struct ReadyQuery;
/// The user's own rules for what allocations are for, as KindRules::parse() reads them; none where the text is blank. Asks
/// for what is open to be read anew with them.
struct UseKindRules {
    std::string text;
};

/// Other rules for how stacks are shown, another editor, other folders.
struct UseStackRules {
    StackSettings settings;
};
/// Opens a line of a stack in the user's editor.
struct OpenSource {
    SourcePlace place;
};

/// Begins to edit a note of the open file.
struct EditNote {
    std::string id;
};
/// In place of the one with its id; without a text that is deleted.
struct KeepNote {
    Note note;
};
/// Brings the place of a note into view.
struct GoToNote {
    std::string id;
};

/// Draws what is on the screen into a file, as the command line would: an SVG where its name ends so, otherwise a PNG.
struct SavePicture {
    std::string path;
    std::string size;  ///< "1600x900"
};

/// Runs it, or selects what is to be filled in before.
PutQuery put_ready_query(const ReadyQuery& query);

/// The types that a request may have.
template <typename... Types>
struct RequestTypes {
    template <typename Type>
    static constexpr bool k_has = (std::is_same_v<Type, Types> || ...);
};

/// One of the types above. Not a std::variant of them: every panel asks, and so many alternatives take the compiler seconds
/// wherever one is made, copied or visited.
class Request {
public:
    using Types =
        RequestTypes<Command, OpenWindow, OpenFile, OpenWith, ShowDevice, ShowView, ShowPicture, ColourAs, ShowOverlay,
                     SelectAllocation, SelectMarker, SelectNode, ListLive, FindText, EmphasiseStack, EmphasiseGroup,
                     GoToFinding, GoToGrowth, GoToEvent, GoToMarker, ShowPart, PutQuery, RunQuery, MoreRows, SaveRows,
                     StopQuery, FollowRow, RevealAllocation, SaveTable, CopyTable, CompareWith, GoToCompared,
                     ShowComparedBox, OpenRank, ShowCallers, SaveFolded, EmphasiseChange, UseKindRules, UseStackRules,
                     OpenSource, EditNote, KeepNote, GoToNote, UseTheme, CopyText, OpenInTab, ShowTab, CloseTab, SavePicture,
                     NewQueryTab, ShowQueryTab, CloseQueryTab, StarQuery, AddTrack, RemoveTrack>;

    template <typename Asked>
    requires(Types::k_has<Asked>) Request(Asked asked) : asked_(std::move(asked)) {}

    /// What was asked, if it is of that type.
    template <typename Asked>
    const Asked* get_if() const {
        static_assert(Types::k_has<Asked>);
        return std::any_cast<Asked>(&asked_);
    }
    /// Calls `take` with what was asked; there has to be a way to take each of the types.
    template <typename Take>
    void hand_to(const Take& take) const {
        hand_to(take, Types());
    }

private:
    template <typename Take, typename... Asked>
    void hand_to(const Take& take, RequestTypes<Asked...>) const {
        (take_if<Asked>(take), ...);
    }
    template <typename Asked, typename Take>
    void take_if(const Take& take) const {
        if (const Asked* asked = get_if<Asked>()) take(*asked);
    }

    std::any asked_;
};

/// What is asked of the window that has several files open.
using TabRequest = std::variant<OpenInTab, ShowTab, CloseTab>;

/// What was asked for, in a few words: "open oom.pickle". For the report of a crash.
std::string action_text(const Request& request);

/// What the panels ask for during a frame, in their order; the application carries it out when the frame is built.
class Requests {
public:
    void ask(Request request);
    /// What was asked so far; from now on nothing was.
    std::vector<Request> take();

private:
    std::vector<Request> asked_;
};

}  // namespace snapviewer
