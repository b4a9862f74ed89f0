// Tests of the application without a window: it draws its frames offscreen.
#include "app/shell/application.h"
#include "app/features/fleet/fleet.h"
#include "app/features/query/queries.h"
#include "app/features/search/search.h"
#include "app/features/timeline/pictures.h"
#include "app/features/what_if/what_if.h"

#include <algorithm>

#include "app/picture/offscreen_renderer.h"
#include "render/framebuffer.h"
#include "tests/golden/document_picture.h"
#include "tools/bench/offscreen_window.h"

namespace snapviewer::golden {
namespace {

/// A snapshot with two devices, each with a segment of 2 MiB and allocations of 512 and 1024 bytes, of which the second
/// stays.
constexpr const char* k_two_devices = R"({"segments": [
  {"device": 0, "address": 1000000, "total_size": 2097152, "stream": 0, "segment_type": "small", "blocks": [
    {"address": 1000000, "size": 1024, "requested_size": 0, "state": "inactive", "frames": []},
    {"address": 1001024, "size": 1024, "requested_size": 1024, "state": "active_allocated", "frames": []}]},
  {"device": 1, "address": 9000000, "total_size": 2097152, "stream": 0, "segment_type": "small", "blocks": [
    {"address": 9000000, "size": 1024, "requested_size": 0, "state": "inactive", "frames": []},
    {"address": 9001024, "size": 1024, "requested_size": 1024, "state": "active_allocated", "frames": []}]}],
 "device_traces": [
  [{"action": "alloc", "addr": 1000000, "size": 512, "stream": 0, "frames": []},
   {"action": "alloc", "addr": 1001024, "size": 1024, "stream": 0, "frames": []},
   {"action": "free_requested", "addr": 1000000, "size": 512, "stream": 0, "frames": []},
   {"action": "free_completed", "addr": 1000000, "size": 512, "stream": 0, "frames": []}],
  [{"action": "alloc", "addr": 9000000, "size": 512, "stream": 0, "frames": []},
   {"action": "alloc", "addr": 9001024, "size": 1024, "stream": 0, "frames": []},
   {"action": "free_requested", "addr": 9000000, "size": 512, "stream": 0, "frames": []},
   {"action": "free_completed", "addr": 9000000, "size": 512, "stream": 0, "frames": []}]]})";

class ApplicationTest : public DocumentPictureTest {
protected:
    void SetUp() override {
        DocumentPictureTest::SetUp();
        if (IsSkipped()) return;
        Result<picture::OffscreenRenderer> offscreen = picture::OffscreenRenderer::create(900, 600);
        ASSERT_TRUE(offscreen) << offscreen.error().text();
        offscreen_.emplace(std::move(*offscreen));
        whole_.emplace();
        Result<std::unique_ptr<shell::Application>> made = shell::Application::create(Preferences{});
        ASSERT_TRUE(made) << made.error().text();
        application_ = std::move(*made);
        application_->adopt(open(write("two.json", k_two_devices)));
        ASSERT_EQ(application_->session().devices.size(), 2U);
        settle();
    }
    void TearDown() override {
        application_.reset();
        whole_.reset();
        offscreen_.reset();
    }

    void frame() {
        offscreen_->interface->begin_frame();
        application_->frame({});
        offscreen_->interface->end_frame(offscreen_->target);
        expect_nothing_of_before();
    }
    /// Checks that drawing only the changed parts, as with a software rasterizer, gives the same pixels as drawing the whole
    /// frame.
    void expect_nothing_of_before() {
        const auto pixels = [&] {
            return render::read_framebuffer(offscreen_->target.width_px(), offscreen_->target.height_px()).rgba;
        };
        const auto kept = pixels();
        EXPECT_TRUE(whole_->paint(offscreen_->target.width_px(), offscreen_->target.height_px()));
        EXPECT_EQ(pixels(), kept);
    }
    void settle() {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        do {
            frame();
        } while (application_->is_animating() && std::chrono::steady_clock::now() < deadline);
        ASSERT_FALSE(application_->is_animating());
    }
    /// Number of uploads of pictures to the graphics card that the requests cause.
    std::uint64_t uploads_for(std::vector<Request> requests) {
        const auto uploads = [&] { return application_->feature<Pictures>().canvas().renderer().stats().uploads; };
        const std::uint64_t before = uploads();
        for (Request& request : requests) application_->ask(std::move(request));
        settle();
        return uploads() - before;
    }
    void run_query(const std::string& sql) { uploads_for({PutQuery{sql, sql.size(), sql.size(), true}}); }
    const query::QueryPaneState& queries() const {
        const query::Queries& queries = application_->feature<query::Queries>();
        return queries.state();
    }
    /// Clicks on an item of the window.
    void click(const std::string& item) {
        ASSERT_TRUE(mouse_.press(item, [this] { frame(); })) << item;
        bench::ItemMouse::release();
        frame();
        bench::move_mouse({-1, -1});
        settle();
    }
    Session& session() { return application_->session(); }
    /// Draws windows of every width and then of every height up to some pixels, so that each element once has no size.
    void draw_small_windows() {
        constexpr int k_up_to_px = 200;
        ImVec2& size = ImGui::GetIO().DisplaySize;
        const ImVec2 usual = size;
        const Preferences before = session().preferences;
        for (float width = k_up_to_px; width > 0; --width) {
            size = {width, usual.y};
            frame();
        }
        for (float height = k_up_to_px; height > 0; --height) {
            size = {usual.x, height};
            frame();
        }
        size = usual;
        settle();
        EXPECT_EQ(session().preferences.details_fraction, before.details_fraction);
        EXPECT_EQ(session().preferences.query_fraction, before.query_fraction);
        EXPECT_EQ(session().preferences.address_map_fraction, before.address_map_fraction);
    }

    std::optional<picture::OffscreenRenderer> offscreen_;
    std::unique_ptr<shell::Application> application_;
    std::optional<bench::WholePainter> whole_;
    bench::ItemMouse mouse_;
};

TEST_F(ApplicationTest, NearViewsAreDrawnFromTheMeshOnceItIsThere) {
    const auto stats = [&] { return application_->feature<Pictures>().canvas().renderer().stats(); };
    const auto sample = open(GOLDEN_SAMPLE);
    application_->adopt(sample);
    frame();
    EXPECT_EQ(stats().drawn_from, render::DrawnFrom::index);
    EXPECT_EQ(stats().mesh_records, 0U) << "the first picture does not wait for the mesh";
    settle();
    const std::uint64_t records = stats().mesh_records;
    EXPECT_GT(records, application_->session().current_timeline()->path_point_count() / 2);
    EXPECT_EQ(stats().drawn_from, render::DrawnFrom::index) << "all of the picture is in view";
    const std::uint64_t sent = stats().uploaded_bytes;
    View& view = application_->session().current_device().view;
    view.x_end = view.x_begin + 200;
    settle();
    EXPECT_EQ(stats().drawn_from, render::DrawnFrom::mesh);
    EXPECT_EQ(stats().uploaded_bytes, sent);
    application_->adopt(nullptr);
    settle();
    EXPECT_EQ(stats().mesh_records, 0U);
    application_->adopt(sample);
    settle();
    EXPECT_EQ(stats().mesh_records, records);
}

TEST_F(ApplicationTest, OneClickSendsADeviceOnce) {
    EXPECT_EQ(uploads_for({ShowDevice{1}}), 1U);
    EXPECT_EQ(uploads_for({ShowDevice{1}}), 0U) << "it is there";
    EXPECT_EQ(uploads_for({RunCommand{CommandId::view_segments}}), 1U);
    EXPECT_EQ(session().current_kind(), ViewKind::segments);
    EXPECT_EQ(uploads_for({ShowDevice{0}}), 1U);
    // A query row that refers to an allocation of the device that shows its segments: device and view must both change. Each
    // device has two allocations.
    EXPECT_EQ(uploads_for({FollowRow{{.allocation_row = 3}}}), 1U);
    EXPECT_EQ(session().device_index, 1U);
    EXPECT_EQ(session().current_kind(), ViewKind::allocations);
    EXPECT_EQ(session().selected(), AllocationId{1});
    EXPECT_EQ(uploads_for({FollowRow{{.allocs_index = 0}}}), 0U) << "of the same picture";
    EXPECT_EQ(session().selected(), AllocationId{0});
    EXPECT_EQ(uploads_for({ShowDevice{0}, ColourAs{mesh::ColourBy::size}, FindText{"x"}}), 1U);
}

TEST_F(ApplicationTest, RequestsAreCarriedOutInTheirOrder) {
    uploads_for({FindText{"nowhere"}, ColourAs{mesh::ColourBy::stream}, HighlightGroup{0}});
    EXPECT_EQ(session().highlight.group(), 0U);
    EXPECT_EQ(session().highlight.as<TextSought>(), nullptr);
    EXPECT_EQ(session().highlight.allocations->count(), 2U);
    uploads_for({HighlightGroup{0}});
    EXPECT_FALSE(application_->feature<search::SearchBar>().is_open()) << "the same once more";
    uploads_for({FindText{"nowhere"}, ColourAs{mesh::ColourBy::size}});
    EXPECT_EQ(session().highlight.allocations->count(), 0U);
    uploads_for({RunCommand{CommandId::search_close}});
    EXPECT_FALSE(session().highlight.allocations);
}

TEST_F(ApplicationTest, AQueryIsRunAndItsRowFollowed) {
    uploads_for({RunCommand{CommandId::query_run}});
    EXPECT_FALSE(queries().tab().result) << "nothing was typed";
    run_query("SELECT a.id AS victim FROM allocations a WHERE a.device = 1 AND a.size = 1024");
    ASSERT_TRUE(queries().tab().result);
    ASSERT_EQ(queries().tab().result->row_count(), 1U);
    uploads_for({FollowRow{row_target(*queries().tab().result, 0)}});
    EXPECT_EQ(session().device_index, 1U);
    EXPECT_EQ(session().selected(), AllocationId{1});
}

/// ImGui aborts the program if some of its items have no width or no height.
TEST_F(ApplicationTest, NoWindowIsTooSmall) {
    draw_small_windows();
    run_query("SELECT 1");
    uploads_for({FindText{"x"}});
    ASSERT_TRUE(queries().is_open);
    EXPECT_EQ(queries().page, query::QueryPage::answer);
    draw_small_windows();
    for (const auto& [item, page] :
         {std::pair("query_ready", query::QueryPage::cards), std::pair("query_tables", query::QueryPage::tables)}) {
        click(item);
        EXPECT_EQ(queries().page, page);
        draw_small_windows();
    }
    for (const CommandId command : {CommandId::tools_growth, CommandId::view_address_map, CommandId::view_flame}) {
        uploads_for({RunCommand{command}});
        draw_small_windows();
    }
    uploads_for({RunCommand{CommandId::tools_table}});
    uploads_for({RunCommand{CommandId::tools_fleet}, RunCommand{CommandId::tools_what_if}});
    draw_small_windows();
}

}  // namespace
}  // namespace snapviewer::golden
