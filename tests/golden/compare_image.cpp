#include "tests/golden/compare_image.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace snapviewer::golden {

testing::AssertionResult matches_baseline(const Image& actual, const std::string& name) {
    const std::string baselines = std::string(GOLDEN_BASELINES) + "/" + name;
    const std::string output = std::string(GOLDEN_OUTPUT) + "/" + name;
    if (!std::filesystem::exists(baselines + ".png")) {
        const Status written = write_png(actual, baselines + ".new.png");
        return testing::AssertionFailure()
               << "no baseline; " << (written ? "look at " + baselines + ".new.png and rename it" : written.error().text());
    }
    const Result<Image> expected = read_png(baselines + ".png");
    if (!expected) return testing::AssertionFailure() << expected.error().text();
    if (expected->width_px != actual.width_px || expected->height_px != actual.height_px) {
        return testing::AssertionFailure() << "the baseline has another size";
    }
    Image difference = actual;
    int largest = 0;
    double sum = 0;
    for (std::size_t i = 0; i < actual.rgba.size(); ++i) {
        const int apart = std::abs(int{actual.rgba[i]} - int{expected->rgba[i]});
        largest = std::max(largest, apart);
        sum += apart;
        difference.rgba[i] = i % 4 == 3 ? 255 : static_cast<std::uint8_t>(std::min(apart * 8, 255));
    }
    const double mean = sum / static_cast<double>(actual.rgba.size());
    if (largest <= k_largest_channel_difference && mean <= k_largest_mean_difference) return testing::AssertionSuccess();
    const bool kept =
        write_png(actual, output + ".actual.png").ok() && write_png(difference, output + ".difference.png").ok();
    return testing::AssertionFailure() << "largest difference " << largest << " (allowed " << k_largest_channel_difference
                                       << "), mean " << mean << " (allowed " << k_largest_mean_difference << "); see "
                                       << (kept ? output + ".actual.png" : "nothing, the pictures could not be written");
}

}  // namespace snapviewer::golden
