#include "app/features/address_map/address_map.h"
#include "app/features/allocator_settings/allocator_settings.h"
#include "app/features/command_palette/command_palette.h"
#include "app/features/compare/compare.h"
#include "app/features/compare/compared_pictures.h"
#include "app/features/details/details.h"
#include "app/features/files/files.h"
#include "app/features/findings/findings.h"
#include "app/features/flame/flame.h"
#include "app/features/fleet/fleet.h"
#include "app/features/growth/growth.h"
#include "app/features/help/help.h"
#include "app/features/kinds/kinds.h"
#include "app/features/link/links.h"
#include "app/features/live/live.h"
#include "app/features/moments/moments.h"
#include "app/features/navigation/navigation.h"
#include "app/features/notes/notes.h"
#include "app/features/picture_panel/picture_panel.h"
#include "app/features/pins/pins.h"
#include "app/features/query/queries.h"
#include "app/features/save_picture/save_picture.h"
#include "app/features/search/search.h"
#include "app/features/selection/selection.h"
#include "app/features/series/series.h"
#include "app/features/table/table.h"
#include "app/features/timeline/pictures.h"
#include "app/features/what_if/what_if.h"
#include "app/picture/spec_picture.h"
#include "app/shell/application.h"

namespace snapviewer {

/// Creates all features in the order in which they are called in every frame.
void Application::create_features(std::unique_ptr<render::TimelineCanvas> canvas) {
    Pictures& pictures = add<Pictures>(session_, std::move(canvas));
    add<PicturePanel>(session_, pictures, board_);
    FileOpener& opener = add<FileOpener>(session_, pictures);
    Selection& selection = add<Selection>(session_, pictures);
    add<Navigation>(session_);
    add<ViewHistory>(session_, pictures);
    LivePage& live = add<LivePage>(session_);
    add<MarkerWalk>(session_, pictures, selection, live);
    Answers& answers = add<Answers>(session_, pictures, selection, live);
    add<PinsPage>(session_, live, answers);
    add<MomentMarks>(session_, selection);
    add<GrowthPage>(session_, pictures, selection, answers);
    CompareRuns& compare = add<CompareRuns>(session_, pictures, selection, opener);
    FleetRuns& fleet = add<FleetRuns>(session_, pictures, opener, compare);
    add<SeriesRuns>(session_, fleet);
    add<ComparedPictures>(session_, pictures, compare);
    add<AddressMaps>(session_, pictures, live, answers);
    add<SearchBar>(session_, selection);
    add<BlockNames>(session_, pictures);
    add<FlameGraphs>(session_, pictures, live);
    Queries& queries = add<Queries>(session_, compare, live);
    add<SelectedDetails>(session_);
    add<AllocatorSettingsWindow>(session_);
    add<OwnRules>(session_);
    Notes& notes = add<Notes>(session_, pictures);
    add<AllocationList>(session_);
    add<WhatIfRuns>(session_);
    add<PictureSaver>(session_,
                      [this, &notes](const PictureSpec& spec) { return draw_beside_window(session_, notes.all(), spec); });
    add<Links>(session_, pictures, answers, queries.state());
    add<Help>(session_, board_.commands);
    add<PaletteFiller>(session_, board_.commands, notes, queries, [this] { return tab_strip_.names(); });
}

}  // namespace snapviewer
