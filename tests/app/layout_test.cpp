#include <gtest/gtest.h>

#include <optional>

#include "app/shell/panels.h"

namespace snapviewer {
namespace {

constexpr float k_status_height = 20;
constexpr float k_splitter = 5;

/// Fractions of the panels; nullopt for a panel that is not there.
struct Shares {
    std::optional<float> column = 0.35F, bottom = 0.5F, below_picture = {};
};

shell::Layout layout_of(Shares shares, float bottom_px = 0, const Area& work = {{0, 30}, {1000, 800}}) {
    shell::PerArea<shell::PanelSize> sizes;
    if (shares.column) sizes[PanelArea::column].share = &*shares.column;
    if (shares.bottom) sizes[PanelArea::bottom] = {&*shares.bottom, bottom_px};
    if (shares.below_picture) sizes[PanelArea::below_picture].share = &*shares.below_picture;
    return shell::compute_layout(work, k_status_height, k_splitter, sizes);
}

void expect_area(const Area& area, float left, float top, float width, float height) {
    EXPECT_FLOAT_EQ(area.pos.x, left);
    EXPECT_FLOAT_EQ(area.pos.y, top);
    EXPECT_FLOAT_EQ(area.size.x, width);
    EXPECT_FLOAT_EQ(area.size.y, height);
}

TEST(Layout, PanelsAndSplittersFillTheWindow) {
    const shell::Layout layout = layout_of({});
    expect_area(layout.panels[PanelArea::picture], 0, 30, 645, 385);
    expect_area(layout.splitters[PanelArea::column], 645, 30, 5, 780);
    expect_area(layout.panels[PanelArea::column], 650, 30, 350, 780);
    expect_area(layout.splitters[PanelArea::bottom], 0, 415, 645, 5);
    expect_area(layout.panels[PanelArea::bottom], 0, 420, 645, 390);
    expect_area(layout.status, 0, 810, 1000, 20);
}

TEST(Layout, ThePanelBelowThePictureTakesItsShareOfThePicture) {
    const shell::Layout layout = layout_of({.below_picture = 0.4F});
    expect_area(layout.panels[PanelArea::picture], 0, 30, 645, 226);
    expect_area(layout.splitters[PanelArea::below_picture], 0, 256, 645, 5);
    expect_area(layout.panels[PanelArea::below_picture], 0, 261, 645, 154);
    expect_area(layout.panels[PanelArea::bottom], 0, 420, 645, 390);
    expect_area(layout.panels[PanelArea::column], 650, 30, 350, 780);
}

TEST(Layout, APanelCanHaveAFixedHeight) {
    const shell::Layout layout = layout_of({}, 40);
    expect_area(layout.panels[PanelArea::bottom], 0, 770, 645, 40);
    expect_area(layout.panels[PanelArea::picture], 0, 30, 645, 735);
}

TEST(Layout, TheColumnHasRoomForTheNamesOfItsPages) {
    EXPECT_FLOAT_EQ(layout_of({.column = 0.2F}).panels[PanelArea::column].size.x, 285);
    EXPECT_FLOAT_EQ(layout_of({.column = 0.2F}, 0, {{0, 30}, {500, 400}}).panels[PanelArea::column].size.x, 200);
}

TEST(Layout, WithoutOtherPanelsThePictureReachesTheStatusLine) {
    const shell::Layout layout = layout_of({.bottom = {}});
    const Area& picture = layout.panels[PanelArea::picture];
    EXPECT_FLOAT_EQ(picture.pos.y + picture.size.y, layout.status.pos.y);
    EXPECT_EQ(layout.panels[PanelArea::bottom].size.y, 0);
}

TEST(Layout, WithoutADocumentThereIsOneArea) {
    const shell::Layout layout = layout_of({.column = {}, .bottom = {}});
    expect_area(layout.panels[PanelArea::picture], 0, 30, 1000, 780);
    EXPECT_EQ(layout.panels[PanelArea::column].size.x, 0);
    EXPECT_EQ(layout.panels[PanelArea::bottom].size.y, 0);
}

TEST(Layout, NoPanelCrowdsOutAnother) {
    const shell::Layout layout = layout_of({.column = 5.0F, .bottom = -1.0F});
    EXPECT_FLOAT_EQ(layout.panels[PanelArea::column].size.x, 700);
    EXPECT_FLOAT_EQ(layout.panels[PanelArea::bottom].size.y, 94);  // 12 % of 780
}

}  // namespace
}  // namespace snapviewer
