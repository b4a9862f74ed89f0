#include "app/features/flame/flame.h"

#include <algorithm>
#include <numeric>

#include "core/timeline/totals.h"
#include "tests/app/opened_sample.h"

namespace snapviewer::flame_graphs_test {
namespace {

using test::OpenedSample;
using test::update_until_idle;

struct Opened : OpenedSample {
    Opened() { graphs.update(); }
    flame::FlameGraphs graphs{session, pictures, live};
    const flame::FlameState& flame = graphs.state();
    const std::shared_ptr<const stacks::Icicle>& graph = session.icicle.flame;
};

struct Drawn : Opened {
    Drawn() {
        graphs.toggle();
        update_until_idle(graphs);
        EXPECT_TRUE(session.shows_flame_graph());
    }
};

double live_bytes(const Timeline& timeline, std::uint32_t tick) {
    const auto totals = totals_by_stack(timeline, timeline.live_after_tick(tick));
    return std::accumulate(totals.begin(), totals.end(), 0.0,
                           [](double sum, const StackTotal& each) { return sum + static_cast<double>(each.bytes); });
}

TEST(FlameGraphs, OneIsOfAllThatIsAliveAtThePeak) {
    const Drawn drawn;
    const Timeline& timeline = *drawn.session.current_timeline();
    ASSERT_NE(drawn.graph, nullptr);
    EXPECT_EQ(drawn.flame.shown.tick, timeline.peak_tick());
    EXPECT_EQ(drawn.graph->total, live_bytes(timeline, timeline.peak_tick()));
    EXPECT_TRUE(drawn.session.notice.empty());
}

TEST(FlameGraphs, TheMomentOfLiveIsMadeAnew) {
    Drawn drawn;
    const auto at_peak = drawn.graph;
    drawn.live.list(100);
    drawn.graphs.update();
    EXPECT_EQ(drawn.graph, at_peak) << "what was made stays until there is another";
    EXPECT_TRUE(drawn.graphs.is_busy());
    update_until_idle(drawn.graphs);
    EXPECT_NE(drawn.graph, at_peak);
    EXPECT_EQ(drawn.graph->total, live_bytes(*drawn.session.current_timeline(), 100));
}

TEST(FlameGraphs, TheSecondToggleGoesBackToTheTimeline) {
    Drawn drawn;
    drawn.graphs.toggle();
    EXPECT_FALSE(drawn.flame.is_open);
    EXPECT_EQ(drawn.session.shown_icicle(), nullptr);
    drawn.graphs.update();
    EXPECT_FALSE(drawn.graphs.is_busy());
}

TEST(FlameGraphs, CallersAreOfOneFunctionUntilTheyAreLeft) {
    Drawn drawn;
    const auto whole = drawn.graph;
    const auto call = std::ranges::find_if(whole->nodes, &stacks::IcicleNode::is_call);
    ASSERT_NE(call, whole->nodes.end());
    drawn.graphs.show_callers(static_cast<std::uint32_t>(call - whole->nodes.begin()));
    update_until_idle(drawn.graphs);
    EXPECT_NE(drawn.graph, whole);
    drawn.graphs.leave_callers();
    update_until_idle(drawn.graphs);
    EXPECT_EQ(drawn.graph->nodes.size(), whole->nodes.size());
}

}  // namespace
}  // namespace snapviewer::flame_graphs_test
