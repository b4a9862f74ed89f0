// What the allocator held: segments, blocks, totals.
#include <algorithm>

#include "core/query/catalog.h"

namespace snapviewer {
namespace {

using Integer = std::optional<std::int64_t>;

Table segments_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const auto segment = [s](std::size_t row) -> const Segment& { return s->snapshot->segments[row]; };
    return {"segments",
            "Memory the allocator had reserved from the driver when the snapshot was taken.",
            [s] { return s->snapshot->segments.size(); },
            {
                row_number_column("id", "blocks.segment_id refers to it"),
                integer_column("device", "device number as in the file",
                               [segment](std::size_t row) { return std::int64_t{segment(row).device}; }),
                integer_column("address", "of its first byte; from 2^63 on it comes out negative",
                               [segment](std::size_t row) { return to_sql(segment(row).address); }),
                integer_column("size", "reserved bytes",
                               [segment](std::size_t row) { return to_sql(segment(row).total_bytes); }),
                integer_column("allocated", "bytes in allocated blocks, rounded",
                               [segment](std::size_t row) { return to_sql(segment(row).allocated_bytes); }),
                integer_column("active", "bytes in allocated blocks and in those waiting to be freed, rounded",
                               [segment](std::size_t row) { return to_sql(segment(row).active_bytes); }),
                integer_column("requested", "bytes the program asked for in active blocks",
                               [segment](std::size_t row) { return to_sql(segment(row).requested_bytes); }),
                integer_column("stream", "raw handle, 0 is the default stream",
                               [s, segment](std::size_t row) { return to_sql(s->snapshot->streams[segment(row).stream]); }),
                text_column("pool", "memory pool as '(1, 2)'; '(0, 0)' is the default one; NULL if not recorded", s->pools,
                            [segment](std::size_t row) {
                                return segment(row).pool == k_no_pool ? k_null_code : std::uint32_t{segment(row).pool};
                            }),
                text_column("type", "'small' or 'large'", s->strings,
                            [segment](std::size_t row) { return segment(row).type.value; }),
                integer_column("is_expandable", "1 for an expandable segment, otherwise 0",
                               [segment](std::size_t row) { return std::int64_t{segment(row).is_expandable}; }),
                integer_column("stack_id", "stacks.id of the call that reserved it; NULL if not recorded",
                               [segment](std::size_t row) { return stack_to_sql(segment(row).stack); }),
            }};
}

Table blocks_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const auto block = [s](std::size_t row) -> const Block& { return s->snapshot->blocks[row]; };
    const auto states =
        make_list_dictionary({block_state_name(BlockState::inactive), block_state_name(BlockState::active_allocated),
                              block_state_name(BlockState::active_pending_free)});
    return {"blocks",
            "What the segments were divided into when the snapshot was taken.",
            [s] { return s->snapshot->blocks.size(); },
            {
                row_number_column("id", "counts from 0, segment after segment"),
                integer_column("segment_id", "segments.id",
                               [s](std::size_t row) { return std::int64_t{s->block_segments[row]}; }),
                integer_column(
                    "device", "device number as in the file",
                    [s](std::size_t row) { return std::int64_t{s->snapshot->segments[s->block_segments[row]].device}; }),
                integer_column("address", "of its first byte; from 2^63 on it comes out negative",
                               [block](std::size_t row) { return to_sql(block(row).address); }),
                integer_column("size", "bytes, rounded", [block](std::size_t row) { return to_sql(block(row).size_bytes); }),
                integer_column("requested", "bytes the program asked for; NULL while inactive",
                               [block](std::size_t row) -> Integer {
                                   if (block(row).state == BlockState::inactive) return std::nullopt;
                                   return to_sql(block(row).requested_bytes);
                               }),
                text_column("state", "'inactive', 'active_allocated' or 'active_pending_free'", states,
                            [block](std::size_t row) { return static_cast<std::uint32_t>(block(row).state); }),
                integer_column("stack_id", "stacks.id of the allocation; NULL if not recorded",
                               [block](std::size_t row) { return stack_to_sql(block(row).stack); }),
            }};
}

std::int64_t reserved_change(const EventColumns& events, std::size_t event) {
    switch (events.action[event]) {
        case Action::segment_alloc:
        case Action::segment_map: return to_sql(events.size_bytes[event]);
        case Action::segment_free:
        case Action::segment_unmap: return -to_sql(events.size_bytes[event]);
        default: return 0;
    }
}

/// Reserved bytes after each tick: what the segments hold at the end, with the segment events undone from there.
/// Empty where the file tells nothing of segments or contradicts itself.
std::vector<std::int64_t> reserved_after_ticks(const Snapshot& snapshot, const Timeline& timeline) {
    const DeviceTrace& trace = timeline.trace();
    std::int64_t reserved = 0;
    bool has_segments = false;
    for (const Segment& segment : snapshot.segments) {
        if (segment.device != trace.device) continue;
        has_segments = true;
        reserved += to_sql(segment.total_bytes);
    }
    if (!has_segments) return {};
    std::vector<std::int64_t> after(timeline.tick_count(), reserved);
    std::size_t event = trace.events.size();
    for (std::uint32_t tick = timeline.tick_count() - 1; tick-- > 0;) {
        const AllocationId id = timeline.allocation_at_tick(tick);
        const auto& tick_events = timeline.is_free(tick) ? trace.allocations.free_event : trace.allocations.alloc_event;
        const std::size_t from = tick == 0                                         ? 0
                                 : id.is_some() && tick_events[id.value].is_some() ? tick_events[id.value].value + 1
                                                                                   : event;
        for (; event > from; --event) reserved -= reserved_change(trace.events, event - 1);
        if (reserved < 0) return {};
        after[tick] = reserved;
    }
    return after;
}

/// Worked out for a device when one of its rows is first asked for.
class ReservedTotals {
public:
    explicit ReservedTotals(const CatalogSource& source) : source_(source), devices_(source.timelines.size()) {}

    Integer at(CatalogSource::Place place) {
        auto& device = devices_[place.device_index];
        if (!device) device = reserved_after_ticks(*source_.snapshot, *source_.timelines[place.device_index]);
        return device->empty() ? std::nullopt : Integer((*device)[place.row]);
    }

private:
    const CatalogSource& source_;
    std::vector<std::optional<std::vector<std::int64_t>>> devices_;
};

Table totals_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const auto reserved = std::make_shared<ReservedTotals>(source);
    const auto tick = [](CatalogSource::Place place) { return static_cast<std::uint32_t>(place.row); };
    return {
        "totals",
        "Memory over time: a row for the left edge, one for each alloc and free, one for the right edge.",
        [s] { return s->tick_ends.empty() ? 0 : s->tick_ends.back(); },
        {
            integer_column(
                "device", "device number as in the file",
                [s](std::size_t row) {
                    return std::int64_t{s->snapshot->devices[CatalogSource::locate(s->tick_ends, row).device_index].device};
                },
                ColumnOrder::ascending),
            integer_column("step", "at which the change begins",
                           [s, tick](std::size_t row) {
                               const auto place = CatalogSource::locate(s->tick_ends, row);
                               return to_sql(s->timelines[place.device_index]->step_of_tick(tick(place)));
                           }),
            integer_column("allocated", "bytes of all live allocations after the change, as requested",
                           [s, tick](std::size_t row) {
                               const auto place = CatalogSource::locate(s->tick_ends, row);
                               return to_sql(s->timelines[place.device_index]->total_after_tick(tick(place)));
                           }),
            integer_column(
                "reserved",
                "bytes reserved from the driver after the change: what the segments hold at the end, with the "
                "recorded segment events undone; NULL if the file lists no segments or they contradict the events",
                [s, reserved](std::size_t row) { return reserved->at(CatalogSource::locate(s->tick_ends, row)); }),
        }};
}

}  // namespace

std::vector<Table> memory_tables(const CatalogSource& source) {
    return {segments_table(source), blocks_table(source), totals_table(source)};
}

}  // namespace snapviewer
