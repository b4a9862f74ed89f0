#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/load/bytes/sources.h"
#include "core/load/profilers/readers.h"
#include "core/load/profilers/tables.h"
#include "core/trace/stack_table.h"

namespace snapviewer::profilers {
namespace {

constexpr std::uint32_t k_no_place = 0xFFFFFFFF;

/// Maps ascending row numbers to indices. The numbers may have gaps, because users can delete rows.
class RowPlaces {
public:
    void add(std::int64_t id) { ids_.push_back(id); }
    std::uint32_t size() const { return static_cast<std::uint32_t>(ids_.size()); }
    std::uint32_t find(std::int64_t id) const {
        if (ids_.empty() || id < ids_.front() || id > ids_.back()) return k_no_place;
        const auto guess = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(ids_.front());
        if (guess < ids_.size() && ids_[guess] == id) return static_cast<std::uint32_t>(guess);
        const auto found = std::ranges::lower_bound(ids_, id);
        return found != ids_.end() && *found == id ? static_cast<std::uint32_t>(found - ids_.begin()) : k_no_place;
    }

private:
    std::vector<std::int64_t> ids_;
};

/// Finds the value with the given name; returns the last of `values` if none has it.
template <typename Value, typename Name>
Value named(std::string_view text, std::initializer_list<Value> values, Name name) {
    const auto* const found = std::ranges::find_if(values, [&](Value value) { return name(value) == text; });
    return found == values.end() ? *(values.end() - 1) : *found;
}

class ExportedReader {
public:
    ExportedReader(sqlite::SqliteFile& file, Snapshot& snapshot) : file_(file), snapshot_(snapshot), words_(snapshot) {}

    void run() {
        read_log();
        read_kind();
        read_devices();
        read_streams();
        read_stacks();
        read_events();
        read_allocations();
        read_totals();
        read_segments();
        read_blocks();
        read_annotations();
        read_settings();
        read_free_requests();
        for (DeviceTrace& trace : snapshot_.devices) finish(trace);
    }

private:
    /// State of a device while it is read, besides its trace.
    struct Device {
        RowPlaces events;       ///< indices of events by events.id
        RowPlaces allocations;  ///< indices of allocations by allocations.id
        /// The beginnings and ends of allocations: step, true for a beginning, index of the allocation.
        std::vector<std::tuple<std::int64_t, bool, std::uint32_t>> changes;
        std::vector<AllocationId> waited;  ///< allocations in the rows of pending_frees
        /// Latest alloc_step read so far. Allocations must begin in ascending order, but the file may violate this.
        std::int64_t last_start = 0;
        std::uint32_t frees = 0;
        std::uint64_t ticks = 0;    ///< number of rows of totals
        bool has_reserved = false;  ///< Taken from the first row of totals; the last row says nothing about earlier memory.
    };

    /// Calls `take` for each row of a table. Missing columns are NULL.
    void each(std::string_view table, std::initializer_list<Wanted> columns, const auto& take) {
        if (!file_.find_table(table)) {
            snapshot_.log.add("snapshot_table_missing", {.subject = table},
                              {fmt::format("the export has no table {}", table)});
            return;
        }
        each_row(file_, table, select_columns(file_, table, columns), snapshot_.log, take);
    }

    static std::int64_t integer(const sqlite::SqliteRows& rows, int place, std::int64_t otherwise = 0) {
        return whole_number(rows, place).value_or(otherwise);
    }
    static std::uint64_t amount(const sqlite::SqliteRows& rows, int place) {
        return static_cast<std::uint64_t>(integer(rows, place));
    }
    static std::int64_t step(const sqlite::SqliteRows& rows, int place) {
        constexpr std::int64_t k_last = std::int64_t{1} << 62;
        return std::clamp<std::int64_t>(integer(rows, place), 0, k_last);
    }
    StringId string(const sqlite::SqliteRows& rows, int place) {
        return rows.type(place) == sqlite::ValueType::null ? StringId::none() : snapshot_.strings.intern(rows.text(place));
    }
    StackId stack(const sqlite::SqliteRows& rows, int place) const {
        const auto id = whole_number(rows, place);
        const auto found = id ? stacks_.find(*id) : stacks_.end();
        return found == stacks_.end() ? StackId::none() : found->second;
    }
    /// Parses a pool id such as "(1, 2)".
    std::uint16_t pool(const sqlite::SqliteRows& rows, int place) {
        if (rows.type(place) == sqlite::ValueType::null) return k_no_pool;
        const std::string_view text = rows.text(place);
        const auto known = pools_.find(text);
        if (known != pools_.end()) return known->second;
        std::pair<std::int64_t, std::int64_t> id;
        const std::string_view numbers = text.substr(std::min<std::size_t>(1, text.size()));
        const std::size_t digits = read_number(numbers, id.first);
        if (numbers.size() > digits + 2) read_number(numbers.substr(digits + 2), id.second);
        if (snapshot_.pools.size() >= limits::k_pools) bytes::fail("more than 65534 memory pools");
        snapshot_.pools.push_back(id);
        return pools_.emplace(text, static_cast<std::uint16_t>(snapshot_.pools.size() - 1)).first->second;
    }

    DeviceTrace& trace(const sqlite::SqliteRows& rows, int place) { return words_.device(integer(rows, place)); }
    Device& clone(const DeviceTrace& trace) { return devices_[trace.device]; }

    void read_log() {
        each("import_log", {"severity", "code", "message", "count", "first_offset"}, [&](const sqlite::SqliteRows& rows) {
            ImportEntry entry;
            entry.severity = named(rows.text(0), {Severity::info, Severity::data_loss, Severity::notice}, severity_text);
            entry.code = rows.text(1);
            entry.message = rows.text(2);
            entry.count = amount(rows, 3);
            if (rows.type(4) != sqlite::ValueType::null) entry.first_offset = amount(rows, 4);
            snapshot_.log.add(std::move(entry));
        });
    }

    void read_kind() {
        snapshot_.container = "snapviewer_db";
        std::optional<FileKind> kind;
        const std::string sql = select_columns(file_, export_notes::k_table, {"device", "key", "value"});
        each_row(file_, export_notes::k_table, sql, snapshot_.log, [&](const sqlite::SqliteRows& rows) {
            if (rows.type(0) != sqlite::ValueType::null) {
                notes_.push_back({integer(rows, 0), std::string(rows.text(1)), std::string(rows.text(2))});
            } else if (rows.text(1) == export_notes::k_kind) {
                for (int i = 0; i <= static_cast<int>(FileKind::sqlite); ++i) {
                    if (file_kind_name(static_cast<FileKind>(i)) == rows.text(2)) kind = static_cast<FileKind>(i);
                }
            }
        });
        snapshot_.kind = kind.value_or(FileKind::sqlite);
        if (!kind) {
            snapshot_.log.add("export_is_less", {},
                              {"the file was exported by an older snapviewer that did not record what kind of file it came "
                               "from; it is drawn as a snapshot"});
        } else if (!is_pytorch_recording(*kind)) {
            snapshot_.log.add(
                "export_is_less", {},
                {"an export holds allocations, events and stacks, but no profiler curves or tracks, no icicles "
                 "and no polygon offsets (these are computed again)"});
        }
    }

    void read_devices() {
        each("devices", {"device", "part", "rank"}, [&](const sqlite::SqliteRows& rows) {
            DeviceTrace& device = trace(rows, 0);
            device.part = rows.text(1);
            device.is_host = device.part == k_pinned_host_part;
            device.rank = rows.text(2);
        });
        for (const auto& [device, key, value] : notes_) take_note(words_.device(device), key, value);
    }

    static void take_note(DeviceTrace& trace, const std::string& key, const std::string& value) {
        const auto time_us = [&] {
            std::int64_t time = k_no_time;
            read_number(value, time);
            return time;
        };
        if (key == export_notes::k_step_axis) trace.presentation.step_axis_title = value;
        if (key == export_notes::k_time_axis) trace.presentation.time_axis_title = value;
        if (key == export_notes::k_no_wall_clock) trace.presentation.has_wall_clock = false;
        if (key == export_notes::k_prefers_time) trace.presentation.prefers_time = true;
        if (key == export_notes::k_start_us) trace.start_us = time_us();
        if (key == export_notes::k_end_us) trace.end_us = time_us();
    }

    void read_streams() {
        snapshot_.streams.clear();
        each("streams", {"stream", "number"}, [&](const sqlite::SqliteRows& rows) {
            if (snapshot_.streams.size() >= limits::k_streams) bytes::fail("more than 65535 streams");
            snapshot_.streams.push_back(amount(rows, 0));
            snapshot_.stream_numbers.push_back(static_cast<std::uint32_t>(amount(rows, 1)));
        });
        if (snapshot_.streams.empty()) {
            snapshot_.streams = {0};
            snapshot_.stream_numbers = {0};
        }
    }

    void read_stacks() {
        std::unordered_map<std::int64_t, FrameId, KeyedHash> frames;
        each("frames", {"id", "file", "line", "function", "fx", "text"}, [&](const sqlite::SqliteRows& rows) {
            Frame frame{string(rows, 1), string(rows, 3), line(rows, 2, 5), string(rows, 4)};
            if (frame.fx.is_some())
                set_original_line_of_node(frame, snapshot_.strings, std::string(snapshot_.strings.view(frame.fx)));
            frames[integer(rows, 0)] = snapshot_.stacks.intern_frame(frame);
        });
        std::vector<FrameId> stack;
        std::optional<std::int64_t> current;
        const auto finish_stack = [&] {
            if (current) stacks_[*current] = snapshot_.stacks.intern_stack(stack);
            stack.clear();
        };
        each("stack_frames", {"stack_id", "frame_id"}, [&](const sqlite::SqliteRows& rows) {
            const std::int64_t id = integer(rows, 0);
            if (current != id) {
                finish_stack();
                current = id;
            }
            const auto frame = frames.find(integer(rows, 1));
            if (frame != frames.end()) stack.push_back(frame->second);
        });
        finish_stack();
    }

    /// Returns the line of a frame. Unknown lines are NULL in the column, but the frame's text shows whether the original
    /// number was 0 or -1.
    static std::uint32_t line(const sqlite::SqliteRows& rows, int place, int text_place) {
        if (rows.type(place) == sqlite::ValueType::null) {
            const std::string minus_one = fmt::format(":{}:", ~std::uint64_t{0});
            return rows.text(text_place).find(minus_one) == std::string_view::npos ? 0 : k_line_minus_one;
        }
        return static_cast<std::uint32_t>(std::clamp<std::int64_t>(integer(rows, place), 0, k_no_place - 1));
    }

    MetadataId metadata(const sqlite::SqliteRows& rows, int first) {
        EventMetadata found;
        bool has_any = false;
        for (StringId EventMetadata::*field :
             {&EventMetadata::user_metadata, &EventMetadata::compile_context, &EventMetadata::internal_metadata,
              &EventMetadata::category, &EventMetadata::forward_frames}) {
            found.*field = string(rows, first++);
            has_any = has_any || (found.*field).is_some();
        }
        if (!has_any) return MetadataId::none();
        if (last_metadata_.is_some() && snapshot_.metadata[last_metadata_.value] == found) return last_metadata_;
        const std::array key = {found.user_metadata, found.compile_context, found.internal_metadata, found.category,
                                found.forward_frames};
        const auto [known, is_new] =
            metadata_.try_emplace(key, MetadataId{static_cast<std::uint32_t>(snapshot_.metadata.size())});
        if (is_new) snapshot_.metadata.push_back(found);
        return last_metadata_ = known->second;
    }

    void read_events() {
        each("events",
             {"id", "device", "action", "address", "size", "device_free", "stream", "pool", "time_us", "stack_id",
              "user_metadata", "compile_context", "internal_metadata", "category", "forward_frames"},
             [&](const sqlite::SqliteRows& rows) {
                 DeviceTrace& device = trace(rows, 1);
                 EventRow event;
                 event.action = words_.action(rows.text(2));
                 event.address = amount(rows, 3);
                 if (event.action == Action::oom)
                     event.set_free_bytes(rows.type(5) == sqlite::ValueType::null ? std::nullopt
                                                                                  : std::optional(amount(rows, 5)));
                 event.size_bytes = amount(rows, 4);
                 event.stream = words_.stream(amount(rows, 6));
                 event.pool = pool(rows, 7);
                 event.time_us = integer(rows, 8, k_no_time);
                 event.stack = stack(rows, 9);
                 event.metadata = metadata(rows, 10);
                 device.events.push(event);
                 clone(device).events.add(integer(rows, 0));
             });
    }

    void read_allocations() {
        each("allocations",
             {"device", "address", "size", "stream", "pool", "origin", "alloc_step", "free_step", "alloc_event",
              "free_event", "state", "stack_id", "id"},
             [&](const sqlite::SqliteRows& rows) {
                 DeviceTrace& device = trace(rows, 0);
                 Device& more = clone(device);
                 const auto event = [&](int place) {
                     const auto id = whole_number(rows, place);
                     return id ? EventId{more.events.find(*id)} : EventId::none();
                 };
                 AllocationRow row;
                 row.address = amount(rows, 1);
                 row.size_bytes = amount(rows, 2);
                 row.stream = words_.stream(amount(rows, 3));
                 row.pool = pool(rows, 4);
                 row.origin =
                     named(rows.text(5), {Origin::alloc, Origin::freed, Origin::derived, Origin::unplaced, Origin::standing},
                           origin_name);
                 row.alloc_event = event(8);
                 row.free_event = event(9);
                 row.state =
                     named(rows.text(10), {AllocationState::awaiting_free, AllocationState::freed, AllocationState::live},
                           state_name);
                 row.stack = stack(rows, 11);
                 const auto id = static_cast<std::uint32_t>(device.allocations.size());
                 if (id >= limits::k_allocations) bytes::fail("more allocations than can be counted");
                 device.allocations.push(row);
                 more.allocations.add(integer(rows, 12, id));
                 more.last_start = std::max(more.last_start, step(rows, 6));
                 more.changes.emplace_back(more.last_start, true, id);
                 if (rows.type(7) == sqlite::ValueType::null) return;
                 more.changes.emplace_back(std::max(more.last_start + 1, step(rows, 7)), false, id);
                 ++more.frees;
             });
    }

    void read_totals() {
        each("totals", {"device", "reserved"}, [&](const sqlite::SqliteRows& rows) {
            Device& device = clone(trace(rows, 0));
            ++device.ticks;
            if (device.ticks == 1) device.has_reserved = rows.type(1) != sqlite::ValueType::null;
        });
    }

    void read_segments() {
        each("segments",
             {"id", "device", "address", "size", "allocated", "active", "requested", "stream", "pool", "type",
              "is_expandable", "stack_id"},
             [&](const sqlite::SqliteRows& rows) {
                 Segment segment;
                 segment.device = trace(rows, 1).device;
                 segment.address = amount(rows, 2);
                 segment.total_bytes = amount(rows, 3);
                 segment.allocated_bytes = amount(rows, 4);
                 segment.active_bytes = amount(rows, 5);
                 segment.requested_bytes = amount(rows, 6);
                 segment.stream = words_.stream(amount(rows, 7));
                 segment.pool = pool(rows, 8);
                 segment.type = string(rows, 9);
                 segment.is_expandable = integer(rows, 10) != 0;
                 segment.stack = stack(rows, 11);
                 snapshot_.segments.push_back(segment);
                 segments_.add(integer(rows, 0));
             });
    }

    /// Reads the blocks, which the table lists segment by segment. Counts blocks that break this order or have no segment.
    void read_blocks() {
        std::uint64_t astray = 0;
        std::uint32_t current = 0;
        each("blocks", {"segment_id", "address", "size", "requested", "state", "stack_id"},
             [&](const sqlite::SqliteRows& rows) {
                 const std::uint32_t place = segments_.find(integer(rows, 0, -1));
                 if (place == k_no_place || place < current) {
                     ++astray;
                     return;
                 }
                 current = place;
                 Segment& segment = snapshot_.segments[place];
                 if (segment.block_count == 0) segment.first_block = static_cast<std::uint32_t>(snapshot_.blocks.size());
                 ++segment.block_count;
                 snapshot_.blocks.push_back(
                     {amount(rows, 1), amount(rows, 2), amount(rows, 3),
                      named(rows.text(4),
                            {BlockState::active_allocated, BlockState::active_pending_free, BlockState::inactive},
                            block_state_name),
                      stack(rows, 5)});
             });
        if (astray > 0) {
            snapshot_.log.add("block_outside_segments", {.count = astray},
                              {"blocks in segments that the file does not list"});
        }
    }

    void read_annotations() {
        each("annotations", {"device", "name", "stage", "time_us"}, [&](const sqlite::SqliteRows& rows) {
            snapshot_.annotations.push_back({string(rows, 1), string(rows, 2), static_cast<std::int32_t>(integer(rows, 0)),
                                             integer(rows, 3, k_no_time)});
        });
    }

    void read_settings() {
        each("settings", {"key", "value"},
             [&](const sqlite::SqliteRows& rows) { snapshot_.settings.emplace_back(rows.text(0), rows.text(1)); });
    }

    /// If the addresses of free_requested events are missing, assigns the k-th such event to the k-th row of pending_frees.
    void read_free_requests() {
        const auto has_request_address = [](const DeviceTrace& trace) {
            for (std::size_t i = 0; i < trace.events.size(); ++i) {
                if (trace.events.action[i] == Action::free_requested) return trace.events.address[i] != 0;
            }
            return true;
        };
        if (std::ranges::all_of(snapshot_.devices, has_request_address)) return;
        each("pending_frees", {"device", "allocation_id"}, [&](const sqlite::SqliteRows& rows) {
            Device& device = clone(trace(rows, 0));
            const std::uint32_t place = device.allocations.find(integer(rows, 1, -1));
            if (place != k_no_place) device.waited.emplace_back(place);
        });
        for (DeviceTrace& trace : snapshot_.devices) {
            const std::vector<AllocationId>& waited = clone(trace).waited;
            for (std::uint32_t i = 0; i < trace.events.size() && trace.free_requests.size() < waited.size(); ++i) {
                if (trace.events.action[i] != Action::free_requested || trace.events.address[i] != 0) continue;
                trace.free_requests.push_back({EventId{i}, waited[trace.free_requests.size()]});
            }
        }
    }

    /// Number of changes at the end of the recording that have no event.
    static std::uint32_t unseen_at_the_end(const DeviceTrace& trace, const Device& device) {
        const auto is_seen = [&](const auto& change) {
            const auto& [step, begins, id] = change;
            return (begins ? trace.allocations.alloc_event : trace.allocations.free_event)[id].is_some();
        };
        const auto last_seen = std::find_if(device.changes.rbegin(), device.changes.rend(), is_seen);
        return static_cast<std::uint32_t>(
            std::min<std::size_t>(static_cast<std::size_t>(last_seen - device.changes.rbegin()), trace.actions.size()));
    }

    /// Restores the order in which allocations begin and end. At the same step, ends come first, because the end of an
    /// allocation is stored as the step after it.
    void finish(DeviceTrace& trace) {
        Device& device = clone(trace);
        const auto count = static_cast<std::uint64_t>(trace.allocations.size());
        const std::uint64_t actions = device.ticks < 2 ? count + device.frees : device.ticks - 2;
        const std::uint64_t starts = actions - std::min<std::uint64_t>(device.frees, actions);
        trace.allocations_are_given = true;
        trace.initial_count = static_cast<std::uint32_t>(count - std::min(starts, count));
        // Two allocations end at the same step only after the point where the original file was cut off. There they end from
        // the top of the picture down.
        std::ranges::sort(device.changes, {}, [](const auto& change) {
            const auto& [step, begins, id] = change;
            return std::tuple(step, begins, begins ? id : ~id);
        });
        for (const auto& [step, begins, id] : device.changes) {
            if (!begins || id >= trace.initial_count) trace.actions.push_back(AllocationId{id});
        }
        if (std::ranges::find(trace.allocations.origin, Origin::unplaced) != trace.allocations.origin.end()) {
            trace.cut_off = CutOff::in_the_events;
            trace.unseen_actions = trace.events.size() > 0 ? unseen_at_the_end(trace, device) : 0;
        }
        const bool has_segments =
            std::ranges::find(snapshot_.segments, trace.device, &Segment::device) != snapshot_.segments.end();
        const bool has_events = device.ticks == 0 || device.has_reserved;
        if (has_segments) trace.reserved_known = has_events ? ReservedKnown::throughout : ReservedKnown::at_end;
    }

    sqlite::SqliteFile& file_;
    Snapshot& snapshot_;
    SnapshotWords words_;
    std::map<std::int32_t, Device> devices_;
    std::vector<std::tuple<std::int64_t, std::string, std::string>> notes_;  ///< tuples of device, key and value
    std::unordered_map<std::int64_t, StackId, KeyedHash> stacks_;
    RowPlaces segments_;
    std::map<std::string, std::uint16_t, std::less<>> pools_;
    std::map<std::array<StringId, 5>, MetadataId> metadata_;
    MetadataId last_metadata_;
};

}  // namespace

bool is_exported_snapshot(const sqlite::SqliteFile& file) {
    return has_all_tables(file, {"allocations", "events", "import_log"});
}

void read_exported_snapshot(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot, LoadedFile&) {
    ExportedReader(*file, snapshot).run();
}

}  // namespace snapviewer::profilers
