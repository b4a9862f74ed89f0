#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/columns.h"
#include "core/base/import_log.h"
#include "core/trace/profile_data.h"
#include "core/trace/stack_table.h"

/// The immutable model of one snapshot. Sizes are in bytes, times in microseconds since the Unix epoch. The fields have the
/// meaning of those in PyTorch's memory snapshots (torch.cuda.memory._snapshot).
namespace snapviewer {

inline constexpr std::int64_t k_no_time = std::numeric_limits<std::int64_t>::min();
inline constexpr std::uint64_t k_unknown_bytes = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint16_t k_no_pool = 0xFFFF;
inline constexpr std::string_view k_pinned_host_part = "host (pinned)";

/// The kinds of events. Values from `first_unnamed` on are actions that are not in this list; their names are in
/// Snapshot::other_actions.
enum class Action : std::uint8_t {
    alloc,
    free_requested,
    free_completed,
    segment_alloc,
    segment_free,
    segment_map,
    segment_unmap,
    snapshot,
    oom,
    annotate,
    user_defined,
    first_unnamed,
};
/// True for events in which the driver provided a range of addresses.
constexpr bool is_growth(Action action) { return action == Action::segment_alloc || action == Action::segment_map; }
/// True for events in which the driver took back a range of addresses.
constexpr bool is_shrinkage(Action action) { return action == Action::segment_free || action == Action::segment_unmap; }
constexpr bool is_segment_event(Action action) { return is_growth(action) || is_shrinkage(action); }

/// The id of a memory pool as PyTorch's pair of numbers; (0, 0) is the default pool.
using PoolId = std::pair<std::int64_t, std::int64_t>;

/// Texts of an event. Many events have the same set of texts, so each set is stored once.
struct EventMetadata {
    StringId user_metadata;
    StringId compile_context;
    StringId internal_metadata;
    StringId category;
    StringId forward_frames;  ///< lines of the forward stack, joined by '\n'
    bool operator==(const EventMetadata&) const = default;
};

/// One event; a row of EventColumns.
struct EventRow {
    Action action = Action::alloc;
    std::uint64_t address = 0;
    std::uint64_t size_bytes = 0;
    std::uint16_t stream = 0;
    std::uint16_t pool = k_no_pool;
    std::int64_t time_us = k_no_time;
    StackId stack = StackId::none();
    MetadataId metadata = MetadataId::none();

    /// Precondition: an oom event. See EventColumns::free_bytes().
    void set_free_bytes(std::optional<std::uint64_t> bytes) { address = bytes.value_or(k_unknown_bytes); }
    auto fields() const {
        const auto& [a, b, c, d, e, f, g, h] = *this;
        return std::tie(a, b, c, d, e, f, g, h);
    }
};

/// The events of one device in recorded order, with one column per field. All columns have the same length.
struct EventColumns : Columns<EventColumns, EventRow> {
    std::vector<Action> action;
    UniformColumn<std::uint64_t> address;  ///< address; 0 if the event has none; for an oom event see free_bytes()
    std::vector<std::uint64_t> size_bytes;
    UniformColumn<std::uint16_t> stream;  ///< index into Snapshot::streams
    UniformColumn<std::uint16_t> pool;    ///< index into Snapshot::pools, or k_no_pool
    std::vector<std::int64_t> time_us;    ///< time of the event; k_no_time if it was not recorded
    std::vector<StackId> stack;           ///< stack of the event; none() if no stack was recorded
    UniformColumn<MetadataId> metadata;   ///< metadata of the event; none() if it has none

    std::size_t size() const { return action.size(); }
    /// An oom event has no address. Its address column holds the free bytes of the driver instead, which saves a column for
    /// so few events.
    bool is_oom(std::size_t event) const { return action[event] == Action::oom; }
    bool has_address(std::size_t event) const { return address[event] != 0 && !is_oom(event); }
    /// Precondition: an oom event. Returns the bytes that the driver reported as free, or nullopt if the file does not say.
    std::optional<std::uint64_t> free_bytes(std::size_t event) const {
        return address[event] == k_unknown_bytes ? std::nullopt : std::optional(address[event]);
    }
    void set_free_bytes(std::size_t event, std::optional<std::uint64_t> bytes) {
        address.set(event, bytes.value_or(k_unknown_bytes));
    }
    template <typename Self>
    static auto fields(Self& self) {
        auto& [a, b, c, d, e, f, g, h] = self;
        return std::tie(a, b, c, d, e, f, g, h);
    }
};

/// The source of an allocation.
enum class Origin : std::uint8_t {
    alloc,     ///< the alloc event is in the trace
    freed,     ///< only the free is in the trace: allocated before the recording began
    standing,  ///< not in the trace, but live in the segments when the snapshot was taken
    derived,   ///< not recorded, but computed from totals (drawn hatched)
    /// Live in the segments of a file that is cut off before the end of its events: allocated at an unknown time (drawn
    /// hatched).
    unplaced,
};

/// The state of an allocation when the snapshot was taken.
enum class AllocationState : std::uint8_t { live, awaiting_free, freed };

/// One allocation; a row of AllocationColumns.
struct AllocationRow {
    std::uint64_t address = 0;
    std::uint64_t size_bytes = 0;
    std::uint16_t stream = 0;
    std::uint16_t pool = k_no_pool;
    Origin origin = Origin::alloc;
    AllocationState state = AllocationState::live;
    EventId alloc_event = EventId::none();
    EventId free_event = EventId::none();
    StackId stack = StackId::none();

    auto fields() const {
        const auto& [a, b, c, d, e, f, g, h, i] = *this;
        return std::tie(a, b, c, d, e, f, g, h, i);
    }
};

/// The allocations of one device in drawing order (bottom of the picture first), with one column per field.
struct AllocationColumns : Columns<AllocationColumns, AllocationRow> {
    UniformColumn<std::uint64_t> address;
    std::vector<std::uint64_t> size_bytes;  ///< requested size, not rounded
    UniformColumn<std::uint16_t> stream;    ///< index into Snapshot::streams
    UniformColumn<std::uint16_t> pool;      ///< index into Snapshot::pools, or k_no_pool
    std::vector<Origin> origin;
    std::vector<AllocationState> state;
    std::vector<EventId> alloc_event;  ///< alloc event; none() unless origin is alloc
    std::vector<EventId> free_event;   ///< free event; none() if the allocation was never freed
    std::vector<StackId> stack;        ///< stack of the alloc, or of the free if only that was recorded

    std::size_t size() const { return address.size(); }
    template <typename Self>
    static auto fields(Self& self) {
        auto& [a, b, c, d, e, f, g, h, i] = self;
        return std::tie(a, b, c, d, e, f, g, h, i);
    }
};

enum class BlockState : std::uint8_t { inactive, active_allocated, active_pending_free };

/// A part of a segment, in use or free, when the snapshot was taken.
struct Block {
    std::uint64_t address = 0;
    std::uint64_t size_bytes = 0;       ///< size as rounded up by the allocator
    std::uint64_t requested_bytes = 0;  ///< requested size; undefined if inactive
    BlockState state = BlockState::inactive;
    StackId stack;
};

/// Memory that the allocator reserved from the driver, divided into blocks without gaps.
struct Segment {
    std::uint64_t address = 0;
    std::uint64_t total_bytes = 0;
    std::uint64_t allocated_bytes = 0;
    std::uint64_t active_bytes = 0;
    std::uint64_t requested_bytes = 0;
    /// Device number; negative for pinned host memory and other parts, so that no two devices share a number.
    std::int32_t device = 0;
    std::uint16_t stream = 0;        ///< index into Snapshot::streams
    std::uint16_t pool = k_no_pool;  ///< index into Snapshot::pools
    StringId type;                   ///< size class of the segment: "small" or "large"
    bool is_expandable = false;
    StackId stack;
    std::uint32_t first_block = 0;  ///< index into Snapshot::blocks
    std::uint32_t block_count = 0;
};

/// The start or the end of a named range (torch.profiler.record_function).
struct Annotation {
    StringId name;
    StringId stage;  ///< end of the range that the mark is: "START" or "END"
    std::int32_t device = 0;
    std::int64_t time_us = k_no_time;
};

/// One point of the polygon of an allocation in a SnapViewer file: the offset of its lower edge at a step.
struct PathPoint {
    std::uint64_t step = 0;
    std::uint64_t offset_bytes = 0;
    bool operator==(const PathPoint&) const = default;
};

/// Polygons that the file contains, instead of ones computed from events. Path i is points[ends[i-1] .. ends[i]).
struct RecordedPaths {
    std::vector<PathPoint> points;
    std::vector<std::uint64_t> ends;  ///< one per allocation; empty if the file has no paths
};

/// A free_requested event and its allocation, for files in which addresses do not identify allocations.
struct FreeRequest {
    EventId event;
    AllocationId allocation;
};

/// An `annotate` event and the allocation that it is about. Its text is the event's user_metadata.
struct AllocationNote {
    AllocationId allocation;
    EventId event;
};

/// The texts of all notes of one allocation, one line each.
struct AllocationNotesText {
    AllocationId allocation;
    StringId text;
};

/// The kinds of pictures of a device.
enum class ViewKind : std::uint8_t {
    allocations,
    segments,  ///< memory reserved from the driver, with the mappings of expandable segments
    /// Allocations grouped by private pool, with the unused capacity of each pool. Only available on the step axis.
    pools,
};

inline constexpr std::size_t k_view_kinds = 3;

/// The times at which a file shows how much memory of a device was reserved from the driver.
enum class ReservedKnown : std::uint8_t {
    no,          ///< unknown: the file lists no segments
    at_end,      ///< known at the end from the segments, but the events contradict it
    throughout,  ///< segments and segment events agree with each other and with the blocks
};

/// The extent of a device's data in a file that is cut off.
enum class CutOff : std::uint8_t {
    unknown,        ///< the file is not cut off, or the missing part is unknown
    in_the_events,  ///< all segments, but only events up to some time
    behind,         ///< the data of this device is complete
};

/// Options that say how a recording is presented.
struct Presentation {
    std::string step_axis_title;  ///< title of the step axis if steps differ from memory_viz's
    std::string time_axis_title;  ///< title of the time axis if times are not from a clock
    bool has_wall_clock = true;   ///< false if times count from the left edge
    bool prefers_time = false;    ///< true if the picture opens on the time axis
};

/// Everything that was recorded for one device, or for one part of its memory that has a picture of its own.
struct DeviceTrace {
    /// Device number; negative for pinned host memory and other parts, so that no two devices share a number.
    std::int32_t device = 0;
    std::string part;      ///< name of a part, such as "host (pinned)" or "WORKSPACE"; empty for the device itself
    bool is_host = false;  ///< host memory, to which limits and defaults do not apply
    /// Rank of the process that used the device; "?" if the file names none; empty if the file has no ranks.
    std::string rank;
    ViewKind kind = ViewKind::allocations;  ///< kind of picture that `allocations` are for
    EventColumns events;
    AllocationColumns allocations;
    /// True if the reader filled `allocations` and the columns that depend on them. Otherwise complete_snapshot() derives
    /// them from events and segments.
    bool allocations_are_given = false;
    /// The first `initial_count` allocations exist before the first action.
    std::uint32_t initial_count = 0;
    /// Allocations in the order in which they start and end. The first occurrence starts an allocation, unless it is one of
    /// the initial ones; the next occurrence ends it.
    std::vector<AllocationId> actions;
    /// Number of actions at the end of `actions` whose time is unknown: they happened after the last event of a file that is
    /// cut off, and lead from there to the state of the segments.
    std::uint32_t unseen_actions = 0;
    CutOff cut_off = CutOff::unknown;
    /// Polygons of files that contain a finished timeline instead of events; otherwise empty. Only stored if they differ
    /// from the polygons that follow from the steps.
    RecordedPaths recorded_paths;
    std::vector<std::uint64_t> action_steps;  ///< parallel to actions
    std::uint64_t end_step = 0;
    std::vector<Series> memory_series;  ///< series in bytes from a profiler, drawn over the picture
    std::vector<Track> tracks;          ///< drawn below the picture on the same x axis
    std::vector<RecordedLevel> levels;
    Presentation presentation;
    std::int64_t start_us = k_no_time;  ///< bounds of the recording if they are outside its events
    std::int64_t end_us = k_no_time;
    ReservedKnown reserved_known = ReservedKnown::no;
    std::vector<FreeRequest> free_requests;  ///< ordered by event; empty if addresses identify allocations
    /// True if the recording lacks free_completed events: the events that are called frees here are free requests in the
    /// file.
    bool requests_are_frees = false;
    std::vector<AllocationNote> notes;            ///< ordered by allocation, then event
    std::vector<AllocationNotesText> note_texts;  ///< ordered by allocation; only allocations with notes
};

/// The kind of a file inside its containers (compression, archives).
enum class FileKind : std::uint8_t {
    pytorch_pickle,
    pytorch_json,
    pytorch_html,       ///< page of PyTorch's own viewer that contains a snapshot
    memory_timeline,    ///< totals by category from torch.profiler's export_memory_timeline
    snapviewer_zip,     ///< SnapViewer's polygons and elements in a zip
    snapviewer_folder,  ///< SnapViewer's polygons and elements in a folder
    insight_snapshot,   ///< snapshot in a database of MindStudio Insight
    memory_report,      ///< report of Skyline or DeepView about the memory of an iteration
    run_time_report,    ///< report of Skyline or DeepView about the durations of operations
    ascend_profiler,    ///< database of the Ascend PyTorch Profiler
    msprof,             ///< database of msprof: like ascend_profiler, but without PyTorch's tables
    msmemscope,         ///< database of Ascend's msMemScope or msLeaks
    sqlite,             ///< any other SQLite database
};

const char* file_kind_name(FileKind kind);  ///< name in JSON and SQL: "pytorch_pickle", "sqlite"
/// True if the file holds the unchanged events of PyTorch's own recorder, in any format.
bool is_pytorch_recording(FileKind kind);

/// The contents of one file. Shared between threads as shared_ptr<const Snapshot>.
struct Snapshot {
    FileKind kind = FileKind::pytorch_pickle;
    /// Containers of the file, outermost first: "", "gzip", "zip/gzip", "snapviewer_db".
    std::string container;
    StringPool strings;
    StackTable stacks;
    std::vector<EventMetadata> metadata;
    std::vector<std::string> other_actions;     ///< names of Action(first_unnamed + i), by i
    std::vector<std::uint64_t> streams;         ///< raw handles of the streams
    std::vector<std::uint32_t> stream_numbers;  ///< parallel to streams; see stream_number()
    std::vector<PoolId> pools;
    std::vector<DeviceTrace> devices;  ///< devices with events or segments, ordered by device number
    std::vector<Segment> segments;     ///< segments of all devices in file order
    std::vector<Block> blocks;         ///< blocks of all segments, in address order within each segment
    std::vector<Annotation> annotations;
    std::vector<std::pair<std::string, std::string>> settings;  ///< allocator settings and unknown root keys; values as JSON
    ImportLog log;
    std::uint64_t read_bytes = 0;  ///< size of the file plus its unpacked data; the base for limits on answers

    std::span<const Block> blocks_of(const Segment& segment) const {
        return std::span(blocks).subspan(segment.first_block, segment.block_count);
    }
};

/// The `events.id` in SQL of the first event of a device. SQL numbers the events of all devices of a snapshot consecutively.
/// O(devices).
std::int64_t first_event_id(const Snapshot& snapshot, const DeviceTrace& trace);

/// A setting of the allocator as JSON from the file; empty if the file does not contain it.
std::string_view setting_text(const Snapshot& snapshot, std::string_view name);

std::string_view action_name(const Snapshot& snapshot, Action action);  ///< name as in the file: "alloc", "segment_map", ...
const char* reserved_known_name(ReservedKnown known);                   ///< name in SQL: "no", "end", "throughout"
const char* origin_name(Origin origin);          ///< name in SQL: "alloc", "freed", "standing", "derived", "unplaced"
const char* state_name(AllocationState state);   ///< name in SQL: "live", "awaiting_free", "freed"
const char* block_state_name(BlockState state);  ///< PyTorch's names: "inactive", "active_allocated", ...

/// Tracks which allocations are live while a caller walks through the actions of a trace, one by one. Starts with the
/// allocations that exist before the first action.
class LiveWalk {
public:
    /// Keeps a reference to `trace`, whose allocations must already be collected.
    explicit LiveWalk(const DeviceTrace& trace) : trace_(trace), is_live_(trace.allocations.size()) {
        for (std::uint32_t id = 0; id < trace.initial_count; ++id) toggle(AllocationId{id});
    }

    /// Applies one action: starts or ends an allocation. Returns true if it is live afterwards.
    bool toggle(AllocationId id) {
        const std::uint64_t size_bytes = trace_.allocations.size_bytes[id.value];
        const bool begins = !is_live_[id.value];
        is_live_[id.value] = begins;
        total_bytes_ += begins ? size_bytes : 0 - size_bytes;
        return begins;
    }
    std::uint64_t total_bytes() const { return total_bytes_; }
    const std::vector<bool>& is_live() const { return is_live_; }

private:
    const DeviceTrace& trace_;
    std::vector<bool> is_live_;
    std::uint64_t total_bytes_ = 0;
};

/// The peak of the total size of live allocations. O(actions).
inline std::uint64_t peak_bytes(const DeviceTrace& trace) {
    LiveWalk walk(trace);
    std::uint64_t peak = walk.total_bytes();
    for (const AllocationId id : trace.actions) {
        walk.toggle(id);
        peak = std::max(peak, walk.total_bytes());
    }
    return peak;
}

/// Ensures that later code cannot overflow when it adds sizes or subtracts times, for any content of the file. Sizes that
/// together exceed 2 EiB become 0, and times more than 18,000 years away from 1970 become k_no_time; the log reports how
/// many. Call it before allocations are collected. O(everything read).
void limit_values(Snapshot& snapshot);

/// Repairs the times of events after the clock was set back, and drops stray times. After a jump back, times continue from
/// the last time before it, and annotations are moved along. A few times that are far from all others become k_no_time. The
/// log reports both. Times that are only slightly out of order are kept. O(events + annotations).
void repair_clocks(Snapshot& snapshot);

/// Renumbers stacks and frames in the order in which segments, blocks and then events first refer to them, and drops unused
/// ones. Thus the same content gets the same numbers in every file format. O(events).
void renumber_stacks(Snapshot& snapshot);

}  // namespace snapviewer
