#include "app/features/link/links.h"

#include "app/features/navigation/navigation.h"
#include "core/query/database.h"
#include "tests/app/opened_sample.h"

namespace snapviewer::links_test {
namespace {

using test::OpenedSample;

/// The sample with all features that handle the requests of links.
struct LinkedSample : OpenedSample {
    LinkedSample()
        : navigation(session), answers(session, pictures, selection, live), links(session, pictures, answers, query) {
        for (Feature* feature : std::initializer_list<Feature*>{&pictures, &selection, &navigation, &links})
            feature->connect(board);
        board.handlers.on<PutQuery>([this](const PutQuery& asked) { put = asked; });
    }

    void show(const std::string& place) {
        links.show(place);
        links.update();
        for (const Request& request : board.requests.take())
            EXPECT_TRUE(board.handlers.carry_out(request)) << request.words();
    }

    Switchboard board;
    navigation::Navigation navigation;
    findings::Answers answers;
    query::QueryPaneState query;
    link::Links links;
    std::optional<PutQuery> put;
};

TEST(Links, AnotherWindowShowsTheSame) {
    LinkedSample sender;
    DeviceState& device = sender.session.current_device();
    sender.pictures.colour_by(mesh::ColourBy::size);
    sender.selection.find("function:forward size > 1 KiB & more=\"100%\"");
    sender.selection.select(AllocationId{7});
    const double width = device.view.width();
    device.view.x_begin += width / 3;
    device.view.x_end -= width / 7;
    device.view.y_end /= 2;
    sender.query.is_open = true;
    sender.query.tab().ran_sql = "SELECT '50%' || \"ü\"\n";
    const std::string place = sender.links.place_text();
    for (const char c : place) EXPECT_TRUE(c > ' ' && c < 127 && c != '"' && c != '\'' && c != '#') << place;

    LinkedSample receiver;
    receiver.show(place);
    EXPECT_EQ(receiver.session.notice, "");
    EXPECT_EQ(receiver.session.current_device().view, device.view);
    EXPECT_EQ(receiver.session.selected(), AllocationId{7});
    EXPECT_EQ(receiver.session.colour_by, mesh::ColourBy::size);
    ASSERT_NE(receiver.session.highlight.as<TextSought>(), nullptr);
    EXPECT_EQ(receiver.session.highlight.as<TextSought>()->text, sender.session.highlight.as<TextSought>()->text);
    ASSERT_TRUE(receiver.put);
    EXPECT_EQ(receiver.put->sql, sender.query.tab().ran_sql);
    EXPECT_TRUE(receiver.put->is_complete);
    receiver.query.is_open = true;
    receiver.query.tab().ran_sql = receiver.put->sql;
    EXPECT_EQ(receiver.links.place_text(), place);
}

TEST(Links, TheSameLinkAgainChangesNothing) {
    LinkedSample opened;
    opened.pictures.colour_by(mesh::ColourBy::stream);
    ASSERT_FALSE(opened.session.groups.groups.empty());
    opened.selection.highlight_group(0);
    const std::string place = opened.links.place_text();
    EXPECT_NE(place.find("group="), place.npos) << place;
    opened.show(place);
    EXPECT_EQ(opened.links.place_text(), place);
}

TEST(Links, WhatTheFileDoesNotHaveIsTold) {
    for (const auto& [place, told] : std::vector<std::pair<std::string, std::string>>{
             {"device=99", "no device 99"},
             {"select=4000000000", "no allocation 4000000000"},
             {"stack=1000000000", "no stack 1000000000"},
             {"stack=-1", "no stack -1"},
             {"colour-by=size&group=nothing", "no row nothing"},
             {"view=5:1", "view: "},
             {"axis=up", "axis: 'up' is none of"},
             {"view=%", "the link is broken"},
         }) {
        LinkedSample opened;
        const View before = opened.session.current_device().view;
        opened.show(place);
        EXPECT_NE(opened.session.notice.find(told), std::string::npos) << place << ": " << opened.session.notice;
        EXPECT_FALSE(opened.session.has_selection()) << place;
        EXPECT_EQ(opened.session.current_device().view, before) << place;
    }
}

TEST(Links, APlaceFarAwayIsNotLeftEmpty) {
    LinkedSample opened;
    opened.show("view=1e30:2e30,1e30:2e30");
    const View& view = opened.session.current_device().view;
    EXPECT_LT(view.x_begin, static_cast<double>(opened.session.current_timeline()->step_count()));
    opened.show("view=0:1e-300");
    EXPECT_GT(opened.session.current_device().view.width(), 1e-9);
}

TEST(Links, ALinkWaitsForTheFile) {
    LinkedSample opened;
    const std::shared_ptr<const Document> document = opened.session.document;
    opened.links.leave();
    opened.session.document = nullptr;
    opened.session.devices.clear();
    opened.show("select=3");
    EXPECT_FALSE(opened.session.has_selection());
    opened.session.document = document;
    opened.pictures.adopt();
    opened.links.update();
    for (const Request& request : opened.board.requests.take()) EXPECT_TRUE(opened.board.handlers.carry_out(request));
    EXPECT_EQ(opened.session.selected(), AllocationId{3});
}

}  // namespace
}  // namespace snapviewer::links_test
