// The pages of answers, the flame graph and the address map, drawn by the program behind the window, against stored
// pictures. All are of the bundled sample.
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "app/views/picture/ruler_view.h"
#include "app/window/application.h"
#include "app/window/studio.h"
#include "tests/golden/document_picture.h"

namespace snapviewer::golden {
namespace {

class PagePicture : public DocumentPictureTest {
protected:
    void SetUp() override {
        // Letters are smoothed otherwise from 1.89 on, and these pictures are mostly letters.
        if (IMGUI_VERSION_NUM >= 18900) GTEST_SKIP() << "the baselines are of an older ImGui";
        DocumentPictureTest::SetUp();
        if (IsSkipped()) return;
        Result<Studio> studio = Studio::create(1100, 640);
        ASSERT_TRUE(studio) << studio.error().text();
        studio_.emplace(std::move(*studio));
        Settings settings;
        Result<std::unique_ptr<Application>> made = Application::create(settings);
        ASSERT_TRUE(made) << made.error().text();
        application_ = std::move(*made);
        application_->adopt(open(GOLDEN_SAMPLE));
        settle();
        ASSERT_EQ(state().findings.state, AnswersState::ready);
    }
    void TearDown() override {
        application_.reset();
        studio_.reset();
    }

    void settle() {
        constexpr int k_frames_at_rest = 4;  // popups and lists find their size in a second one
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        for (int rest = 0; rest < k_frames_at_rest && std::chrono::steady_clock::now() < deadline; ++rest) {
            studio_->interface->begin_frame();
            application_->frame({});
            studio_->interface->end_frame(studio_->target);
            if (application_->is_animating()) rest = 0;
        }
        ASSERT_FALSE(application_->is_animating());
    }
    void ask(Request request) {
        application_->ask(std::move(request));
        settle();
    }
    void show(SidePage page) {
        state().pages.next = page;
        settle();
    }
    /// From the first forward pass to the second.
    void lay_ruler() {
        RulerState& ruler = state().timeline.ruler;
        ruler.is_shown = true;
        ruler.x_from = 2000;
        ruler.x_to = 7000;
        ruler.y_to = 8e9;
        measure(ruler, *state().current_timeline(), Axis::steps);
        settle();
    }
    AppState& state() { return application_->state(); }
    testing::AssertionResult window_matches(const std::string& name) {
        return written_matches(studio_->write_png(options_.out), name);
    }

private:
    std::optional<Studio> studio_;
    std::unique_ptr<Application> application_;
};

TEST_F(PagePicture, Findings) { EXPECT_TRUE(window_matches("page_findings")); }

TEST_F(PagePicture, Growth) {
    ask(Command::show_growth);
    EXPECT_TRUE(window_matches("page_growth"));
    state().generation.is_chosen = true;
    settle();
    EXPECT_TRUE(window_matches("page_generations"));
}

TEST_F(PagePicture, Live) {
    show(SidePage::live);
    EXPECT_TRUE(window_matches("page_live"));
}

TEST_F(PagePicture, Moments) {
    lay_ruler();
    show(SidePage::moments);
    ask(EmphasiseChange{ChangeKind::came, std::nullopt});
    EXPECT_TRUE(window_matches("page_moments"));
}

TEST_F(PagePicture, Kinds) {
    ask(ColourAs{ColourBy::kind});
    EXPECT_TRUE(window_matches("page_kinds"));
}

TEST_F(PagePicture, FlameGraph) {
    ask(Command::toggle_flame_graph);
    ASSERT_TRUE(state().shows_flame_graph());
    EXPECT_TRUE(window_matches("page_flame"));
    const auto& nodes = state().flame.graph->nodes;
    const auto forward = std::ranges::find(nodes, "Block.forward", &IcicleNode::function);
    ASSERT_NE(forward, nodes.end());
    ask(ShowCallers{static_cast<std::uint32_t>(forward - nodes.begin())});
    ASSERT_GT(state().flame.graph->root_row, 0U);
    EXPECT_TRUE(window_matches("page_flame_around"));
}

TEST_F(PagePicture, AddressMap) {
    ask(Command::toggle_address_map);
    EXPECT_TRUE(window_matches("page_address_map"));
}

}  // namespace
}  // namespace snapviewer::golden
