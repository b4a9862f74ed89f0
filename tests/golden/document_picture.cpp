#include "tests/golden/document_picture.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "app/features/timeline/timeline_axis.h"
#include "app/picture/picture.h"
#include "app/system/offscreen_context.h"
#include "render/framebuffer.h"
#include "tests/golden/compare_image.h"

namespace snapviewer::golden {

void DocumentPictureTest::SetUp() {
    const auto context = OffscreenContext::create();
    if (!context) GTEST_SKIP() << context.error().text();
    options_.width_px = 800;
    options_.height_px = 600;
    options_.out = folder_.file("picture.png");
}

std::string DocumentPictureTest::write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_.file(name), std::ios::binary) << content;
    return folder_.file(name);
}

std::string DocumentPictureTest::make_database(const std::string& name, const std::string& change) const {
    std::ifstream script(std::string(GOLDEN_DATABASES) + "/" + name + ".sql");
    std::ostringstream sql;
    sql << script.rdbuf() << change;
    const WrittenDatabase written(folder_.file(name + ".db"), sql.str());
    return folder_.file(name + ".db");
}

std::shared_ptr<const Document> DocumentPictureTest::open(const std::string& path, const std::string& with) {
    Progress progress;
    auto document = open_document(path, {.with = with}, progress);
    EXPECT_TRUE(document) << document.error().text();
    return document ? *document : std::make_shared<Document>();
}

testing::AssertionResult DocumentPictureTest::timeline_matches(const Document& document, std::int32_t number,
                                                               const std::string& name, std::optional<Axis> axis) {
    for (const DeviceView& device : document.devices) {
        if (device.timeline->trace().device != number) continue;
        options_.axis = axis.value_or(default_axis(*device.timeline));
        return written_matches(picture::render_picture(document, device, options_), name);
    }
    return testing::AssertionFailure() << "no device " << number;
}

testing::AssertionResult DocumentPictureTest::icicle_matches(const Document& document, const std::string& title,
                                                             const std::string& name) {
    const auto icicle = std::ranges::find(document.icicles, title, &stacks::Icicle::name);
    if (icicle == document.icicles.end()) return testing::AssertionFailure() << "no icicle " << title;
    const auto index = static_cast<std::size_t>(icicle - document.icicles.begin());
    return written_matches(picture::render_icicle(document, index, options_), name);
}

testing::AssertionResult DocumentPictureTest::written_matches(const Status& drawn, const std::string& name) const {
    if (!drawn) return testing::AssertionFailure() << drawn.error().text();
    const Result<render::Image> image = read_png(options_.out);
    if (!image) return testing::AssertionFailure() << image.error().text();
    return matches_baseline(*image, name);
}

}  // namespace snapviewer::golden
