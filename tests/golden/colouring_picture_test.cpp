// Compares each colouring, as `render` draws it, with stored pictures of the bundled sample.
#include "app/features/timeline/colouring.h"
#include "tests/golden/document_picture.h"

namespace snapviewer::golden {
namespace {

using ColouringPicture = DocumentPictureTest;

TEST_F(ColouringPicture, OfEachName) {
    options_.width_px = 640;
    options_.height_px = 360;
    const auto document = open(GOLDEN_SAMPLE);
    for (const std::string& name : colour_names()) {
        options_.colour_by = colour_named(name);
        EXPECT_TRUE(timeline_matches(*document, 0, "coloured_by_" + name)) << name;
    }
}

TEST_F(ColouringPicture, SegmentsHaveNoKinds) {
    const auto document = open(GOLDEN_SAMPLE);
    Progress progress;
    const auto segments = build_view(*document, 0, ViewKind::segments, progress);
    ASSERT_TRUE(segments);
    options_.colour_by = mesh::ColourBy::kind;
    EXPECT_FALSE(picture::render_picture(*document, *segments, options_));
}

}  // namespace
}  // namespace snapviewer::golden
