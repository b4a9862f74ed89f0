#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "render/timeline_canvas.h"
#include "tests/golden/scene.h"

namespace snapviewer::golden {
namespace {

constexpr int k_picture_width = 1000,
              k_picture_height = 800;  // more pixels than a software rasterizer draws while the picture moves
constexpr auto k_rest = std::chrono::milliseconds(150);

class MovingPicture : public SoftwarePictureTest {
protected:
    void SetUp() override {
        SoftwarePictureTest::SetUp();
        if (IsSkipped()) return;
        auto window = render::OffscreenFramebuffer::create(k_picture_width, k_picture_height);
        ASSERT_TRUE(window) << window.error().text();
        window_ = std::move(window).value();
    }

    std::unique_ptr<render::TimelineCanvas> canvas_of(render::MovingPixels moving) {
        auto canvas = render::TimelineCanvas::create(moving);
        EXPECT_TRUE(canvas);
        const auto mesh = mesh::build_mesh(timeline_);
        EXPECT_TRUE((*canvas)->renderer().upload(timeline_, mesh, distinct_colours(timeline_.allocation_count())));
        return std::move(canvas).value();
    }
    View part(double from) const { return {from, from + 60, 0, static_cast<double>(timeline_.peak_bytes())}; }
    static bool update(render::TimelineCanvas& canvas, const View& view) {
        return canvas.update(view, Axis::steps, k_picture_width, k_picture_height, AllocationId::none());
    }
    render::Image copied(const render::TimelineCanvas& canvas) const {
        window_->bind();
        canvas.copy_to_bound(0, 0, {0, 0, k_picture_width, k_picture_height});
        window_->bind();
        return render::read_framebuffer(k_picture_width, k_picture_height);
    }
    render::Image drawn_at_once(render::TimelineCanvas& canvas, const View& view) const {
        window_->bind();
        canvas.renderer().draw(view, Axis::steps, k_picture_width, k_picture_height, AllocationId::none());
        return render::read_framebuffer(k_picture_width, k_picture_height);
    }
    static double share_of_like_pixels(const render::Image& a, const render::Image& b) {
        int like = 0;
        for (int y = 0; y < k_picture_height; ++y) {
            for (int x = 0; x < k_picture_width; ++x) {
                const Pixel one = pixel_at(a, x, y), other = pixel_at(b, x, y);
                like += static_cast<int>(std::abs(one.red - other.red) + std::abs(one.green - other.green) +
                                             std::abs(one.blue - other.blue) <
                                         24);
            }
        }
        return 1.0 * like / (k_picture_width * k_picture_height);
    }

    const Timeline timeline_ = random_timeline(3, 200, 8 * k_mib);
    std::optional<render::OffscreenFramebuffer> window_;
};

TEST_F(MovingPicture, HasFewPixelsAndAllOfThemWhenItRests) {
    const auto canvas = canvas_of(render::MovingPixels::few);
    EXPECT_TRUE(update(*canvas, part(0)));
    EXPECT_FALSE(canvas->is_coarse()) << "what has only come is at rest";
    EXPECT_TRUE(update(*canvas, part(20)));
    EXPECT_TRUE(canvas->is_coarse());
    const render::Image coarse = copied(*canvas);
    const render::Image sharp = drawn_at_once(*canvas, part(20));
    EXPECT_LT(share_of_like_pixels(coarse, sharp), 1) << "edges are not as sharp";
    EXPECT_GT(share_of_like_pixels(coarse, sharp), 0.9) << "but it is the same picture at the same place";
    EXPECT_LT(share_of_like_pixels(coarse, drawn_at_once(*canvas, part(0))), 0.9) << "and not the one before";

    std::this_thread::sleep_for(k_rest);
    EXPECT_TRUE(update(*canvas, part(20)));
    EXPECT_FALSE(canvas->is_coarse());
    EXPECT_EQ(copied(*canvas).rgba, sharp.rgba);
    EXPECT_FALSE(update(*canvas, part(20)));
}

TEST_F(MovingPicture, ThatIsNoLongerShownIsNotWaitedFor) {
    const auto canvas = canvas_of(render::MovingPixels::few);
    update(*canvas, part(0));
    update(*canvas, part(20));
    ASSERT_TRUE(canvas->is_coarse());
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    EXPECT_FALSE(canvas->is_coarse());
    EXPECT_TRUE(update(*canvas, part(20))) << "when it is shown again it is sharp";
    EXPECT_FALSE(canvas->is_coarse());
}

TEST_F(MovingPicture, HasAllPixelsUnlessTheyMayBeSpared) {
    const auto canvas = canvas_of(render::MovingPixels::all);
    update(*canvas, part(0));
    EXPECT_TRUE(update(*canvas, part(20)));
    EXPECT_FALSE(canvas->is_coarse());
    EXPECT_EQ(copied(*canvas).rgba, drawn_at_once(*canvas, part(20)).rgba);
}

TEST_F(MovingPicture, HasAllPixelsWhereItHasFew) {
    const auto canvas = canvas_of(render::MovingPixels::few);
    canvas->update(part(0), Axis::steps, 300, 200, AllocationId::none());
    EXPECT_TRUE(canvas->update(part(20), Axis::steps, 300, 200, AllocationId::none()));
    EXPECT_FALSE(canvas->is_coarse());
}

}  // namespace
}  // namespace snapviewer::golden
