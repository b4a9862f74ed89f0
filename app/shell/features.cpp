#include "app/features/address_map/address_map.h"
#include "app/features/allocator_settings/allocator_settings.h"
#include "app/features/compare/compare.h"
#include "app/features/compare/compared_pictures.h"
#include "app/features/details/details.h"
#include "app/features/files/files.h"
#include "app/features/files/growing_pictures_ui.h"
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
#include "app/features/palette/palette.h"
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
#include "app/shell/picture_panel.h"

namespace snapviewer {

/// Creates all features in the order in which they are called in every frame.
void Application::create_features(std::unique_ptr<render::TimelineCanvas> canvas) {
    Pictures& pictures = add<Pictures>(state_, std::move(canvas));
    FileOpener& opener = add<FileOpener>(state_, pictures);
    add<GrowingPictures>(state_, opener, pictures);
    Selection& selection = add<Selection>(state_, pictures);
    add<Navigation>(state_);
    add<ViewHistory>(state_, pictures);
    add<MarkerWalk>(state_, pictures, selection);
    add<LivePage>(state_);
    add<GrowthPage>(state_);
    add<Answers>(state_, pictures, selection);
    add<PinsPage>(state_);
    add<MomentMarks>(state_, selection);
    CompareRuns& compare = add<CompareRuns>(state_, pictures, selection);
    add<FleetRuns>(state_, pictures, opener, compare);
    add<SeriesRuns>(state_);
    add<ComparedPictures>(state_, pictures);
    add<AddressMaps>(state_, pictures);
    add<SlowSearch>(state_, selection);
    add<BlockNames>(state_, pictures);
    add<FlameGraphs>(state_, pictures);
    add<QueryTracks>(state_);
    add<Queries>(state_, compare);
    add<SelectedDetails>(state_);
    add<AllocatorSettingsWindow>(state_);
    add<OwnRules>(state_);
    add<Notes>(state_, pictures);
    add<SourceCode>(state_);
    add<AllocationList>(state_);
    add<WhatIfRuns>(state_);
    add<PicturePanel>(state_, pictures, board_);
    add<PictureSaver>(state_, [this](const PictureSpec& spec) { return draw_beside_window(state_, spec); });
    add<Links>(state_, pictures);
    add<Help>(state_, board_.commands);
    add<PaletteFiller>(state_, board_.commands);
}

}  // namespace snapviewer
