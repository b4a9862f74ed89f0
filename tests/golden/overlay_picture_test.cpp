// Compares the overlays of a snapshot's picture with stored pictures: curves, markers, bands and hatched frees.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/golden/document_picture.h"
#include "tests/golden/scene.h"

namespace snapviewer::golden {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t k_start_us = 1'700'000'000'000'000;

/// A recording with two segments in PyTorch's format; events are 100 us apart.
class Recording {
public:
    Json& event(const char* action, std::uint64_t address, std::uint64_t size_bytes) {
        time_us_ += 100;
        trace_.push_back({{"action", action},
                          {"addr", address},
                          {"size", size_bytes},
                          {"stream", 0},
                          {"time_us", time_us_},
                          {"frames", {{{"filename", "train.py"}, {"line", size_bytes / k_mib}, {"name", "step"}}}}});
        return trace_.back();
    }
    void annotate(const char* name, const char* stage) {
        annotations_.push_back({{"name", name}, {"stage", stage}, {"device", 0}, {"time_us", time_us_ + 50}});
    }
    void segment(std::uint64_t address, std::uint64_t size_bytes) {
        segments_.push_back({{"device", 0},
                             {"address", address},
                             {"total_size", size_bytes},
                             {"allocated_size", 0},
                             {"active_size", 0},
                             {"stream", 0},
                             {"segment_type", "large"},
                             {"blocks", {{{"size", size_bytes}, {"requested_size", 0}, {"state", "inactive"}}}}});
    }
    std::string json() const {
        return Json{{"segments", segments_}, {"device_traces", {trace_}}, {"external_annotations", annotations_}}.dump();
    }

private:
    std::int64_t time_us_ = k_start_us;
    Json segments_ = Json::array();
    Json trace_ = Json::array();
    Json annotations_ = Json::array();
};

/// A recording of two steps, each of which allocates five blocks and frees them. In the second step the pool grows, memory
/// runs out, and two freed blocks wait for another stream.
Recording two_steps() {
    Recording recording;
    const auto address = [](std::uint64_t block) { return (std::uint64_t{1} << 32) + block * 64 * k_mib; };
    recording.event("segment_alloc", address(0), 320 * k_mib);
    for (std::uint64_t step = 0; step < 2; ++step) {
        recording.annotate(step == 0 ? "ProfilerStep#3" : "ProfilerStep#4", "START");
        recording.annotate("forward", "START");
        for (std::uint64_t block = 0; block < 5; ++block)
            recording.event("alloc", address(block), (20 + 10 * block) * k_mib);
        recording.annotate("forward", "END");
        if (step == 1) {
            recording.event("segment_alloc", address(5), 128 * k_mib);
            Json& oom = recording.event("oom", 0, 512 * k_mib);
            oom.erase("addr");
            oom["device_free"] = 64 * k_mib;
        }
        recording.annotate("backward", "START");
        for (std::uint64_t block = 5; block-- > 0;) {
            recording.event("free_requested", address(block), (20 + 10 * block) * k_mib);
            if (step == 1 && block % 2 == 1) continue;
            recording.event("free_completed", address(block), (20 + 10 * block) * k_mib);
        }
        for (std::uint64_t block = 1; step == 1 && block < 5; block += 2)
            recording.event("free_completed", address(block), (20 + 10 * block) * k_mib);
        recording.annotate("backward", "END");
        recording.annotate(step == 0 ? "ProfilerStep#3" : "ProfilerStep#4", "END");
    }
    recording.event("snapshot", 0, 0);
    recording.segment(address(0), 320 * k_mib);
    recording.segment(address(5), 128 * k_mib);
    return recording;
}

class OverlayPicture : public DocumentPictureTest {
protected:
    std::shared_ptr<const Document> open_recording() { return open(write("recording.json", two_steps().json())); }
};

TEST_F(OverlayPicture, CurvesMarkersAndTracksOverTime) {
    EXPECT_TRUE(timeline_matches(*open_recording(), 0, "overlays_time", Axis::time));
}

TEST_F(OverlayPicture, CurvesMarkersAndTracksOverSteps) {
    EXPECT_TRUE(timeline_matches(*open_recording(), 0, "overlays_steps", Axis::steps));
}

TEST_F(OverlayPicture, NothingIsDrawnBesideTheRecording) {
    options_.view = View{-1000, 6000, 0, 1};
    EXPECT_TRUE(timeline_matches(*open_recording(), 0, "overlays_beside_the_recording", Axis::time));
}

TEST_F(OverlayPicture, PendingFreesAreHatched) {
    options_.view = View{2400, 3300, 0, 220.0 * k_mib};
    options_.view_has_y = true;
    EXPECT_TRUE(timeline_matches(*open_recording(), 0, "pending_frees", Axis::time));
}

}  // namespace
}  // namespace snapviewer::golden
