#include "app/shell/layout.h"

#include <gtest/gtest.h>

namespace snapviewer {
namespace {

constexpr float k_status_height = 20;
constexpr float k_splitter = 5;

Layout layout_of(const Preferences& settings, bool has_document = true, bool shows_map = false) {
    return compute_layout({{0, 30}, {1000, 800}}, k_status_height, k_splitter, has_document, settings, shows_map);
}

void expect_area(const Area& area, float left, float top, float width, float height) {
    EXPECT_FLOAT_EQ(area.pos.x, left);
    EXPECT_FLOAT_EQ(area.pos.y, top);
    EXPECT_FLOAT_EQ(area.size.x, width);
    EXPECT_FLOAT_EQ(area.size.y, height);
}

TEST(Layout, PanelsAndSplittersFillTheWindow) {
    Preferences settings;
    settings.details_fraction = 0.35F;
    settings.query_fraction = 0.5F;
    const Layout layout = layout_of(settings);
    expect_area(layout.timeline, 0, 30, 645, 385);
    expect_area(layout.details_splitter, 645, 30, 5, 780);
    expect_area(layout.details, 650, 30, 350, 780);
    expect_area(layout.query_splitter, 0, 415, 645, 5);
    expect_area(layout.query, 0, 420, 645, 390);
    expect_area(layout.status, 0, 810, 1000, 20);
}

TEST(Layout, TheAddressMapTakesItsPartOfThePicture) {
    Preferences settings;
    settings.details_fraction = 0.35F;
    settings.query_fraction = 0.5F;
    settings.address_map_fraction = 0.4F;
    const Layout layout = layout_of(settings, true, true);
    expect_area(layout.timeline, 0, 30, 645, 226);
    expect_area(layout.map_splitter, 0, 256, 645, 5);
    expect_area(layout.map, 0, 261, 645, 154);
    expect_area(layout.query, 0, 420, 645, 390);
    expect_area(layout.details, 650, 30, 350, 780);
}

TEST(Layout, AQueryPaneThatWasNotUsedIsOneLine) {
    Preferences settings;
    settings.details_fraction = 0.35F;
    const Layout layout = compute_layout({{0, 30}, {1000, 800}}, k_status_height, k_splitter, true, settings, false, 40);
    expect_area(layout.query, 0, 770, 645, 40);
    expect_area(layout.timeline, 0, 30, 645, 735);
}

TEST(Layout, TheDetailsHaveRoomForTheNamesOfTheirPages) {
    Preferences settings;
    settings.details_fraction = 0.2F;
    EXPECT_FLOAT_EQ(layout_of(settings).details.size.x, 285);
    const Layout narrow = compute_layout({{0, 30}, {500, 400}}, k_status_height, k_splitter, true, settings, false);
    EXPECT_FLOAT_EQ(narrow.details.size.x, 200);
}

TEST(Layout, WithoutTheQueryPaneTheTimelineReachesTheStatusLine) {
    Preferences settings;
    settings.show_query = false;
    const Layout layout = layout_of(settings);
    EXPECT_FLOAT_EQ(layout.timeline.pos.y + layout.timeline.size.y, layout.status.pos.y);
    EXPECT_EQ(layout.query.size.y, 0);
}

TEST(Layout, WithoutADocumentThereIsOneArea) {
    const Layout layout = layout_of({}, false);
    expect_area(layout.timeline, 0, 30, 1000, 780);
    EXPECT_EQ(layout.details.size.x, 0);
    EXPECT_EQ(layout.query.size.y, 0);
}

TEST(Layout, NoPanelCrowdsOutAnother) {
    Preferences settings;
    settings.details_fraction = 5;
    settings.query_fraction = -1;
    const Layout layout = layout_of(settings);
    EXPECT_FLOAT_EQ(layout.details.size.x, 700);
    EXPECT_FLOAT_EQ(layout.query.size.y, 94);  // 12 % of 780
}

}  // namespace
}  // namespace snapviewer
