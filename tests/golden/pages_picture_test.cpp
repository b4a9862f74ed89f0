// Compares the pages of answers, the flame graph and the address map of the bundled sample with stored pictures of their
// panels.
#include <algorithm>
#include <optional>

#include "app/features/growth/growth.h"
#include "app/features/live/live.h"
#include "app/features/moments/moments.h"
#include "app/features/timeline/ruler_ui.h"
#include "tests/golden/window_picture.h"

namespace snapviewer::golden {
namespace {

class PagePicture : public WindowPicture {
protected:
    void SetUp() override {
        WindowPicture::SetUp();
        begin(1100, 640);
        if (IsSkipped() || HasFatalFailure()) return;
        open_sample();
    }
    /// Places the ruler from the first forward pass to the second.
    void lay_ruler() {
        RulerState& ruler = session().timeline.ruler;
        ruler.is_shown = true;
        ruler.x_from = 2000;
        ruler.x_to = 7000;
        ruler.y_to = 8e9;
        measure(ruler, *session().current_timeline(), Axis::steps);
        settle();
    }
};

TEST_F(PagePicture, Findings) { EXPECT_TRUE(panel_matches("Details", "page_findings")); }

TEST_F(PagePicture, Growth) {
    ask(RunCommand{CommandId::tools_growth});
    EXPECT_TRUE(panel_matches("Details", "page_growth"));
    EXPECT_TRUE(panel_matches("Timeline", "growth_in_timeline"));
    feature<growth::GrowthPage>().show_flags(true);
    settle();
    EXPECT_TRUE(panel_matches("Details", "page_generations"));
    EXPECT_TRUE(panel_matches("Timeline", "generations_in_timeline"));
}

TEST_F(PagePicture, Live) {
    show(live::k_live_page);
    EXPECT_TRUE(panel_matches("Details", "page_live"));
    EXPECT_TRUE(panel_matches("Timeline", "live_in_timeline"));
}

TEST_F(PagePicture, Moments) {
    lay_ruler();
    show(moments::k_moments_page);
    feature<moments::MomentMarks>().highlight(moments::ChangeKind::came, std::nullopt);
    settle();
    EXPECT_TRUE(panel_matches("Details", "page_moments"));
    EXPECT_TRUE(panel_matches("Timeline", "moments_in_timeline"));
}

TEST_F(PagePicture, Kinds) {
    ask(ColourAs{mesh::ColourBy::kind});
    EXPECT_TRUE(panel_matches("Timeline", "page_kinds"));
}

TEST_F(PagePicture, FlameGraph) {
    ask(RunCommand{CommandId::view_flame});
    ASSERT_TRUE(session().shows_flame_graph());
    EXPECT_TRUE(panel_matches("Timeline", "page_flame"));
    const auto& nodes = session().icicle.flame->nodes;
    const auto forward = std::ranges::find(nodes, "Block.forward", &stacks::IcicleNode::function);
    ASSERT_NE(forward, nodes.end());
    ask(ShowCallers{static_cast<std::uint32_t>(forward - nodes.begin())});
    ASSERT_GT(session().icicle.flame->root_row, 0U);
    EXPECT_TRUE(panel_matches("Timeline", "page_flame_around"));
}

TEST_F(PagePicture, AddressMap) {
    ask(RunCommand{CommandId::view_address_map});
    EXPECT_TRUE(panel_matches("Address map", "page_address_map"));
}

}  // namespace
}  // namespace snapviewer::golden
