#include "app/features/files/growing_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/load/formats.h"
#include "tests/app/scratch_folder.h"
#include "tests/bench/training_pickle.h"

namespace snapviewer {
namespace {

/// An observer that looks whenever possible and keeps all results.
class LooksAlways : public Observer {
public:
    bool wants_partial_result() const override { return true; }
    void on_partial_result(const Snapshot& unfinished, std::size_t events,
                           const std::function<DeviceTrace()>& copy) override {
        ReadingObserver once;
        once.ask();
        once.on_partial_result(unfinished, events, copy);
        seen.push_back(*once.take());
    }
    std::vector<EventsSoFar> seen;
};

struct Read {
    std::shared_ptr<Snapshot> whole;
    std::vector<EventsSoFar> seen;
};

Read read_looking_on(const std::string& bytes, const char* name) {
    const ScratchFolder folder;
    const std::filesystem::path path = folder.path() / name;
    std::ofstream(path, std::ios::binary) << bytes;
    const auto observer = std::make_shared<LooksAlways>();
    Progress progress;
    progress.set_observer(observer);
    Result<profilers::LoadedFile> file = load::load_file(path.string(), progress);
    EXPECT_TRUE(file) << file.error().text();
    return {file->snapshot, std::move(observer->seen)};
}

/// Partial results of a file, which may be refused in the end.
std::vector<EventsSoFar> seen_of(const std::string& bytes) {
    const ScratchFolder folder;
    const auto observer = std::make_shared<LooksAlways>();
    Progress progress;
    progress.set_observer(observer);
    static_cast<void>(load::load_file(folder.write("changed.pickle", bytes), progress));
    return std::move(observer->seen);
}

/// Builds the picture on its own thread, because a sandbox lasts as long as its thread.
GrowingPictureOutcome picture_of(EventsSoFar events) {
    Job<GrowingPictureOutcome> job;
    job.start(make_growing_picture_job(std::move(events)));
    while (true) {
        if (std::optional<GrowingPictureOutcome> made = job.take()) return *std::move(made);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

/// The expected peak of the first events. A block that is freed without an alloc existed before the recording.
std::uint64_t counted_peak(const EventColumns& events, std::size_t count) {
    std::map<std::uint64_t, std::uint64_t> live;
    std::int64_t total = 0, highest = 0, before = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto size = static_cast<std::int64_t>(events.size_bytes[i]);
        if (events.action[i] == Action::alloc) {
            live[events.address[i]] = events.size_bytes[i];
            total += size;
        } else if (events.action[i] == Action::free_completed) {
            if (live.erase(events.address[i]) == 0) before += size;
            total -= size;
        }
        highest = std::max(highest, total);
    }
    return static_cast<std::uint64_t>(before + highest);
}

TEST(GrowingPicture, IsSeenWhileTheFileIsRead) {
    const Read read = read_looking_on(test::TrainingPickle(200'000).bytes(), "training.pickle");
    ASSERT_EQ(read.whole->devices.size(), 1U);
    const EventColumns& events = read.whole->devices[0].events;
    ASSERT_GE(read.seen.size(), 3U);
    std::size_t before = 0;
    for (const EventsSoFar& so_far : read.seen) {
        const EventColumns& seen = so_far.snapshot->devices.at(0).events;
        ASSERT_GE(seen.size(), before);
        ASSERT_LE(seen.size(), events.size());
        for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen.address[i], events.address[i]);
        EXPECT_TRUE(std::equal(seen.size_bytes.begin(), seen.size_bytes.end(), events.size_bytes.begin()));
        EXPECT_TRUE(std::equal(seen.action.begin(), seen.action.end(), events.action.begin()));
        EXPECT_TRUE(std::equal(seen.stack.begin(), seen.stack.end(), events.stack.begin()));
        before = seen.size();
    }
    EXPECT_GT(before, events.size() / 2);
}

TEST(GrowingPicture, IsThatOfTheEventsSoFar) {
    Read read = read_looking_on(test::TrainingPickle(200'000).bytes(), "training.pickle");
    const EventColumns& events = read.whole->devices.at(0).events;
    ASSERT_GE(read.seen.size(), 3U);
    EventsSoFar half = read.seen[read.seen.size() / 2];
    const std::size_t count = half.snapshot->devices.at(0).events.size();
    ASSERT_GT(count, 1000U);
    const GrowingPictureOutcome picture = picture_of(std::move(half));
    ASSERT_TRUE(picture) << picture.error().text();
    EXPECT_EQ((*picture)->timeline->peak_bytes(), counted_peak(events, count));
    EXPECT_EQ((*picture)->colours.size(), (*picture)->timeline->allocation_count());
    EXPECT_TRUE((*picture)->mesh->index.has_value());
}

TEST(GrowingPicture, IsOfTheDeviceWithTheMostEvents) {
    const auto events = [](int count) {
        std::string text = "[";
        for (int i = 0; i < count; ++i)
            text += (i == 0 ? "" : ",") + std::string(R"({"action":"alloc","addr":)") + std::to_string(4096 * (i + 1)) +
                    R"(,"size":512,"stream":0,"frames":[]})";
        return text + "]";
    };
    const std::string json = R"({"segments":[],"device_traces":[)" + events(100) + "," + events(20'000) + "," + events(20) +
                             R"(])" + std::string(4'000'000, ' ') + "}";
    const Read read = read_looking_on(json, "three.json");
    ASSERT_FALSE(read.seen.empty());
    EXPECT_GE(read.seen.back().snapshot->devices.at(0).events.size(), 19'999U);
    EXPECT_LE(read.seen.back().snapshot->devices.at(0).events.size(), 20'000U);
}

TEST(GrowingPicture, OfDamagedEventsIsDrawnAll) {
    EventsSoFar events{std::make_shared<Snapshot>(), {0xFF000000}};
    events.snapshot->streams = {0};
    DeviceTrace& device = events.snapshot->devices.emplace_back();
    for (const std::uint64_t address : {0ULL, ~0ULL, 4096ULL, 4096ULL}) {
        device.events.push({.action = Action::alloc, .address = address, .size_bytes = ~0ULL >> 1});
        device.events.push({.action = Action::free_completed, .address = address + 1, .size_bytes = ~0ULL >> 1});
    }
    const GrowingPictureOutcome picture = picture_of(std::move(events));
    ASSERT_TRUE(picture) << picture.error().text();
    EXPECT_EQ((*picture)->colours.size(), (*picture)->timeline->allocation_count());
}

TEST(GrowingPicture, OfChangedFilesIsDrawnOrThereIsNone) {
    const std::string whole = test::TrainingPickle(20'000).bytes();
    std::mt19937 random(3);
    int drawn = 0;
    for (int i = 0; i < 60; ++i) {
        std::string bytes = whole;
        // Most changes are in the second half, because a file that is damaged before the first partial result shows nothing.
        const std::size_t first = i % 4 == 0 ? 0 : bytes.size() / 2;
        for (unsigned change = 0; change < 1 + random() % 3; ++change)
            bytes[first + random() % (bytes.size() - first)] = static_cast<char>(random() & 0xFF);
        if (i % 3 == 0) bytes.resize(bytes.size() / 2 + random() % (bytes.size() / 2));
        for (EventsSoFar& seen : seen_of(bytes)) {
            const std::size_t events = seen.snapshot->devices.at(0).events.size();
            const GrowingPictureOutcome picture = picture_of(std::move(seen));
            ASSERT_TRUE(picture) << picture.error().text();
            EXPECT_EQ((*picture)->timeline->trace().events.size(), events);
            ++drawn;
        }
    }
    EXPECT_GT(drawn, 10);
}

}  // namespace
}  // namespace snapviewer
