#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/timeline/collect.h"
#include "core/timeline/recording_facts.h"
#include "core/timeline/timeline.h"
#include "core/trace/segments.h"
#include "core/trace/snapshot.h"

namespace snapviewer::test {

/// Builds a snapshot event by event.
class TraceBuilder {
public:
    TraceBuilder() {
        snapshot_->streams.push_back(0);
        snapshot_->devices.emplace_back().device = 0;
    }

    TraceBuilder& alloc(std::uint64_t address, std::uint64_t size_bytes) {
        return event(Action::alloc, address, size_bytes);
    }
    TraceBuilder& free(std::uint64_t address, std::uint64_t size_bytes) {
        event(Action::free_requested, address, size_bytes);
        return event(Action::free_completed, address, size_bytes);
    }
    TraceBuilder& event(Action action, std::uint64_t address, std::uint64_t size_bytes) {
        EventColumns& events = snapshot_->devices[0].events;
        const auto time_us = 1'000'000 + static_cast<std::int64_t>(10 * (events.size() + 1));
        events.push({.action = action, .address = address, .size_bytes = size_bytes, .time_us = time_us});
        return *this;
    }
    /// Changes the time of the last event.
    TraceBuilder& at_time(std::int64_t time_us) {
        snapshot_->devices[0].events.time_us.back() = time_us;
        return *this;
    }
    TraceBuilder& with_stack(const std::vector<Frame>& frames) {
        std::vector<FrameId> ids;
        for (const Frame& frame : frames) ids.push_back(snapshot_->stacks.intern_frame(frame));
        snapshot_->devices[0].events.stack.back() = snapshot_->stacks.intern_stack(ids);
        return *this;
    }
    TraceBuilder& with_metadata(const EventMetadata& metadata) {
        snapshot_->metadata.push_back(metadata);
        return this->metadata(MetadataId{static_cast<std::uint32_t>(snapshot_->metadata.size() - 1)});
    }
    TraceBuilder& without_times() {
        for (std::int64_t& time_us : snapshot_->devices[0].events.time_us) time_us = k_no_time;
        return *this;
    }
    TraceBuilder& annotation(const char* name, const char* stage, std::int64_t time_us) {
        snapshot_->annotations.push_back({text(name), text(stage), 0, time_us});
        return *this;
    }
    StringId text(std::string_view text) { return snapshot_->strings.intern(text); }
    Snapshot& raw() { return *snapshot_; }
    /// Adds a segment at `address` that consists of blocks with these sizes and states.
    TraceBuilder& segment(std::uint64_t address, const std::vector<std::pair<std::uint64_t, BlockState>>& blocks) {
        Segment segment;
        segment.address = address;
        segment.first_block = static_cast<std::uint32_t>(snapshot_->blocks.size());
        segment.block_count = static_cast<std::uint32_t>(blocks.size());
        for (const auto& [size_bytes, state] : blocks) {
            snapshot_->blocks.push_back({address, size_bytes, size_bytes, state, StackId::none()});
            address += size_bytes;
            segment.total_bytes += size_bytes;
        }
        snapshot_->segments.push_back(segment);
        return *this;
    }
    /// The unfinished snapshot, for changes that have no function here.
    Snapshot& snapshot() { return *snapshot_; }
    /// Sets the stack of the last event.
    TraceBuilder& stack(StackId id) {
        snapshot_->devices[0].events.stack.back() = id;
        return *this;
    }
    TraceBuilder& on_stream(std::uint16_t stream) {
        EventColumns& events = snapshot_->devices[0].events;
        events.stream.set(events.size() - 1, stream);
        return *this;
    }
    TraceBuilder& metadata(MetadataId id) {
        EventColumns& events = snapshot_->devices[0].events;
        events.metadata.set(events.size() - 1, id);
        return *this;
    }
    std::shared_ptr<const Snapshot> build() {
        collect_allocations(*snapshot_, snapshot_->devices[0]);
        find_pools(*snapshot_, snapshot_->devices[0]);
        find_reserved_known(*snapshot_, snapshot_->devices[0]);
        return std::move(snapshot_);
    }

private:
    std::shared_ptr<Snapshot> snapshot_ = std::make_shared<Snapshot>();
};

/// The timeline of the first device.
inline Timeline lay_out(std::shared_ptr<const Snapshot> snapshot) { return Timeline::build(std::move(snapshot), 0); }

/// The same picture in the form of a file with a finished picture: polygons and steps instead of events.
inline std::shared_ptr<Snapshot> as_polygons(const Timeline& timeline) {
    auto snapshot = std::make_shared<Snapshot>();
    DeviceTrace& trace = snapshot->devices.emplace_back();
    trace.allocations = timeline.trace().allocations;
    trace.actions = timeline.trace().actions;
    trace.initial_count = timeline.trace().initial_count;
    trace.allocations_are_given = true;
    trace.end_step = timeline.step_count();
    for (std::uint32_t tick = 1; tick + 1 < timeline.tick_count(); ++tick)
        trace.action_steps.push_back(timeline.step_of_tick(tick));
    for (std::uint32_t id = 0; id < timeline.allocation_count(); ++id) {
        for (const PathPoint& point : timeline.path(AllocationId{id})) trace.recorded_paths.points.push_back(point);
        trace.recorded_paths.ends.push_back(trace.recorded_paths.points.size());
    }
    return snapshot;
}

/// Random allocs and frees with about `live` allocations alive at once. Some of the freed blocks were never allocated.
inline std::shared_ptr<const Snapshot> random_trace(std::uint32_t seed, std::size_t allocations, std::size_t live) {
    std::mt19937 random(seed);
    const auto below = [&random](std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
    };
    TraceBuilder trace;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> open;
    std::uint64_t next_address = 0x7f0000000000;
    for (std::size_t i = 0; i < allocations; ++i) {
        const std::uint64_t size = 1 + below(1 << below(24));
        trace.alloc(next_address, size);
        open.emplace_back(next_address, size);
        next_address += 1 << 24;
        if (below(50) == 0) trace.free(0x1000 + 512 * i, 512 + below(4096));
        while (open.size() > live || (!open.empty() && below(3) == 0)) {
            const std::size_t gone = below(2) == 0 ? open.size() - 1 : below(open.size());
            trace.free(open[gone].first, open[gone].second);
            open.erase(open.begin() + static_cast<std::ptrdiff_t>(gone));
        }
    }
    trace.segment(0x2000'0000,
                  {{4096, BlockState::active_allocated}, {512, BlockState::inactive}, {1024, BlockState::active_allocated}});
    return trace.build();
}

}  // namespace snapviewer::test
