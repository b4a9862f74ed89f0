#include "tests/golden/compare_image.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

namespace snapviewer::golden {
namespace {

constexpr std::size_t k_pixels_named = 3;
constexpr int k_difference_gain = 8;

struct WorstPixel {
    std::size_t index = 0;
    int apart = 0;  ///< difference in the channel that differs most
};

struct Comparison {
    render::Image difference;
    std::vector<WorstPixel> worst;  ///< pixels beyond the tolerance, the worst first
    int largest = 0;
    double mean = 0;

    bool passes() const { return largest <= k_max_channel_difference && mean <= k_max_mean_difference; }
};

Comparison compare(const render::Image& expected, const render::Image& actual) {
    Comparison comparison;
    comparison.difference = actual;
    double sum = 0;
    for (std::size_t pixel = 0; pixel < actual.rgba.size() / 4; ++pixel) {
        int apart = 0;
        for (std::size_t i = pixel * 4; i < pixel * 4 + 4; ++i) {
            const int channel = std::abs(int{actual.rgba[i]} - int{expected.rgba[i]});
            apart = std::max(apart, channel);
            sum += channel;
            comparison.difference.rgba[i] =
                i % 4 == 3 ? 255 : static_cast<std::uint8_t>(std::min(channel * k_difference_gain, 255));
        }
        comparison.largest = std::max(comparison.largest, apart);
        if (apart > k_max_channel_difference) comparison.worst.push_back({pixel, apart});
    }
    comparison.mean = sum / static_cast<double>(actual.rgba.size());
    const std::size_t named = std::min(k_pixels_named, comparison.worst.size());
    std::partial_sort(comparison.worst.begin(), comparison.worst.begin() + static_cast<std::ptrdiff_t>(named),
                      comparison.worst.end(), [](const WorstPixel& a, const WorstPixel& b) { return a.apart > b.apart; });
    return comparison;
}

std::string colour_text(const render::Image& image, std::size_t pixel) {
    const std::uint8_t* rgba = &image.rgba[pixel * 4];
    return fmt::format("#{:02x}{:02x}{:02x}{:02x}", rgba[0], rgba[1], rgba[2], rgba[3]);
}

std::string worst_pixels_text(const Comparison& comparison, const render::Image& expected, const render::Image& actual) {
    std::string text = fmt::format("{} pixels are beyond the tolerance", comparison.worst.size());
    const auto width = static_cast<std::size_t>(actual.width_px);
    for (std::size_t i = 0; i < std::min(k_pixels_named, comparison.worst.size()); ++i) {
        const std::size_t pixel = comparison.worst[i].index;
        text += fmt::format("\n  x {} y {}: expected {}, is {}", pixel % width, pixel / width, colour_text(expected, pixel),
                            colour_text(actual, pixel));
    }
    return text;
}

/// Writes the existing pictures to the build folder. Returns a message with their location and the command that accepts the
/// new picture.
std::string leave_pictures(const std::string& name, const render::Image& actual, const render::Image* expected,
                           const render::Image* difference) {
    const std::string output = std::string(GOLDEN_OUTPUT) + "/" + name;
    if (!render::write_png(actual, output + ".actual.png") ||
        (expected != nullptr && !render::write_png(*expected, output + ".expected.png")) ||
        (difference != nullptr && !render::write_png(*difference, output + ".difference.png"))) {
        return "\nthe pictures could not be written to " + output + ".*.png";
    }
    return fmt::format("\nlook at {}.{}.png; if it is right: python3 tests/golden/accept.py --from {} {}", output,
                       expected != nullptr ? "{expected,actual,difference}" : "actual", GOLDEN_OUTPUT, name);
}

}  // namespace

Result<render::Image> read_png(const std::string& path) {
    png_image description{};
    description.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&description, path.c_str()) == 0) return Error{ErrorCode::io, description.message};
    description.format = PNG_FORMAT_RGBA;
    render::Image image{static_cast<int>(description.width), static_cast<int>(description.height), {}};
    image.rgba.resize(PNG_IMAGE_SIZE(description));
    if (png_image_finish_read(&description, nullptr, image.rgba.data(), 0, nullptr) == 0)
        return Error{ErrorCode::bad_file, description.message};
    return image;
}

testing::AssertionResult matches_baseline(const render::Image& actual, const std::string& name) {
    const std::string baseline = std::string(GOLDEN_BASELINES) + "/" + name + ".png";
    if (!std::filesystem::exists(baseline))
        return testing::AssertionFailure() << "no baseline" << leave_pictures(name, actual, nullptr, nullptr);
    const Result<render::Image> expected = read_png(baseline);
    if (!expected) return testing::AssertionFailure() << expected.error().text();
    if (expected->width_px != actual.width_px || expected->height_px != actual.height_px) {
        return testing::AssertionFailure()
               << "the baseline has another size" << leave_pictures(name, actual, &*expected, nullptr);
    }
    const Comparison comparison = compare(*expected, actual);
    if (comparison.passes()) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "largest difference " << comparison.largest << " (allowed "
                                       << k_max_channel_difference << "), mean " << comparison.mean << " (allowed "
                                       << k_max_mean_difference << "); " << worst_pixels_text(comparison, *expected, actual)
                                       << leave_pictures(name, actual, &*expected, &comparison.difference);
}

}  // namespace snapviewer::golden
