// Compares a stacked picture of bytes by category over time with a stored one.
#include <nlohmann/json.hpp>

#include "tests/golden/document_picture.h"

namespace snapviewer::golden {
namespace {

using Json = nlohmann::json;

/// Three training steps in the format of export_memory_timeline: times, and the bytes of the eight categories at each time.
/// Memory that the forward pass allocates is freed in the backward pass, which allocates gradients. The optimizer has its
/// state from the end of the first step on.
std::string three_steps() {
    constexpr std::int64_t k_gib = std::int64_t{1} << 30;
    constexpr int k_half = 40;  // number of points of a forward or backward pass
    Json times = Json::array();
    Json totals = Json::array();
    std::int64_t time_us = 1'700'000'000'000'000;
    for (int step = 0; step < 3; ++step) {
        for (int at = 0; at < 2 * k_half; ++at) {
            const int grown = at < k_half ? at : 2 * k_half - at;
            const std::int64_t gradients = at < k_half ? 0 : 3 * k_gib * (at - k_half) / k_half;
            const std::int64_t temporary = at % 10 == 0 ? 2 * k_gib : 0;
            times.push_back(time_us += 500);
            totals.push_back({0, 4 * k_gib, step == 0 ? 0 : 8 * k_gib, k_gib / 2, temporary, 10 * k_gib * grown / k_half,
                              gradients, gradients / 4, k_gib / 4});
        }
    }
    return Json::array({times, totals}).dump();
}

using MemoryTimelinePicture = DocumentPictureTest;

TEST_F(MemoryTimelinePicture, StackedByCategory) {
    EXPECT_TRUE(timeline_matches(*open(write("timeline.json", three_steps())), 0, "memory_timeline"));
}

}  // namespace
}  // namespace snapviewer::golden
