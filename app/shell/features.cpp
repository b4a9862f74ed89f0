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

namespace snapviewer::shell {

/// Creates all features in the order in which they are called in every frame.
void Application::create_features(std::unique_ptr<render::TimelineCanvas> canvas) {
    Pictures& pictures = add<Pictures>(session_, std::move(canvas));
    add<picture_panel::PicturePanel>(session_, pictures, board_);
    files::FileOpener& opener = add<files::FileOpener>(session_, pictures);
    selection::Selection& selection = add<selection::Selection>(session_, pictures);
    add<navigation::Navigation>(session_);
    add<navigation::ViewHistory>(session_, pictures);
    live::LivePage& live = add<live::LivePage>(session_);
    add<selection::MarkerWalk>(session_, pictures, selection, live);
    findings::Answers& answers = add<findings::Answers>(session_, pictures, selection, live);
    add<pins::PinsPage>(session_, live, answers);
    add<moments::MomentMarks>(session_, selection);
    add<growth::GrowthPage>(session_, pictures, selection, answers);
    compare::CompareRuns& compare = add<compare::CompareRuns>(session_, pictures, selection, opener);
    fleet::FleetRuns& fleet = add<fleet::FleetRuns>(session_, pictures, opener, compare);
    add<series::SeriesRuns>(session_, fleet);
    add<compare::ComparedPictures>(session_, pictures, compare);
    add<address_map::AddressMaps>(session_, pictures, live, answers);
    add<search::SearchBar>(session_, selection);
    add<BlockNames>(session_, pictures);
    add<flame::FlameGraphs>(session_, pictures, live);
    query::Queries& queries = add<query::Queries>(session_, compare, live);
    add<details::SelectedDetails>(session_);
    add<allocator_settings::AllocatorSettingsWindow>(session_);
    add<kinds::OwnRules>(session_);
    notes::Notes& notes = add<notes::Notes>(session_, pictures);
    add<table::AllocationList>(session_);
    add<what_if::WhatIfRuns>(session_);
    add<save_picture::PictureSaver>(session_, [this, &notes](const save_picture::PictureSpec& spec) {
        return picture::draw_beside_window(session_, notes.all(), spec);
    });
    add<link::Links>(session_, pictures, answers, queries.state());
    add<help::Help>(session_, board_.commands);
    add<command_palette::PaletteFiller>(session_, board_.commands, notes, queries, [this] { return tab_strip_.names(); });
}

}  // namespace snapviewer::shell
