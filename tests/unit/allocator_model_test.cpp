// Tests of the model of PyTorch's allocator: it must repeat published results, and random programs exactly.
#include "core/replay/allocator_model.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "core/base/context.h"
#include "core/replay/what_if.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_test_mib = std::uint64_t{1} << 20;

replay::AllocatorModel model_with(const replay::AllocatorSettings& settings) {
    return replay::AllocatorModel(settings, replay::AddressSource(std::uint64_t{1} << 40, replay::AddressOrder::up));
}

void give_back(replay::AllocatorModel& model, replay::BlockHandle block) {
    model.release(block);
    model.complete(block);
}

/// Checks the blocks of a model. Returns a description of the error, or an empty string if there is none.
std::string broken_invariant(const replay::AllocatorModel& model) {
    std::uint64_t reserved = 0;
    std::uint64_t active = 0;
    const std::vector<replay::ModelBlock> blocks = model.blocks();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const replay::ModelBlock& block = blocks[i];
        const bool is_first = block.before == replay::ModelBlock::k_none;
        const replay::ModelBlock* before = is_first || i == 0 ? nullptr : &blocks[i - 1];
        const std::uint64_t begin = before == nullptr ? block.segment : before->end();
        if (block.address != begin || block.size_bytes == 0) return "blocks do not follow each other";
        if (is_first != (i == 0 || blocks[i - 1].segment != block.segment)) return "neighbours do not know each other";
        if (block.is_mapped) reserved += block.size_bytes;
        if (!block.is_idle()) active += block.size_bytes;
        if (!block.is_idle()) continue;
        const replay::ModelPool::Stream& lists = block.pool->streams[block.stream];
        const bool is_listed =
            block.is_mapped ? lists.free.contains({block.size_bytes, block.address}) : lists.holes.contains(block.address);
        if (!is_listed) return "a free block or a hole is in no list";
        if (before != nullptr && before->is_idle() && before->is_mapped == block.is_mapped)
            return "free neighbours are not joined";
    }
    return reserved == model.reserved_bytes && active == model.active_bytes ? "" : "sums are wrong";
}

// Results from pull request #193400 of PyTorch: max_split_size_mb:128,expandable_segments:True on a card of 16 GiB.
TEST(AllocatorModel, GrowsAsPublishedWithALargestSplitAndExpandableSegments) {
    replay::AllocatorModel model =
        model_with({.expandable = true, .max_split = 128 * k_test_mib, .capacity = 16010 * k_test_mib});
    ASSERT_TRUE(model.allocate(64 * k_test_mib, 0, {}));
    std::map<int, std::pair<std::uint64_t, std::uint64_t>> after_cycle;
    int first_flush = -1;
    for (int cycle = 0; cycle < 116; ++cycle) {
        const std::uint64_t flushes = model.flushes;
        const auto first = model.allocate(91 * k_test_mib, 0, {});
        const auto second = model.allocate(91 * k_test_mib / 2, 0, {});
        ASSERT_TRUE(first && second && model.allocate(2 * k_test_mib, 0, {}));
        give_back(model, *first);
        give_back(model, *second);
        after_cycle[cycle] = {model.allocated_bytes / k_test_mib, model.reserved_bytes / k_test_mib};
        if (model.flushes > flushes && first_flush < 0) first_flush = cycle;
    }
    EXPECT_EQ(after_cycle[0], std::pair(std::uint64_t{66}, std::uint64_t{220}));
    EXPECT_EQ(after_cycle[20], std::pair(std::uint64_t{106}, std::uint64_t{2980}));
    EXPECT_EQ(after_cycle[60], std::pair(std::uint64_t{186}, std::uint64_t{8520}));
    EXPECT_EQ(after_cycle[100], std::pair(std::uint64_t{266}, std::uint64_t{14060}));
    EXPECT_EQ(first_flush, 115);
    EXPECT_EQ(model.peak_reserved_bytes / k_test_mib, 16000U);
    EXPECT_EQ(after_cycle[115], std::pair(std::uint64_t{296}, std::uint64_t{2680}));
    EXPECT_EQ(broken_invariant(model), "");
}

// From test_cuda.py of PyTorch: test_max_split_expandable.
TEST(AllocatorModel, KeepsTheLargestSplitWhenTheKindOfSegmentsChanges) {
    replay::AllocatorSettings settings{.max_split = 40 * k_test_mib, .capacity = 120 * k_test_mib};
    replay::AllocatorModel model = model_with(settings);
    std::vector<replay::BlockHandle> held;
    for (const bool expandable : {false, true, false}) {
        settings.expandable = expandable;
        model.change_settings(settings);
        const auto block = model.allocate(40 * k_test_mib, 0, {});
        ASSERT_TRUE(block);
        held.push_back(*block);
    }
    EXPECT_FALSE(model.allocate(40 * k_test_mib, 0, {}));
    for (const replay::BlockHandle block : held) give_back(model, block);
    EXPECT_TRUE(model.allocate(120 * k_test_mib, 0, {}));
    EXPECT_EQ(broken_invariant(model), "");
}

// From test_cuda.py of PyTorch: test_garbage_collect_expandable.
TEST(AllocatorModel, CollectsNativeSegmentsFirst) {
    replay::AllocatorSettings settings{.gc_threshold = 0.5, .capacity = 120 * k_test_mib};
    replay::AllocatorModel model = model_with(settings);
    const auto native = model.allocate(40 * k_test_mib, 0, {});
    settings.expandable = true;
    model.change_settings(settings);
    const auto mapped = model.allocate(40 * k_test_mib, 0, {});
    ASSERT_TRUE(native && mapped);
    give_back(model, *native);
    give_back(model, *mapped);
    EXPECT_TRUE(model.allocate(80 * k_test_mib, 0, {}));
    EXPECT_EQ(model.reserved_bytes, 80 * k_test_mib);
}

// From test_cuda.py of PyTorch: TestMemPool.
TEST(AllocatorModel, PutsTwoMebibytesIntoASmallSegment) {
    replay::AllocatorModel model = model_with({});
    for (const std::size_t segments : {1U, 1U, 2U}) {
        ASSERT_TRUE(model.allocate(k_test_mib, 0, {0, 1}));
        EXPECT_EQ(model.segments().size(), segments);
    }
}

// A flush completes the pending free of a block and merges it, so the block may be in use again when its free_completed
// arrives.
TEST(AllocatorModel, CompletesNoBlockTwice) {
    replay::AllocatorModel model = model_with({});
    const auto waiting = model.allocate(3 * k_test_mib, 0, {});
    ASSERT_TRUE(waiting);
    model.release(*waiting);
    model.flush();
    EXPECT_EQ(model.reserved_bytes, 0U);
    const auto other = model.allocate(3 * k_test_mib, 0, {});
    ASSERT_TRUE(other);
    model.release(*other);
    model.complete(*waiting);
    EXPECT_EQ(model.active_bytes, 3 * k_test_mib) << "the other one still waits";
    model.complete(*other);
    EXPECT_EQ(model.active_bytes, 0U);
}

// Values from test_cuda.py of PyTorch (test_allocator_settings) and from torch_npu's table of the same settings.
TEST(AllocatorSettings, RoundAsPublished) {
    replay::AllocatorSettings settings;
    EXPECT_EQ(settings.rounded(84 * k_test_mib), 84 * k_test_mib);
    ASSERT_TRUE(replay::change_setting(settings, "roundup_power2_divisions", "4"));
    EXPECT_EQ(settings.rounded(84 * k_test_mib), 96 * k_test_mib);
    EXPECT_EQ(settings.rounded(1200), 1536U) << "too small for four divisions";
    ASSERT_TRUE(replay::change_setting(settings, "roundup_power2_divisions", "[64:8,128:2,256:4,512:2,1024:4,>:1]"));
    EXPECT_EQ(settings.rounded(84 * k_test_mib), 88 * k_test_mib);
    EXPECT_EQ(settings.rounded(400 * k_test_mib), 448 * k_test_mib);
    ASSERT_TRUE(replay::change_setting(settings, "roundup_power2_divisions", "[8:1,64:4,128:8,256:2,>:16]"));
    const std::array<std::uint32_t, 16> table = {1, 1, 1, 1, 0, 0, 4, 8, 2, 16, 16, 16, 16, 16, 16, 16};
    EXPECT_EQ(settings.roundup, table);
}

TEST(AllocatorSettings, SayWhatAValueMayBe) {
    replay::AllocatorSettings settings;
    for (const auto& [name, value] :
         std::vector<std::pair<std::string, std::string>>{{"expandable_segments", "perhaps"},
                                                          {"max_split_size_mb", "19"},
                                                          {"max_split_size_mb", "x"},
                                                          {"roundup_power2_divisions", "3"},
                                                          {"roundup_power2_divisions", "[1:2"},
                                                          {"roundup_power2_divisions", "[0:2]"},
                                                          {"garbage_collection_threshold", "1"},
                                                          {"garbage_collection_threshold", "nan"},
                                                          {"capacity_bytes", "much"},
                                                          {"capacity_bytes", "-1"},
                                                          {"colour", "red"}}) {
        const Status changed = replay::change_setting(settings, name, value);
        ASSERT_FALSE(changed) << name << "=" << value;
        EXPECT_EQ(changed.error().code, ErrorCode::bad_query);
        EXPECT_NE(changed.error().message.find(name), std::string::npos);
    }
    EXPECT_EQ(settings, replay::AllocatorSettings{});
}

/// A program that allocates, frees and empties its cache at random, recorded in the way PyTorch records it.
class RandomProgram {
public:
    RandomProgram(std::uint32_t seed, const replay::AllocatorSettings& settings)
        : random_(seed), model_(model_with(settings)) {
        if (settings.expandable) trace_.snapshot().settings.emplace_back("expandable_segments", "true");
        for (int i = 0; i < 600; ++i) step();
        for (const auto& [address, block] : live_) EXPECT_TRUE(model_.is_used(block));
        list_segments();
    }

    std::shared_ptr<const Snapshot> snapshot() { return trace_.build(); }

private:
    std::uint64_t below(std::uint64_t limit) { return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random_); }

    void note_driver_events() {
        for (const replay::DriverEvent& event : model_.log) trace_.event(event.call, event.address, event.size_bytes);
        model_.log.clear();
    }

    void step() {
        const std::uint64_t what = below(20);
        if (what == 0) {
            model_.flush();
            note_driver_events();
        } else if (what < 9 && !live_.empty()) {
            const auto gone = std::next(live_.begin(), static_cast<std::ptrdiff_t>(below(live_.size())));
            trace_.free(gone->first, model_.block(gone->second).asked_bytes);
            give_back(model_, gone->second);
            live_.erase(gone);
        } else {
            const std::uint64_t size = 1 + below(std::uint64_t{1} << (4 + below(22)));
            const auto block = model_.allocate(size, 0, {});
            ASSERT_TRUE(block);
            note_driver_events();
            trace_.alloc(model_.block(*block).address, size);
            live_[model_.block(*block).address] = *block;
        }
        ASSERT_EQ(broken_invariant(model_), "");
    }

    /// Adds the segments at the end of the file: runs of mapped blocks.
    void list_segments() {
        const std::vector<replay::ModelBlock> blocks = model_.blocks();
        for (std::size_t i = 0; i < blocks.size();) {
            if (!blocks[i].is_mapped) {
                ++i;
                continue;
            }
            const replay::ModelBlock& first = blocks[i];
            std::vector<std::pair<std::uint64_t, BlockState>> listed;
            std::vector<std::uint64_t> asked;
            for (; i < blocks.size() && blocks[i].segment == first.segment && blocks[i].is_mapped; ++i) {
                listed.emplace_back(blocks[i].size_bytes,
                                    blocks[i].is_used ? BlockState::active_allocated : BlockState::inactive);
                asked.push_back(blocks[i].asked_bytes);
            }
            trace_.segment(first.address, listed);
            Snapshot& snapshot = trace_.snapshot();
            Segment& segment = snapshot.segments.back();
            segment.type = trace_.text(first.pool->is_small ? "small" : "large");
            segment.is_expandable = first.is_expandable();
            for (std::size_t b = 0; b < asked.size(); ++b)
                snapshot.blocks[segment.first_block + b].requested_bytes = asked[b];
        }
    }

    std::mt19937 random_;
    replay::AllocatorModel model_;
    test::TraceBuilder trace_;
    std::map<std::uint64_t, replay::BlockHandle> live_;
};

void expect_exact_repeat(const replay::AllocatorSettings& settings) {
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
        const auto snapshot = RandomProgram(seed, settings).snapshot();
        replay::RecordedRun run = replay::read_recorded_run(*snapshot, snapshot->devices[0]);
        EXPECT_EQ(run.settings.expandable, settings.expandable);
        const auto agreement = replay::measure_agreement(run);
        EXPECT_EQ(agreement.placed, agreement.requests) << "seed " << seed;
        EXPECT_GT(agreement.requests, 100U);
        EXPECT_EQ(agreement.event_agreement, 1.0) << "seed " << seed;
        EXPECT_EQ(agreement.curve_max_bytes, 0U);
        EXPECT_EQ(agreement.end_blocks, agreement.end_blocks_same);
        EXPECT_TRUE(agreement.problems.empty()) << agreement.problems.begin()->first;
        EXPECT_TRUE(agreement.is_usable());
    }
}

TEST(Replay, RepeatsItsOwnPrograms) { expect_exact_repeat({}); }
TEST(Replay, RepeatsItsOwnProgramsInExpandableSegments) { expect_exact_repeat({.expandable = true}); }

TEST(Replay, KeepsItsInvariantsUnderOtherSettings) {
    const std::vector<replay::AllocatorSettings> others = {
        {.expandable = true},
        {.max_split = 20 * k_test_mib},
        {.gc_threshold = 0.3, .capacity = 200 * k_test_mib},
        {.expandable = true, .max_split = 20 * k_test_mib, .capacity = 150 * k_test_mib}};
    for (std::uint32_t seed = 20; seed < 24; ++seed) {
        const auto snapshot = RandomProgram(seed, {}).snapshot();
        replay::RecordedRun run = replay::read_recorded_run(*snapshot, snapshot->devices[0]);
        replay::measure_agreement(run);
        for (const replay::AllocatorSettings& settings : others) {
            for (const replay::ReplayMode mode : {replay::ReplayMode::carried, replay::ReplayMode::rebuilt}) {
                for (std::uint32_t events = 0; events < run.event_count() + 20; events += 20) {
                    const auto result = replay::replay(std::as_const(run), settings, {.mode = mode, .event_count = events});
                    EXPECT_EQ(broken_invariant(*result.model), "") << "seed " << seed << ", " << events << " events";
                }
            }
        }
    }
}

TEST(Replay, RefusesWhatNoDeviceHas) {
    test::TraceBuilder trace;
    trace.alloc(std::uint64_t{1} << 63, 512);
    const auto snapshot = trace.build();
    const auto run = caught([&] { return replay::read_recorded_run(*snapshot, snapshot->devices[0]); });
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, ErrorCode::bad_file);
}

TEST(Replay, RefusesMoreMappingsThanCanBeGoneThrough) {
    test::TraceBuilder trace;
    for (int i = 0; i < 100; ++i) {
        trace.event(Action::segment_map, std::uint64_t{1} << 40, std::uint64_t{2} << 40);
        trace.event(Action::segment_unmap, std::uint64_t{1} << 40, std::uint64_t{2} << 40);
    }
    trace.alloc(std::uint64_t{1} << 40, 512);
    const auto snapshot = trace.build();
    const auto run = caught([&] { return replay::read_recorded_run(*snapshot, snapshot->devices[0]); });
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, ErrorCode::bad_file);
}

TEST(Replay, CanBeStopped) {
    const auto snapshot = RandomProgram(1, {}).snapshot();
    Progress progress;
    progress.request_stop();
    const auto run = caught(&progress, [&] { return replay::read_recorded_run(*snapshot, snapshot->devices[0]); });
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace snapviewer
