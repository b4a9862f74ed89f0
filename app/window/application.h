#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/state/address_maps.h"
#include "app/state/allocation_list.h"
#include "app/state/answers.h"
#include "app/state/app_state.h"
#include "app/state/block_names.h"
#include "app/state/compare_runs.h"
#include "app/state/compared_pictures.h"
#include "app/state/file_opener.h"
#include "app/state/flame_graphs.h"
#include "app/state/fleet_runs.h"
#include "app/state/growing_pictures.h"
#include "app/state/marker_walk.h"
#include "app/state/moment_marks.h"
#include "app/state/navigation.h"
#include "app/state/notes.h"
#include "app/state/palette.h"
#include "app/state/picture_saver.h"
#include "app/state/pictures.h"
#include "app/state/queries.h"
#include "app/state/query_tracks.h"
#include "app/state/requests.h"
#include "app/state/selected_details.h"
#include "app/state/selection.h"
#include "app/state/slow_search.h"
#include "app/state/source_code.h"
#include "app/state/view_history.h"
#include "app/state/what_if_runs.h"
#include "app/window/input_queue.h"
#include "app/window/keyboard.h"
#include "app/window/state_json.h"
#include "app/window/theme.h"

namespace snapviewer {

/// What the application needs from the window for one frame.
struct FrameInput {
    std::vector<InputEvent> keys;
    bool lost_focus = false;
};

/// The program behind the window: holds the state and its parts, has the panels drawn, and hands on what they ask for. Main
/// thread only, with an OpenGL and an ImGui context current.
class Application {
public:
    /// Fails with ErrorCode::environment when OpenGL is not good enough.
    static Result<std::unique_ptr<Application>> create(Settings settings);
    ~Application();

    /// Begins to open the first and remembers the others; two reports of one model are opened together.
    void open_files(const std::vector<std::string>& paths);
    /// Shows an open file, or the welcome screen (null).
    void adopt(std::shared_ptr<const Document> document);
    /// Carried out at the end of the next frame.
    void ask(Request request) { requests_.ask(std::move(request)); }

    /// Another one for the same window, with nothing open: parked until it takes the place of the one in front.
    std::unique_ptr<Application> create_parked() const;
    /// Comes to the front instead of `other`, which is parked. Only what is in front may be asked for frames.
    void take_place_of(Application& other);
    /// What was asked of the window during the last frame, once.
    std::vector<TabRequest> take_tab_requests() { return std::exchange(tab_requests_, {}); }
    TabName tab_name() const;
    /// A file is on its way: also while this is parked, and until it is all there.
    bool is_loading() const { return opener_.job().is_busy() && !opener_.job().is_ready(); }
    /// Nothing is open, nor on its way.
    bool is_empty() const { return !state_.document && !opener_.job().is_busy(); }

    /// Draws one frame between ImGui::NewFrame() and ImGui::Render().
    void frame(const FrameInput& input);
    void set_frame_ms(double frame_ms) { figures_.last_ms = frame_ms; }

    bool wants_quit() const { return wants_quit_; }
    /// Something moves without input: frames are needed.
    bool is_animating() const;
    /// Something happened elsewhere, to the open file or to the fleet, or a notice has been there for long enough: a frame
    /// is needed.
    bool has_news() const { return opener_.on_disk() != state_.on_disk || fleet_.has_news() || state_.toasts.is_fading(); }
    std::string window_title() const;
    AppState& state() { return state_; }
    Pictures& pictures() { return pictures_; }
    /// The state as JSON; see docs/testing.md.
    std::string report() const { return state_json(state_, pictures_, opener_, figures_); }

private:
    Application(Settings settings, std::unique_ptr<TimelineCanvas> canvas);

    void carry_out(Command command);
    void carry_out(const OpenWindow& request);
    void carry_out(const OpenFile& request) { opener_.open(request.path); }
    void carry_out(const OpenWith& request);
    void carry_out(const OpenInTab& request) { tab_requests_.emplace_back(request); }
    void carry_out(const ShowTab& request) { tab_requests_.emplace_back(request); }
    void carry_out(const CloseTab& request) { tab_requests_.emplace_back(request); }
    void carry_out(const SavePicture& request) { saver_.save(request, palette().ground); }
    void close();
    void carry_out(const UseKindRules& request);
    void carry_out(const UseStackRules& request);
    void carry_out(const EditNote& request) { notes_.edit(request.id); }
    void carry_out(const KeepNote& request) { notes_.keep(request.note); }
    void carry_out(const GoToNote& request) { notes_.go_to(request.id); }
    void carry_out(const OpenSource& request) { sources_.open(request.place); }
    void carry_out(const ShowDevice& request) { pictures_.show_device(request.index); }
    void carry_out(const ShowView& request) { pictures_.show_view(request.kind); }
    void carry_out(const ShowPicture& request);
    void carry_out(const ColourAs& request);
    void carry_out(const ShowOverlay& request);
    void carry_out(const SelectAllocation& request);
    void carry_out(const RevealAllocation& request) { selection_.reveal(request.id); }
    void carry_out(const SelectMarker& request) { markers_.select(request.index); }
    void carry_out(const SelectNode& request) { selection_.select_node(request.node); }
    void carry_out(const ListLive& request);
    void carry_out(const FindText& request) { selection_.find(request.text); }
    void carry_out(const EmphasiseStack& request) { selection_.emphasise(request.stack); }
    void carry_out(const EmphasiseGroup& request) { selection_.emphasise_group(request.group); }
    void carry_out(const GoToFinding& request) { answers_.go_to(request.index); }
    void carry_out(const GoToGrowth& request) { answers_.go_to_growth(request.index); }
    void carry_out(const EmphasiseChange& request) { marks_.emphasise(request); }
    void carry_out(const ShowCallers& request) { flames_.show_callers(request.node); }
    void carry_out(const SaveFolded& request) { flames_.save_folded(request.path); }
    void carry_out(const GoToEvent& request) { answers_.go_to_event(request.event); }
    void carry_out(const CompareWith& request) { compare_.begin(request.path); }
    void carry_out(const GoToCompared& request) { compare_.go_to(request.key); }
    void carry_out(const ShowComparedBox& request) { compare_.show_box(request.box); }
    void carry_out(const OpenRank& request) { fleet_.open(request.rank); }
    void carry_out(const GoToMarker& request) { markers_.go_to(request.index); }
    void carry_out(const ShowPart& request) { show_part(state_, request.view); }
    void carry_out(const PutQuery& request);
    void carry_out(const RunQuery& request) { queries_.run(request.all); }
    void carry_out(const MoreRows&) { queries_.run_for_more(); }
    void carry_out(const SaveRows& request) { queries_.save(request.path, request.format); }
    void carry_out(const SaveTable& request) { list_.save(request.path); }
    void carry_out(const CopyTable&) { list_.copy(); }
    void carry_out(const CopyText& request);
    void carry_out(const UseTheme& request) { state_.settings.theme = request.theme; }
    void carry_out(const StopQuery&) { queries_.stop(); }
    void carry_out(const NewQueryTab&);
    void carry_out(const ShowQueryTab& request);
    void carry_out(const CloseQueryTab& request) { queries_.close_tab(request.index.value_or(state_.query.front)); }
    void carry_out(const StarQuery& request);
    void carry_out(const AddTrack&) { query_tracks_.add(); }
    void carry_out(const RemoveTrack& request) { query_tracks_.remove(request.index); }
    void carry_out(const FollowRow& request) { selection_.follow(request.target); }
    void show_opened(OpenedFile& opened);
    void keep_settings();
    void show_file_dialog(FilePurpose purpose);
    void set_interface_scale(float scale);
    void copy_compare_command();
    void copy_render_command();
    void copy_details();
    void dismiss();
    void open_palette();
    void go_back_or_forward(bool back);
    void put_search_as_sql();

    AppState state_;
    Requests requests_;
    std::vector<TabRequest> tab_requests_;
    Pictures pictures_;
    FileOpener opener_{state_, pictures_};
    GrowingPictures growing_{state_, opener_};
    Selection selection_{state_, pictures_};
    BlockNames names_{state_, pictures_};
    Notes notes_{state_, pictures_};
    SlowSearch slow_search_{state_, pictures_};
    MarkerWalk markers_{state_, pictures_, selection_};
    Answers answers_{state_, pictures_, selection_};
    MomentMarks marks_{state_, selection_};
    WhatIfRuns what_if_{state_};
    CompareRuns compare_{state_, pictures_, selection_};
    ComparedPictures compared_{state_, pictures_};
    FleetRuns fleet_{state_, pictures_, opener_, compare_};
    AddressMaps address_maps_{state_, pictures_};
    FlameGraphs flames_{state_, pictures_};
    Queries queries_{state_.query, state_.settings, state_.toasts};
    QueryTracks query_tracks_{state_};
    SelectedDetails details_{state_};
    SourceCode sources_{state_};
    AllocationList list_{state_};
    PictureSaver saver_{state_};
    PaletteFiller palette_{state_};
    ViewHistory history_{state_, pictures_};
    Keyboard keyboard_{state_, requests_};
    FrameStats figures_;
    bool wants_quit_ = false;
    std::optional<Pane> before_palette_;  ///< had the keyboard, and gets it back
    bool had_dialog_ = false;             ///< when this frame began: a key that closes one does nothing else
    bool has_told_of_settings_ = false;
};

}  // namespace snapviewer
