#include "core/load/pytorch/object_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "core/base/context.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/load/bytes/sources.h"
#include "core/trace/snapshot.h"

namespace snapviewer::pytorch {
namespace {

constexpr std::size_t k_max_named_keys = 100;  // maximum number of unknown keys that are logged one by one
constexpr std::string_view k_begin_word = " begin", k_end_word = " end";

/// Returns the positions of the pairs that apply: the last pair of each key, in the order of the file. Ignores keys that are
/// not strings.
std::vector<std::size_t> last_of_each_key(std::span<const Value> pairs) {
    std::vector<std::pair<std::uint64_t, std::size_t>> places;  // pairs of key and position
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
        if (pairs[i].kind == Value::Kind::string) places.emplace_back(pairs[i].bits, i);
    }
    std::ranges::sort(places);
    std::vector<std::size_t> last;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (i + 1 == places.size() || places[i + 1].first != places[i].first) last.push_back(places[i].second);
    }
    std::ranges::sort(last);
    return last;
}

/// Makes a snapshot. A file may contain the snapshots of several ranks: a dict by rank, or a list in their order.
class SnapshotFinisher {
    using Kind = ObjectTable::Dict::Kind;
    using List = ObjectTable::List;

public:
    explicit SnapshotFinisher(ObjectBuilder& builder)
        : builder_(builder), table_(builder.table()), damage_(builder.damage()), snapshot_(builder.snapshot()) {}

    std::unique_ptr<Snapshot> finish(Value root) {
        if (is_snapshot(root)) {
            finish_snapshot(root);
        } else {
            finish_ranks(root);
        }
        std::ranges::sort(snapshot_.devices, {},
                          [](const DeviceTrace& trace) { return std::pair(trace.device < 0, std::abs(trace.device)); });
        renumber_stacks(snapshot_);
        report_keys();
        report_devices();
        if (left_out_ > 0) snapshot_.log.add("host_left_out", {.count = left_out_}, {first_left_out_});
        return std::move(table_.snapshot);
    }

    std::unique_ptr<Snapshot> finish_events(std::span<const Value> roots) {
        std::uint32_t count = 0;
        for (const Value root : roots) {
            check_events(builder_, root);
            count += table_.list(root).count;
        }
        DeviceTrace& trace = device_trace(0);
        trace.events = take_events(0, count);
        report_keys();
        return std::move(table_.snapshot);
    }

private:
    // ------------------------------------------------------------------------------------- interpreting the outermost value

    /// True for a dict with traces or segments, and for the bare list of segments of old versions.
    bool is_snapshot(Value value) {
        return table_.is_run(value, Kind::segment) || table_.find(value, key_id("device_traces")) != nullptr ||
               table_.find(value, key_id("segments")) != nullptr;
    }

    void finish_ranks(Value root) {
        std::vector<std::pair<std::string, Value>> ranks;  // pairs of name and snapshot
        const std::span<const Value> items = table_.items(root);
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (is_snapshot(items[i])) ranks.emplace_back(std::to_string(i), items[i]);
        }
        const std::span<const Value> pairs = table_.pairs(root);
        for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
            if (is_snapshot(pairs[i + 1])) ranks.emplace_back(rank_of_key(pairs[i], ranks.size()), pairs[i + 1]);
        }
        if (ranks.empty()) refuse_root(root);
        for (const auto& [name, value] : ranks) {
            rank_ = name;
            rank_devices_.clear();
            finish_snapshot(value);
        }
        rank_.clear();
    }

    [[noreturn]] void refuse_root(Value root) const {
        const std::string what = table_.description(root);
        if (root.kind == Value::Kind::list) bytes::fail("holds " + what + ", but not a list of memory segments");
        if (root.kind != Value::Kind::dict)
            bytes::fail("holds a single value, " + what + "; expected a memory snapshot, which is a dict");
        bytes::fail("is not a memory snapshot but " + what + "; expected 'device_traces' or 'segments' in it");
    }

    /// Returns the name of a rank: a number, or the number at the end of a text (3, "3", "rank_3"), else its place.
    std::string rank_of_key(Value key, std::size_t place) const {
        if (key.kind == Value::Kind::integer) return std::to_string(static_cast<std::int64_t>(key.bits));
        if (key.kind == Value::Kind::string) {
            const std::string_view text = table_.text(key);
            const std::string_view digits = text.substr(text.find_last_not_of("0123456789") + 1);
            if (const auto number = parse_number<std::uint32_t>(digits)) return std::to_string(*number);
        }
        return std::to_string(place);
    }

    void finish_snapshot(Value value) {
        if (value.kind == Value::Kind::list) {  // torch.cuda.memory_snapshot() of old versions: the segments alone
            finish_segments(value);
            return;
        }
        const std::uint32_t damages_before = damage_.count();
        if (const Value* segments = table_.find(value, key_id("segments"))) finish_segments(*segments);
        const bool are_segments_whole = damage_.count() == damages_before;
        if (const Value* traces = table_.find(value, key_id("device_traces"))) finish_traces(*traces);
        const std::span<const Value> pairs = table_.pairs(value);
        for (const std::size_t i : last_of_each_key(pairs)) {
            try {
                finish_root_key(pairs[i], pairs[i + 1]);
            } catch (Failure& failure) {
                damage_.add(damage_.located(failure), {});
            }
        }
        if (damage_.count() == 0 || !are_segments_whole) return;
        for (DeviceTrace& trace : snapshot_.devices) {
            if (trace.device >= 0 && trace.cut_off == CutOff::unknown) trace.cut_off = CutOff::behind;
        }
    }

    void finish_root_key(Value key, Value value) {
        switch (key.index()) {
            case key_id("device_traces"):
            case key_id("segments"): return;
            case key_id("host_segments"): finish_host_segments(value); return;
            case key_id("host_traces"): finish_host_traces(value); return;
            case key_id("allocator_settings"): finish_settings(value); return;
            case key_id("external_annotations"): finish_annotations(value); return;
            default: break;
        }
        const std::string name(table_.text(key));
        add_setting(name, value);
        if (++unknown_root_keys_ <= k_max_named_keys) snapshot_.log.add("unknown_root_key", {.subject = name}, {name});
    }

    void finish_settings(Value settings) {
        if (!table_.is_row(settings, Kind::other)) {
            add_setting("allocator_settings", settings);
            return;
        }
        const std::span<const Value> pairs = table_.pairs(settings);
        for (const std::size_t i : last_of_each_key(pairs)) add_setting(table_.text(pairs[i]), pairs[i + 1]);
    }

    void add_setting(std::string_view name, Value value) {
        std::pair<std::string, std::string> setting(name, table_.json(value));
        // The ranks of a job usually have the same settings.
        if (!rank_.empty() && std::ranges::find(snapshot_.settings, setting) != snapshot_.settings.end()) return;
        snapshot_.settings.push_back(std::move(setting));
    }

    void finish_annotations(Value annotations) {
        if (annotations.kind != Value::Kind::list) bytes::fail("'external_annotations' is not a list");
        for (const Value item : table_.items(annotations)) {
            if (item.kind != Value::Kind::dict) bytes::fail("'external_annotations' holds something that is not a dict");
            check_stop();
            if (table_.dict(item).kind != Kind::other || table_.dict(item).row == ObjectTable::k_none) continue;
            Annotation annotation;
            if (const Value* name = table_.find(item, key_id("name"))) annotation.name = name->as_string("name");
            if (const Value* stage = table_.find(item, key_id("stage"))) annotation.stage = stage->as_string("stage");
            if (const Value* device = table_.find(item, key_id("device")))
                annotation.device = annotated_device(static_cast<std::int32_t>(device->as_integer("device")));
            if (const Value* time = table_.find(item, key_id("time_us")))
                annotation.time_us = static_cast<std::int64_t>(time->as_integer("time_us"));
            snapshot_.annotations.push_back(annotation);
        }
    }

    // ------------------------------------------------------------------------------------------------ numbering devices

    /// Returns the number under which a device of the current rank is shown: its own, unless another rank uses it.
    std::int32_t shown_device(std::int32_t device) {
        if (rank_.empty()) return device;
        const auto [number, is_new] = rank_devices_.try_emplace(device, device);
        if (!is_new) return number->second;
        std::int32_t furthest = device < 0 ? 0 : -1;
        bool is_taken = false;
        for (const DeviceTrace& trace : snapshot_.devices) {
            is_taken |= trace.device == device;
            if ((trace.device < 0) == (device < 0))
                furthest = device < 0 ? std::min(furthest, trace.device) : std::max(furthest, trace.device);
        }
        if (is_taken) number->second = furthest + (device < 0 ? -1 : 1);
        return number->second;
    }

    /// Returns the device to which an annotation of the current rank belongs. If the rank uses only one device, annotations
    /// belong to it regardless of their own number.
    std::int32_t annotated_device(std::int32_t device) {
        const auto known = rank_devices_.find(device);
        if (known != rank_devices_.end()) return known->second;
        const auto first = rank_devices_.lower_bound(0);
        const bool is_only = first != rank_devices_.end() && std::next(first) == rank_devices_.end();
        return is_only ? first->second : shown_device(device);
    }

    DeviceTrace& device_trace(std::int32_t device) {
        device = shown_device(device);
        const auto known = std::ranges::find(snapshot_.devices, device, &DeviceTrace::device);
        if (known != snapshot_.devices.end()) return *known;
        if (snapshot_.devices.size() >= limits::k_devices) bytes::fail("more than 1024 devices");
        DeviceTrace& trace = snapshot_.devices.emplace_back();
        trace.device = device;
        trace.rank = rank_;
        trace.is_host = device < 0;
        if (trace.is_host) trace.part = k_pinned_host_part;
        return trace;
    }

    // ----------------------------------------------------------------------------------- making traces from lists of events

    void finish_traces(Value traces) {
        if (traces.kind != Value::Kind::list) bytes::fail("'device_traces' is not a list");
        if (table_.list(traces).kind == List::Kind::run)
            bytes::fail("'device_traces' is not a list of traces, one list per device");
        const std::span<const Value> per_device = table_.items(traces);
        for (std::size_t number = 0; number < per_device.size(); ++number) {
            if (number % 1024 == 0) check_stop();
            finish_trace(per_device[number], number);
        }
    }

    void finish_trace(Value trace, std::size_t number) {
        const std::string context = "trace of device " + std::to_string(number);
        if (trace.kind != Value::Kind::list)
            bytes::fail("'device_traces' is not a list of traces, one list per device", {}, context);
        List& list = table_.list(trace);
        if (list.kind == List::Kind::empty) return;
        if (list.is_taken) bytes::fail("two devices share one trace", {}, context);
        const Damage::WholeRows rows =
            damage_.whole_rows(trace, Kind::event, "holds something in a trace that is not an event", context);
        list.is_taken = true;
        DeviceTrace& device = device_trace(static_cast<std::int32_t>(std::min<std::size_t>(number, 0x7FFFFFFE)));
        if (rows.count > 0) device.events = take_events(list.first, rows.count);
        if (!rows.is_all) device.cut_off = CutOff::in_the_events;
        add_marks(device);
    }

    EventColumns take_events(std::uint32_t first, std::uint32_t count) {
        // Two lists may mention one event, and the events of the first list may have been moved out.
        if (std::size_t{first} + count > table_.events.size()) bytes::fail("two devices share one trace");
        if (first == 0 && count == table_.events.size()) return std::move(table_.events);
        return table_.events.slice(first, count);
    }

    /// Adds the ranges of PaddlePaddle. It writes them as events without an address: "gstep 3 begin" and "gstep 3 end".
    void add_marks(const DeviceTrace& trace) {
        for (std::size_t event = 0; event < trace.events.size(); ++event) {
            const MetadataId metadata = trace.events.metadata[event];
            if (trace.events.action[event] != Action::annotate || trace.events.address[event] != 0 || !metadata.is_some())
                continue;
            std::string_view name = snapshot_.strings.view(snapshot_.metadata[metadata.value].user_metadata);
            const bool is_start = name.ends_with(k_begin_word);
            if (!is_start && !name.ends_with(k_end_word)) continue;
            name.remove_suffix(is_start ? k_begin_word.size() : k_end_word.size());
            snapshot_.annotations.push_back({snapshot_.strings.intern(std::string(name)),
                                             snapshot_.strings.intern(is_start ? "START" : "END"), trace.device,
                                             trace.events.time_us[event]});
        }
    }

    // ------------------------------------------------------------------------------------------- making segments and blocks

    void finish_segments(Value segments) {
        if (segments.kind != Value::Kind::list) bytes::fail("'segments' is not a list");
        List& list = table_.list(segments);
        if (list.kind == List::Kind::empty) return;
        if (std::exchange(list.is_taken, true)) bytes::fail("two ranks share one list of segments");
        const Damage::WholeRows rows =
            damage_.whole_rows(segments, Kind::segment, "holds something in 'segments' that is not a segment", {});
        for (std::uint32_t row = list.first; row < list.first + rows.count; ++row) {
            const Value blocks{Value::Kind::list, table_.segment_block_lists[row]};
            const std::string context = "segment " + std::to_string(snapshot_.segments.size());
            const bool is_damaged =
                blocks.index() != ObjectTable::k_none &&
                !damage_.whole_rows(blocks, Kind::block, "holds something in 'blocks' that is not a block", context).is_all;
            if (is_damaged) return;
            finish_segment(table_.segments[row], blocks);
        }
    }

    /// Adds a segment with the blocks of a list, whose index may be k_none.
    void finish_segment(Segment segment, Value blocks) {
        if (segment.stream == ObjectTable::k_no_stream) segment.stream = builder_.interner().stream(0);
        segment.first_block = static_cast<std::uint32_t>(snapshot_.blocks.size());
        if (blocks.index() != ObjectTable::k_none && !builder_.is_empty(blocks)) {
            const std::string context = "segment " + std::to_string(snapshot_.segments.size());
            List& list = table_.list(blocks);
            damage_.check_list(blocks, Kind::block, "'blocks' holds something that is not a block", context);
            if (list.is_taken) bytes::fail("two segments share one list of blocks", {}, context);
            damage_.check_rows(Kind::block, list.first, list.count, context);
            list.is_taken = true;
            add_blocks(segment, std::span(table_.blocks).subspan(list.first, list.count));
        }
        segment.device = device_trace(segment.device).device;
        check_stop();
        snapshot_.segments.push_back(segment);
    }

    void add_blocks(Segment& segment, std::span<const ObjectTable::BlockRow> rows) {
        segment.block_count = static_cast<std::uint32_t>(rows.size());
        std::uint64_t address = segment.address;
        for (const ObjectTable::BlockRow& row : rows) {
            Block block = row.block;
            if (!row.has_frames && row.has_history) {
                block.requested_bytes = row.history_bytes;
                block.stack = row.history_stack;
            } else if (!row.has_requested) {
                block.requested_bytes = block.size_bytes;
            }
            block.address = address;
            address += block.size_bytes;
            snapshot_.blocks.push_back(block);
        }
    }

    // ------------------------------------------------------------------------------ making the device of pinned host memory

    // Impossible rows of pinned host memory are left out one by one, because their form differs between versions of PyTorch.

    void leave_out(const std::string& why, std::uint64_t count = 1) {
        check_stop();
        if (left_out_ == 0) first_left_out_ = why;
        left_out_ += count;
    }

    /// Calls `work`. If it throws a Failure about the content of the file, counts a row that is left out.
    template <typename Work>
    void leaving_out_damage(Work work) {
        try {
            work();
        } catch (Failure& failure) {
            leave_out(damage_.located(failure).message);
        }
    }

    void finish_host_traces(Value traces) {
        leaving_out_damage([&] {
            if (traces.kind != Value::Kind::list) bytes::fail("'host_traces' is not a list");
            const std::span<const Value> items = table_.items(traces);
            const bool is_of_one_host =
                table_.list(traces).kind == List::Kind::run || (!items.empty() && items.front().kind == Value::Kind::dict);
            if (is_of_one_host) {
                finish_host_trace(traces, 0);
                return;
            }
            std::size_t number = 0;
            for (const Value item : items) {
                leaving_out_damage([&] {
                    if (item.kind != Value::Kind::list) bytes::fail("'host_traces' holds something that is not a list");
                    finish_host_trace(item, number++);
                });
            }
        });
    }

    void finish_host_trace(Value trace, std::size_t number) {
        List& list = table_.list(trace);
        if (list.is_taken) bytes::fail("two devices share one trace");
        const std::vector<std::uint32_t> rows = host_events(trace);
        if (rows.empty()) return;
        list.is_taken = true;
        DeviceTrace& device = device_trace(-1 - static_cast<std::int32_t>(std::min<std::size_t>(number, 0x7FFFFFFE)));
        device.events = {};
        device.events.reserve(rows.size());
        for (const std::uint32_t row : rows) device.events.push(table_.events.row(row));
    }

    /// Returns the rows of a list that are possible events.
    std::vector<std::uint32_t> host_events(Value trace) {
        static constexpr const char* k_no_event = "a trace holds something that is not an event";
        std::vector<std::uint32_t> rows;
        const auto take = [&](std::uint32_t row) {
            leaving_out_damage([&] {
                damage_.check_rows(Kind::event, row, 1, {});
                if (row >= table_.events.size()) bytes::fail("two devices share one trace");
                const Action action = table_.events.action[row];
                const bool is_of_block =
                    action == Action::alloc || action == Action::free_requested || action == Action::free_completed;
                if (is_of_block && table_.events.address[row] == 0) bytes::fail("an event has no address");
                rows.push_back(row);
            });
        };
        if (const Damage::Strays* strays = damage_.strays(trace)) leave_out(k_no_event, strays->count);
        if (table_.is_run(trace, Kind::event)) {
            const List list = table_.list(trace);
            for (std::uint32_t row = list.first; row < list.first + list.count; ++row) take(row);
        }
        for (const Value item : table_.items(trace)) {
            if (table_.is_row(item, Kind::event)) {
                take(table_.dict(item).row);
            } else {
                leave_out(k_no_event);
            }
        }
        return rows;
    }

    void finish_host_segments(Value segments) {
        leaving_out_damage([&] {
            if (segments.kind != Value::Kind::list) bytes::fail("'host_segments' is not a list");
            if (std::exchange(table_.list(segments).is_taken, true)) bytes::fail("two ranks share one list of segments");
            if (const Damage::Strays* strays = damage_.strays(segments))
                leave_out("'host_segments' holds something that is not a segment", strays->count);
            const List list = table_.list(segments);
            const bool are_segments = table_.is_run(segments, Kind::segment);
            if (are_segments || table_.is_run(segments, Kind::block)) {
                for (std::uint32_t row = list.first; row < list.first + list.count; ++row)
                    leaving_out_damage([&] { finish_host_segment(are_segments ? row : builder_.add_segment_like(row)); });
            }
            for (const Value item : table_.items(segments))
                leaving_out_damage([&] { finish_host_segment(builder_.as_segment(item)); });
        });
    }

    void finish_host_segment(std::uint32_t row) {
        damage_.check_rows(Kind::segment, row, 1, {});
        Segment segment = table_.segments[row];
        const auto found = table_.flat_segments.find(row);
        const auto flat = found == table_.flat_segments.end() ? ObjectTable::FlatSegment{} : found->second;
        if (segment.total_bytes == 0) segment.total_bytes = flat.size_bytes.value_or(0);
        if (segment.address == 0 || segment.total_bytes == 0) bytes::fail("a segment has no address or no size");
        segment.device = -1 - segment.device;
        if (!segment.type.is_some()) segment.type = snapshot_.strings.intern("large");
        const Value blocks{Value::Kind::list, table_.segment_block_lists[row]};
        finish_segment(segment, blocks);
        if (blocks.index() != ObjectTable::k_none) return;
        snapshot_.segments.back().block_count = 1;
        snapshot_.blocks.push_back(only_block(snapshot_.segments.back(), flat));
    }

    /// Returns the only block of a segment without a list of blocks.
    static Block only_block(const Segment& segment, const ObjectTable::FlatSegment& flat) {
        const bool is_allocated = flat.is_allocated.value_or(segment.allocated_bytes > 0);
        const bool is_active = flat.is_active.value_or(segment.active_bytes > 0);
        const BlockState assumed = is_allocated ? BlockState::active_allocated
                                   : is_active  ? BlockState::active_pending_free
                                                : BlockState::inactive;
        return {segment.address, segment.total_bytes,
                segment.requested_bytes > 0 ? segment.requested_bytes : segment.total_bytes,
                flat.block_state.value_or(assumed), segment.stack};
    }

    // ------------------------------------------------------------------------------------------ reporting in the import log

    static ImportCode unknown_key_code(Kind kind) {
        switch (kind) {
            case Kind::event: return "unknown_event_key";
            case Kind::frame: return "unknown_frame_key";
            case Kind::segment: return "unknown_segment_key";
            default: return "unknown_block_key";
        }
    }

    void report_keys() {
        const UnexpectedKeys& odd = builder_.unexpected_keys();
        std::size_t named = 0;
        for (const auto& [which, count] : odd.unknown) {
            if (named++ >= k_max_named_keys) break;
            const std::string_view key = snapshot_.strings.view(StringId{which.second});
            snapshot_.log.add(unknown_key_code(which.first), {.subject = key, .count = count}, {key});
        }
        if (odd.unknown.size() > k_max_named_keys)
            snapshot_.log.add("unknown_keys", {.count = odd.unknown.size() - k_max_named_keys + odd.more_unknown});
        if (unknown_root_keys_ > k_max_named_keys)
            snapshot_.log.add("unknown_keys", {.count = unknown_root_keys_ - k_max_named_keys});
        if (odd.duplicates > 0) {
            snapshot_.log.add("duplicate_key", {.count = odd.duplicates},
                              {snapshot_.strings.view(StringId{odd.first_duplicate})});
        }
    }

    /// Reports devices that have events but no segments, if other devices have segments.
    void report_devices() {
        if (snapshot_.segments.empty()) return;
        for (const DeviceTrace& trace : snapshot_.devices) {
            const bool has_segments =
                std::ranges::find(snapshot_.segments, trace.device, &Segment::device) != snapshot_.segments.end();
            if (trace.events.size() > 0 && !has_segments) snapshot_.log.add("device_without_segments", {}, {trace.device});
        }
    }

    ObjectBuilder& builder_;
    ObjectTable& table_;
    Damage& damage_;
    Snapshot& snapshot_;
    std::string rank_;  ///< Rank whose snapshot is being finished; empty if the file contains one snapshot
    std::map<std::int32_t, std::int32_t> rank_devices_;  ///< Numbers under which the devices of that rank are shown
    std::uint64_t unknown_root_keys_ = 0;
    std::uint64_t left_out_ = 0;  ///< Number of rows of pinned host memory that are left out
    std::string first_left_out_;  ///< Why the first row of them is left out
};

// ------------------------------------------------------------------------------------ completing snapshots that are cut off

/// Returns the number of traces that have begun in an outermost object, the last one perhaps incomplete. Returns nullopt
/// unless the input broke off in the traces, behind all segments.
std::optional<std::size_t> count_begun_traces(const ObjectTable& table, Value root) {
    const std::span<const Value> pairs = table.pairs(root);
    if (pairs.size() < 2 || !pairs[pairs.size() - 2].is_key(key_id("device_traces"))) return std::nullopt;
    bool has_segments = false;
    for (std::size_t i = 0; i + 2 < pairs.size(); i += 2) has_segments |= pairs[i].is_key(key_id("segments"));
    if (!has_segments || pairs.back().kind != Value::Kind::list) return std::nullopt;
    return table.items(pairs.back()).size();
}

/// Marks the traces that may be incomplete. A snapshot contains traces one after another, so all traces before the last one
/// that has begun are complete.
void mark_cut_off(Snapshot& snapshot, std::size_t begun_traces) {
    for (DeviceTrace& trace : snapshot.devices) {
        if (trace.device < 0) continue;
        if (static_cast<std::size_t>(trace.device) + 1 >= begun_traces) trace.cut_off = CutOff::in_the_events;
        if (trace.cut_off == CutOff::unknown) trace.cut_off = CutOff::behind;
    }
}

/// Combines the failure of a snapshot with the failure of the damaged container that it came from.
Failure joined(const Failure& damage, const Failure& of_container) {
    Failure both = of_container;
    if (damage.error.message == of_container.error.message) return both;
    both.error.context += fmt::format("{}what comes out of it {}", both.error.context.empty() ? "" : "; ", damage.text());
    return both;
}

}  // namespace

std::unique_ptr<Snapshot> finish_objects(ObjectBuilder& builder, Value root, std::optional<Failure> cut,
                                         const std::optional<Failure>& behind) {
    const std::optional<std::size_t> begun_traces = cut ? count_begun_traces(builder.table(), root) : std::nullopt;
    std::unique_ptr<Snapshot> snapshot;
    try {
        snapshot = SnapshotFinisher(builder).finish(root);
    } catch (const Failure&) {
        if (!cut) throw;
        throw Failure(*cut);
    }
    if (begun_traces) mark_cut_off(*snapshot, *begun_traces);
    if (cut && behind) cut = joined(*cut, *behind);
    const std::optional<Failure>& damage = cut ? cut : builder.damage().first();
    if (damage) {
        std::size_t event_count = 0;
        for (const DeviceTrace& trace : snapshot->devices) event_count += trace.events.size();
        if (event_count + snapshot->segments.size() == 0) throw Failure(*damage);
        const bool is_cut_in_events =
            std::ranges::find(snapshot->devices, CutOff::in_the_events, &DeviceTrace::cut_off) != snapshot->devices.end();
        const char* const rest = is_cut_in_events
                                     ? "Blocks that no event allocates are drawn hatched after the last event, because it "
                                       "is unknown when they were allocated"
                                     : "An allocation whose events are lost is drawn from the beginning or up to the end";
        snapshot->log.add("cut_short", {.offset = damage->error.offset},
                          {damage->text(), fmt::format("{} and {}. {}", counted(event_count, "event"),
                                                       counted(snapshot->segments.size(), "segment"), rest)});
    } else if (behind) {
        snapshot->log.add("damaged_packing", {.offset = behind->error.offset}, {behind->text()});
    }
    return snapshot;
}

void check_events(ObjectBuilder& builder, Value root) {
    if (root.kind != Value::Kind::list) bytes::fail("is not a list of events");
    if (builder.is_empty(root)) return;
    const ObjectTable::List& list = builder.table().list(root);
    builder.damage().check_list(root, Damage::Kind::event, "holds something that is not an event", {});
    builder.damage().check_rows(Damage::Kind::event, list.first, list.count, {});
}

std::unique_ptr<Snapshot> finish_events(ObjectBuilder& builder, std::span<const Value> roots) {
    return SnapshotFinisher(builder).finish_events(roots);
}

}  // namespace snapviewer::pytorch
