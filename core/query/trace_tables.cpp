#include <algorithm>

#include "core/query/catalog.h"

// Tables of the recorded events: allocs, allocations, events.
namespace snapviewer::query {
namespace {

/// A row of a table of allocations or events: a row of the columns of one device.
template <typename Columns>
struct RowOfDevice {
    const CatalogSource& source;
    std::size_t device_index;
    std::size_t index;  ///< Row within the device
    const Columns& columns;

    const DeviceTrace& trace() const { return source.snapshot->devices[device_index]; }
    const Timeline& timeline() const { return *source.timelines[device_index]; }
    AllocationId allocation() const { return AllocationId{static_cast<std::uint32_t>(index)}; }
};
using AllocationAt = RowOfDevice<AllocationColumns>;
using EventAt = RowOfDevice<EventColumns>;

MetadataId metadata_of(const AllocationAt& row) { return metadata_of(row.trace(), row.allocation()); }
MetadataId metadata_of(const EventAt& row) { return row.columns.metadata[row.index]; }

/// Reads a member of AllocationColumns or EventColumns at a row.
template <auto column>
constexpr auto value_of = [](const auto& row) { return (row.columns.*column)[row.index]; };

/// Reads a text of the event, or of the event that an allocation is known from.
template <StringId EventMetadata::*text>
constexpr auto metadata_text = [](const auto& row) {
    const MetadataId metadata = metadata_of(row);
    return metadata.is_some() ? row.source.snapshot->metadata[metadata.value].*text : StringId::none();
};

constexpr auto device_of = [](const auto& row) { return row.trace().device; };
constexpr auto stream_of = [](const auto& row) { return row.source.snapshot->streams[row.columns.stream[row.index]]; };
constexpr auto pool_of = [](const auto& row) { return pool_code(row.columns.pool[row.index]); };

Table allocs_table(const CatalogSource& s) {
    const auto count = [&s] { return s.timelines.empty() ? 0 : s.timelines[s.allocs_device]->allocation_count(); };
    const TableFields field(count, [&s](std::size_t row) -> AllocationAt {
        return {s, s.allocs_device, row, s.snapshot->devices[s.allocs_device].allocations};
    });
    const std::vector<Column> columns = {
        row_number_column("idx", "place in drawing order, from 0"),
        field("size", FieldUnit::bytes, "bytes, as requested (not rounded)", value_of<&AllocationColumns::size_bytes>),
        field(
            "start_time", FieldUnit::step, "step at which it appears; also 0 for what was there before the recording",
            [](const AllocationAt& row) { return row.timeline().start_step(row.allocation()); }, s.start_order()),
        field(
            "end_time", FieldUnit::step, "step at which it disappears; the last step for what is still there at the end",
            [](const AllocationAt& row) { return row.timeline().end_step(row.allocation()); }, ColumnOrder::none,
            s.max_live_share()),
        field("callstack", s.stacks,
              "file:line:function, one line per frame, innermost first; only the function where file and line are "
              "unknown; the stack of the free, not of the allocation, where allocations.origin is 'freed'; NULL if none "
              "was recorded",
              value_of<&AllocationColumns::stack>),
    };
    return {
        "allocs",
        "The allocations of one device in drawing order, bottom of the picture first: SnapViewer's table. In the window it "
        "is the device on the screen, on the command line the one given by --device.",
        count, columns};
}

Table allocations_table(const CatalogSource& s) {
    const TableFields field(
        [&s] { return s.allocation_ends.empty() ? 0 : s.allocation_ends.back(); },
        [&s](std::size_t row) -> AllocationAt {
            const auto place = CatalogSource::locate(s.allocation_ends, row);
            return {s, place.device_index, place.row, s.snapshot->devices[place.device_index].allocations};
        });
    const auto origins =
        make_list_dictionary({origin_name(Origin::alloc), origin_name(Origin::freed), origin_name(Origin::standing),
                              origin_name(Origin::derived), origin_name(Origin::unplaced)});
    const auto states = make_list_dictionary(
        {state_name(AllocationState::live), state_name(AllocationState::awaiting_free), state_name(AllocationState::freed)});
    const double lasting_share = s.max_live_share();
    const std::vector<Column> columns = {
        row_number_column("id", "counts across all devices, from 0"),
        field("device", FieldUnit::id, "device number as in the file", device_of, s.device_order()),
        field("address", FieldUnit::address, "address of the first byte, negative from 2^63 on; NULL if unknown",
              [](const AllocationAt& row) {
                  const std::uint64_t address = row.columns.address[row.index];
                  return address == 0 ? std::nullopt : std::optional(address);
              }),
        field("size", FieldUnit::bytes, "bytes, as requested (not rounded)", value_of<&AllocationColumns::size_bytes>),
        field("stream", FieldUnit::id, "raw handle, 0 is the default stream", stream_of),
        field("pool", s.pools,
              "memory pool as '(1, 2)'; '(0, 0)' is the default pool; taken from the event, otherwise from the segment "
              "at its address; NULL if unknown",
              pool_of),
        field("origin", origins,
              "how it is known: 'alloc' (the allocation was recorded), 'freed' (only the free was recorded), 'standing' "
              "(no event mentions it, but it was live when the snapshot was taken), 'derived' (not recorded, but "
              "derived from totals), 'unplaced' (as 'standing', but the file is cut off before the end of its events, "
              "so it may have been allocated at any time)",
              value_of<&AllocationColumns::origin>),
        field(
            "alloc_step", FieldUnit::step,
            "step at which it appears; 0 for what was there before the recording (see origin)",
            [](const AllocationAt& row) { return row.timeline().start_step(row.allocation()); }, s.start_order()),
        field(
            "free_step", FieldUnit::step, "step at which it disappears; NULL if it is still there at the end",
            [](const AllocationAt& row) {
                const Timeline& timeline = row.timeline();
                const bool is_there_at_end = timeline.last_tick(row.allocation()) + 1 == timeline.tick_count();
                return is_there_at_end ? std::nullopt : std::optional(timeline.end_step(row.allocation()));
            },
            ColumnOrder::none, lasting_share),
        field("alloc_time_us", FieldUnit::microseconds, "microseconds since 1970 (UTC); NULL if not recorded",
              [](const AllocationAt& row) {
                  return row.source.event_time(row.device_index, row.columns.alloc_event[row.index]);
              }),
        field(
            "free_time_us", FieldUnit::microseconds, "microseconds since 1970 (UTC); NULL if not recorded or never freed",
            [](const AllocationAt& row) {
                return row.source.event_time(row.device_index, row.columns.free_event[row.index]);
            },
            ColumnOrder::none, lasting_share),
        field("alloc_event", FieldUnit::event, "events.id of its alloc; NULL if not recorded",
              [](const AllocationAt& row) {
                  return row.source.event_id(row.device_index, row.columns.alloc_event[row.index]);
              }),
        field(
            "free_event", FieldUnit::event, "events.id of its free; NULL if never freed",
            [](const AllocationAt& row) { return row.source.event_id(row.device_index, row.columns.free_event[row.index]); },
            ColumnOrder::none, lasting_share),
        field("state", states, "at the end: 'live', 'awaiting_free' (freed, but another stream may still use it) or 'freed'",
              value_of<&AllocationColumns::state>),
        field("stack_id", FieldUnit::id,
              "stacks.id; where origin is 'freed', the stack of the free, which does not show who allocated it; NULL if "
              "no stack was recorded",
              value_of<&AllocationColumns::stack>),
        field("category", s.strings, "category as named by the profiler; NULL in most files",
              metadata_text<&EventMetadata::category>),
        field("user_metadata", s.strings, "text attached by the program", metadata_text<&EventMetadata::user_metadata>),
        field("annotation", s.strings,
              "texts of its annotate events (_annotate_tensor), one line each; NULL if no values were given",
              [](const AllocationAt& row) { return notes_text_of(row.trace(), row.allocation()); }),
        field("compile_context", s.strings, "the compiled region in which it happened",
              metadata_text<&EventMetadata::compile_context>),
        field("internal_metadata", s.strings, "the allocator's own note", metadata_text<&EventMetadata::internal_metadata>),
        field("forward_frames", s.strings, "for allocations of a backward pass: the stack of the forward pass",
              metadata_text<&EventMetadata::forward_frames>),
    };
    return {"allocations", "Every allocation of every device, in drawing order within each device.", field.row_count(),
            columns};
}

Table events_table(const CatalogSource& s) {
    const TableFields field([&s] { return s.event_ends.empty() ? 0 : s.event_ends.back(); },
                            [&s](std::size_t row) -> EventAt {
                                const auto place = CatalogSource::locate(s.event_ends, row);
                                return {s, place.device_index, place.row, s.snapshot->devices[place.device_index].events};
                            });
    const std::vector<Column> columns = {
        row_number_column("id", "counts across all devices, from 0"),
        field("device", FieldUnit::id, "device number as in the file", device_of, s.device_order()),
        field("action", s.actions, "'alloc', 'free_requested', 'free_completed', 'segment_alloc', 'oom', ... as in the file",
              [](const EventAt& row) {
                  const Action action = row.columns.action[row.index];
                  const bool is_request = row.trace().requests_are_frees && action == Action::free_completed;
                  return is_request ? Action::free_requested : action;
              }),
        field("address", FieldUnit::address, "address of the block or segment, negative from 2^63 on; NULL if there is none",
              [](const EventAt& row) {
                  return row.columns.has_address(row.index) ? std::optional(row.columns.address[row.index]) : std::nullopt;
              }),
        field("size", FieldUnit::bytes, "bytes", value_of<&EventColumns::size_bytes>),
        field("device_free", FieldUnit::bytes, "for 'oom': bytes the driver reported as free; NULL if unknown",
              [](const EventAt& row) {
                  return row.columns.is_oom(row.index) ? row.columns.free_bytes(row.index) : std::nullopt;
              }),
        field("stream", FieldUnit::id, "raw handle, 0 is the default stream", stream_of),
        field("pool", s.pools, "memory pool as '(1, 2)'; NULL if not recorded", pool_of),
        field("time_us", FieldUnit::microseconds, "microseconds since 1970 (UTC); NULL if not recorded",
              [](const EventAt& row) { return known_time(row.columns.time_us[row.index]); }),
        field("stack_id", FieldUnit::id, "stacks.id; NULL if no stack was recorded", value_of<&EventColumns::stack>),
        field("user_metadata", s.strings, "text attached by the program", metadata_text<&EventMetadata::user_metadata>),
        field("compile_context", s.strings, "the compiled region in which it happened",
              metadata_text<&EventMetadata::compile_context>),
        field("internal_metadata", s.strings, "the allocator's own note", metadata_text<&EventMetadata::internal_metadata>),
        field("category", s.strings, "category as named by the profiler", metadata_text<&EventMetadata::category>),
        field("forward_frames", s.strings, "for allocations of a backward pass: the stack of the forward pass",
              metadata_text<&EventMetadata::forward_frames>),
    };
    return {"events", "Everything the allocator recorded, in recorded order within each device.", field.row_count(),
            columns};
}

}  // namespace

std::vector<Table> trace_tables(const CatalogSource& source) {
    return {allocs_table(source), allocations_table(source), events_table(source)};
}

// Tables of call stacks: stacks, stack_frames, frames.

namespace {

/// A row of `stack_frames`: a frame of a stack.
struct StackFrame {
    StackId stack;
    std::size_t depth;
};

Table stacks_table(const CatalogSource& s) {
    const TableFields field([&s] { return s.stack_frame_ends.size(); },
                            [](std::size_t row) { return StackId{static_cast<std::uint32_t>(row)}; });
    const TableFields use_field(field.row_count(), [&s](std::size_t row) -> const DerivedRows::StackUse& {
        return s.derived->use_of(StackId{static_cast<std::uint32_t>(row)});
    });
    const std::vector<Column> columns = {
        row_number_column("id", "allocations.stack_id and events.stack_id refer to it"),
        field("depth", FieldUnit::count, "number of frames",
              [&s](StackId stack) { return s.snapshot->stacks.stack(stack).size(); }),
        field("text", s.stacks,
              "file:line:function, one line per frame, innermost first; only the function where file and line are unknown",
              std::identity()),
        field("top_frame", FieldUnit::text,
              "the line that stands for the stack, as function@path:line: the innermost line of the program's own code, "
              "otherwise the innermost Python line, otherwise the backward node, operator or C++ function",
              [&s](StackId stack) { return s.derived->stack_lines().source(stack); }),
        field("key", FieldUnit::text,
              "a hash of the lines without anything that differs between machines, so the same stack has the same key "
              "in every file",
              [&s](StackId stack) { return key_text(s.derived->stack_lines().key(stack)); }),
        use_field("allocations", FieldUnit::count, "number of allocations with this stack, on all devices",
                  &DerivedRows::StackUse::count),
        use_field("allocated_bytes", FieldUnit::bytes, "total bytes of these allocations, including those freed again",
                  &DerivedRows::StackUse::bytes),
        use_field("largest_bytes", FieldUnit::bytes, "bytes of the largest of these allocations",
                  &DerivedRows::StackUse::largest_bytes),
    };
    return {"stacks", "Every distinct call stack once.", field.row_count(), columns};
}

Table stack_frames_table(const CatalogSource& s) {
    const TableFields field([&s] { return s.stack_frame_ends.empty() ? 0 : s.stack_frame_ends.back(); },
                            [&s](std::size_t row) -> StackFrame {
                                const auto& ends = s.stack_frame_ends;
                                const auto end = std::ranges::upper_bound(ends, row);
                                const auto stack = static_cast<std::uint32_t>(end - ends.begin());
                                return {StackId{stack}, row - CatalogSource::first_row(ends, stack)};
                            });
    const std::vector<Column> columns = {
        field("stack_id", FieldUnit::id, "stacks.id", &StackFrame::stack, ColumnOrder::ascending),
        field("depth", FieldUnit::count, "0 is the innermost call", &StackFrame::depth),
        field("frame_id", FieldUnit::id, "frames.id",
              [&s](const StackFrame& row) { return s.snapshot->stacks.stack(row.stack)[row.depth]; }),
    };
    return {"stack_frames", "Which frames each stack consists of.", field.row_count(), columns};
}

Table frames_table(const CatalogSource& s) {
    const TableFields field([&s] { return s.snapshot->stacks.frame_count(); },
                            [&s](std::size_t row) -> const Frame& {
                                return s.snapshot->stacks.frame(FrameId{static_cast<std::uint32_t>(row)});
                            });
    const std::vector<Column> columns = {
        row_number_column("id", "stack_frames.frame_id refers to it"),
        field("file", s.strings, "source file; two question marks if the program had no symbols", &Frame::file),
        field("line", FieldUnit::count, "NULL if unknown",
              [](const Frame& frame) { return frame.knows_line() ? std::optional(frame.line) : std::nullopt; }),
        field("function", s.strings, "as written in the file", &Frame::function),
        field("is_own", FieldUnit::flag,
              "1 for the program's own Python code; 0 for installed packages, the standard library, the interpreter "
              "and C++",
              [&s](const Frame& frame) { return is_own_frame(s.snapshot->strings, frame); }),
        field("fx", s.strings, "for code generated by torch.fx: its node, as JSON; otherwise NULL", &Frame::fx),
        field("text", FieldUnit::text, "file:line:function, as in stacks.text",
              [&s](const Frame& frame) { return frame_text(s.snapshot->strings, frame); }),
    };
    return {"frames", "Every distinct line of a call stack once.", field.row_count(), columns};
}

}  // namespace

std::vector<Table> stack_tables(const CatalogSource& source) {
    return {stacks_table(source), stack_frames_table(source), frames_table(source)};
}

}  // namespace snapviewer::query
