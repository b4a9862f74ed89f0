// Checks that the shaders highlight allocations in the same way as colours that were greyed beforehand, with the index and
// with triangles.
#include "core/mesh/colours.h"
#include "tests/golden/scene.h"

namespace snapviewer::golden {
namespace {

class StandingOut : public PictureTest {
protected:
    static constexpr std::uint32_t k_actions = 3000;

    static View all_of(const Timeline& timeline) {
        return {0, static_cast<double>(timeline.step_count()), 0, static_cast<double>(timeline.peak_bytes())};
    }
    static Emphasis every_fifth(const Timeline& timeline) {
        return Emphasis::where(timeline.allocation_count(), [](AllocationId id) { return id.value % 5 == 0; });
    }
    void begin(const Timeline& timeline, const std::vector<std::uint32_t>& colours) {
        const auto mesh = mesh::build_mesh(timeline);
        ASSERT_TRUE(renderer_->upload(timeline, mesh, colours));
    }

    void expect_equal_pictures(const Timeline& timeline, mesh::ThemeVariant ground) {
        const std::vector<std::uint32_t> colours = distinct_colours(timeline.allocation_count());
        const Emphasis emphasis = every_fifth(timeline);
        std::vector<std::uint32_t> before = colours;
        mesh::grey_others(before, emphasis, ground);
        begin(timeline, before);
        const render::Image expected = draw(all_of(timeline));

        begin(timeline, colours);
        const render::Image plain = draw(all_of(timeline));
        ASSERT_TRUE(renderer_->set_highlight(&emphasis, ground));
        EXPECT_EQ(draw(all_of(timeline)).rgba, expected.rgba);
        EXPECT_NE(plain.rgba, expected.rgba);
        const Emphasis nothing(timeline.allocation_count());
        ASSERT_TRUE(renderer_->set_highlight(&nothing, ground));
        EXPECT_NE(draw(all_of(timeline)).rgba, expected.rgba);
        ASSERT_TRUE(renderer_->set_highlight(nullptr, ground));
        EXPECT_EQ(draw(all_of(timeline)).rgba, plain.rgba);
    }
};

TEST_F(StandingOut, OfTheIndex) {
    const Timeline timeline = random_timeline(1, k_actions, 64 * k_mib);
    expect_equal_pictures(timeline, mesh::ThemeVariant::dark);
    expect_equal_pictures(timeline, mesh::ThemeVariant::light);
}

TEST_F(StandingOut, OfTriangles) {
    expect_equal_pictures(as_recorded_paths(random_timeline(2, k_actions, 64 * k_mib)), mesh::ThemeVariant::dark);
}

TEST_F(StandingOut, GoesWithAnotherPicture) {
    const Timeline timeline = random_timeline(3, k_actions, 64 * k_mib);
    const std::vector<std::uint32_t> colours = distinct_colours(timeline.allocation_count());
    begin(timeline, colours);
    const render::Image plain = draw(all_of(timeline));
    const Emphasis emphasis = every_fifth(timeline);
    ASSERT_TRUE(renderer_->set_highlight(&emphasis, mesh::ThemeVariant::dark));
    begin(timeline, colours);
    EXPECT_EQ(draw(all_of(timeline)).rgba, plain.rgba);
}

}  // namespace
}  // namespace snapviewer::golden
