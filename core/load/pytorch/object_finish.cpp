#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "core/base/context.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/load/bytes/limits.h"
#include "core/load/pytorch/object_builder.h"
#include "core/trace/normalisation.h"

/// The second half of ObjectBuilder: from rows and the outermost object to a Snapshot.
namespace snapviewer {
namespace {

constexpr std::size_t k_most_named = 100;       // maximum number of unknown keys that are named
constexpr std::size_t k_most_in_words = 5;      // maximum number of keys in the description of a wrong file
constexpr std::size_t k_longest_in_words = 40;  // maximum bytes of a text in that description
constexpr std::string_view k_begin_word = " begin", k_end_word = " end";

}  // namespace

std::unique_ptr<Snapshot> ObjectBuilder::finish(Value root) {
    finish_root(root);
    std::ranges::sort(snapshot_->devices, {},
                      [](const DeviceTrace& trace) { return std::pair(trace.device < 0, std::abs(trace.device)); });
    renumber_stacks(*snapshot_);
    report_keys();
    report_devices();
    report_host();
    return std::move(snapshot_);
}

void ObjectBuilder::check_events(Value root) const {
    if (root.kind != Value::Kind::list) fail("is not a list of events");
    const List& list = lists_[root.index()];
    if (list.kind == List::Kind::empty) return;
    need_only(root, Dict::Kind::event, "holds something that is not an event", {});
    need_whole(Dict::Kind::event, list.first, list.count, {});
}

std::unique_ptr<Snapshot> ObjectBuilder::finish_events(std::span<const Value> roots) {
    std::uint32_t count = 0;
    for (const Value root : roots) {
        check_events(root);
        count += lists_[root.index()].count;
    }
    DeviceTrace& trace = device_trace(0);
    trace.events = take_events(0, count);
    report_keys();
    return std::move(snapshot_);
}

/// Positions of the pairs that apply: the last pair of each key, in the order of the file. Ignores keys that are not
/// strings.
std::vector<std::size_t> ObjectBuilder::last_of_each_key(std::span<const Value> pairs) {
    std::vector<std::pair<std::uint64_t, std::size_t>> places;  // key and position
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

std::optional<std::size_t> ObjectBuilder::traces_begun(Value root) const {
    if (root.kind != Value::Kind::dict) return std::nullopt;
    const Dict& dict = dicts_[root.index()];
    if (dict.kind != Dict::Kind::other || dict.row == k_none) return std::nullopt;
    const std::vector<Value>& pairs = dicts_of_pairs_[dict.row];
    const auto is_key = [&](std::size_t i, std::uint32_t key) {
        return pairs[i].kind == Value::Kind::string && pairs[i].index() == key;
    };
    if (pairs.size() < 2 || !is_key(pairs.size() - 2, keys::k_device_traces)) return std::nullopt;
    bool has_segments = false;
    for (std::size_t i = 0; i + 2 < pairs.size(); i += 2) has_segments |= is_key(i, keys::k_segments);
    const Value& traces = pairs.back();
    if (!has_segments || traces.kind != Value::Kind::list) return std::nullopt;
    return items_of(lists_[traces.index()]).size();
}

/// Describes the outermost value of a wrong file.
std::string ObjectBuilder::in_words(Value value) const {
    switch (value.kind) {
        case Value::Kind::none: return "None";
        case Value::Kind::boolean: return "the value " + json_of(value);
        case Value::Kind::integer:
        case Value::Kind::real: return "the number " + json_of(value);
        case Value::Kind::string:
            return "the text " +
                   json_quoted(shortened(snapshot_->strings.view(StringId{value.index()}), k_longest_in_words));
        case Value::Kind::list: return list_in_words(lists_[value.index()]);
        case Value::Kind::dict: break;
    }
    const Dict& dict = dicts_[value.index()];
    if (dict.kind != Dict::Kind::other) return fmt::format("a dict such as the {} of one", unknown_key_of(dict.kind).second);
    if (dict.row == k_none) return "an empty dict";
    const std::vector<Value>& pairs = dicts_of_pairs_[dict.row];
    std::string keys;
    for (std::size_t i = 0; i + 1 < pairs.size() && i < 2 * k_most_in_words; i += 2) {
        const Value key = pairs[i];
        keys += i == 0 ? "" : ", ";
        if (key.kind == Value::Kind::string)
            keys += json_quoted(shortened(snapshot_->strings.view(StringId{key.index()}), k_longest_in_words));
        else
            // Python allows no dicts as keys, but a file may have them
            keys += key.kind == Value::Kind::dict ? "a dict" : in_words(key);
    }
    const std::size_t count = pairs.size() / 2;
    const std::string more = count > k_most_in_words ? fmt::format(" and {} more", count - k_most_in_words) : "";
    return fmt::format("a dict with the key{} {}{}", count == 1 ? "" : "s", keys, more);
}

std::string ObjectBuilder::list_in_words(const List& list) const {
    if (list.kind == List::Kind::empty) return "an empty list";
    if (list.kind == List::Kind::stack) return "a list of frames";
    if (list.kind == List::Kind::run) return fmt::format("a list of {}", unknown_key_of(list.run_of).second);
    const std::size_t count = items_of(list).size();
    return "a list of " + counted(count, "value");
}

void ObjectBuilder::refuse_root(Value root) const {
    if (root.kind == Value::Kind::list) fail("holds " + in_words(root) + ", but not a list of memory segments");
    if (root.kind != Value::Kind::dict)
        fail("holds a single value, " + in_words(root) + "; expected a memory snapshot, which is a dict");
    fail("is not a memory snapshot but " + in_words(root) + "; expected 'device_traces' or 'segments' in it");
}

void ObjectBuilder::finish_root(Value root) {
    if (is_snapshot(root)) {
        finish_snapshot(root);
    } else {
        const std::vector<RankValue> ranks = ranks_in(root);
        if (ranks.empty()) refuse_root(root);
        finish_ranks(ranks);
    }
}

void ObjectBuilder::finish_snapshot(Value value) {
    if (value.kind == Value::Kind::list) {  // torch.cuda.memory_snapshot() of old: the segments alone
        finish_segments(value);
        return;
    }
    const Dict& dict = dicts_[value.index()];
    const std::uint32_t damages_before = damages_;
    if (const Value* segments = find(dict.row, keys::k_segments)) finish_segments(*segments);
    const bool are_segments_whole = damages_ == damages_before;
    if (const Value* traces = find(dict.row, keys::k_device_traces)) finish_traces(*traces);
    const std::vector<Value>& pairs = dicts_of_pairs_[dict.row];
    for (const std::size_t i : last_of_each_key(pairs)) {
        try {
            finish_root_key(pairs[i].index(), pairs[i + 1]);
        } catch (Failure& failure) {
            note_damage_of_device(placed(failure), {});
        }
    }
    if (damages_ == 0 || !are_segments_whole) return;
    for (DeviceTrace& trace : snapshot_->devices) {
        if (trace.device >= 0 && trace.cut_off == CutOff::not_told) trace.cut_off = CutOff::behind;
    }
}

void ObjectBuilder::finish_root_key(std::uint32_t key, Value value) {
    switch (key) {
        case keys::k_device_traces:
        case keys::k_segments: return;
        case keys::k_host_segments: finish_host_segments(value); return;
        case keys::k_host_traces: finish_host_traces(value); return;
        case keys::k_allocator_settings: finish_settings(value); return;
        case keys::k_external_annotations: finish_annotations(value); return;
        default: break;
    }
    const std::string name(snapshot_->strings.view(StringId{key}));
    add_setting(name, value);
    if (++unknown_root_keys_ <= k_most_named) {
        snapshot_->log.add("unknown_root_key", {.subject = name}, {name});
    }
}

void ObjectBuilder::add_setting(std::string_view name, Value value) {
    std::string text = json_of(value);
    std::pair<std::string, std::string> setting(name, std::move(text));
    // The ranks of a job mostly have the same settings.
    check_stop();
    if (!rank_.empty() && std::ranges::find(snapshot_->settings, setting) != snapshot_->settings.end()) return;
    snapshot_->settings.push_back(std::move(setting));
}

DeviceTrace& ObjectBuilder::device_trace(std::int32_t device) {
    device = shown_device(device);
    const auto known = std::ranges::find(snapshot_->devices, device, &DeviceTrace::device);
    if (known != snapshot_->devices.end()) return *known;
    if (snapshot_->devices.size() >= limits::k_devices) fail("more than 1024 devices");
    DeviceTrace& trace = snapshot_->devices.emplace_back();
    trace.device = device;
    trace.rank = rank_;
    trace.is_host = device < 0;
    if (trace.is_host) trace.part = k_pinned_host_part;
    return trace;
}

void ObjectBuilder::finish_traces(Value traces) {
    if (traces.kind != Value::Kind::list) fail("'device_traces' is not a list");
    const List& outer = lists_[traces.index()];
    if (outer.kind == List::Kind::run) fail("'device_traces' is not a list of traces, one list per device");
    const std::span<const Value> per_device = items_of(outer);
    for (std::size_t number = 0; number < per_device.size(); ++number) {
        if (number % 1024 == 0) check_stop();
        finish_trace(per_device[number], number);
    }
}

void ObjectBuilder::finish_trace(Value trace, std::size_t number) {
    const std::string context = "trace of device " + std::to_string(number);
    if (trace.kind != Value::Kind::list) fail("'device_traces' is not a list of traces, one list per device", {}, context);
    List& list = lists_[trace.index()];
    if (list.kind == List::Kind::empty) return;
    if (list.taken) fail("two devices share one trace", {}, context);
    const WholeRows rows = whole_rows(trace, Dict::Kind::event, "holds something in a trace that is not an event", context);
    list.taken = true;
    const auto device = static_cast<std::int32_t>(std::min<std::size_t>(number, 0x7FFFFFFE));
    DeviceTrace& of_device = device_trace(device);
    if (rows.count > 0) of_device.events = take_events(list.first, rows.count);
    if (!rows.is_all) of_device.cut_off = CutOff::in_the_events;
    take_marks(of_device);
}

/// PaddlePaddle has no list of ranges, but pairs of marks: events without an address, "gstep 3 begin" and "gstep 3 end".
void ObjectBuilder::take_marks(const DeviceTrace& trace) {
    for (std::size_t event = 0; event < trace.events.size(); ++event) {
        const MetadataId metadata = trace.events.metadata[event];
        if (trace.events.action[event] != Action::annotate || trace.events.address[event] != 0 || !metadata.is_some())
            continue;
        std::string_view name = snapshot_->strings.view(snapshot_->metadata[metadata.value].user_metadata);
        const bool is_start = name.ends_with(k_begin_word);
        if (!is_start && !name.ends_with(k_end_word)) continue;
        name.remove_suffix(is_start ? k_begin_word.size() : k_end_word.size());
        snapshot_->annotations.push_back({snapshot_->strings.intern(std::string(name)),
                                          snapshot_->strings.intern(is_start ? "START" : "END"), trace.device,
                                          trace.events.time_us[event]});
    }
}

EventColumns ObjectBuilder::take_events(std::uint32_t first, std::uint32_t count) {
    // Two lists may mention one event, and those of the first may be gone.
    if (std::size_t{first} + count > events_.size()) fail("two devices share one trace");
    if (first == 0 && count == events_.size()) return std::move(events_);
    return events_.slice(first, count);
}

void ObjectBuilder::finish_segments(Value segments) {
    if (segments.kind != Value::Kind::list) fail("'segments' is not a list");
    List& list = lists_[segments.index()];
    if (list.kind == List::Kind::empty) return;
    if (std::exchange(list.taken, true)) fail("two ranks share one list of segments");
    const WholeRows rows =
        whole_rows(segments, Dict::Kind::segment, "holds something in 'segments' that is not a segment", {});
    for (std::uint32_t row = list.first; row < list.first + rows.count; ++row) {
        const Value blocks{Value::Kind::list, segment_block_lists_[row]};
        const std::string context = "segment " + std::to_string(snapshot_->segments.size());
        const bool is_whole =
            segment_block_lists_[row] == k_none ||
            whole_rows(blocks, Dict::Kind::block, "holds something in 'blocks' that is not a block", context).is_all;
        if (!is_whole) return;
        finish_segment(segments_[row], row);
    }
}

void ObjectBuilder::finish_segment(Segment segment, std::uint32_t row) {
    const std::string context = "segment " + std::to_string(snapshot_->segments.size());
    if (segment.stream == k_no_stream) segment.stream = stream_of(0);
    segment.first_block = static_cast<std::uint32_t>(snapshot_->blocks.size());
    if (segment_block_lists_[row] != k_none) {
        const Value value{Value::Kind::list, segment_block_lists_[row]};
        List& list = lists_[value.index()];
        if (list.kind != List::Kind::empty) {
            need_only(value, Dict::Kind::block, "'blocks' holds something that is not a block", context);
            if (list.taken) fail("two segments share one list of blocks", {}, context);
            need_whole(Dict::Kind::block, list.first, list.count, context);
            list.taken = true;
            add_blocks(segment, list);
        }
    }
    segment.device = device_trace(segment.device).device;
    check_stop();
    snapshot_->segments.push_back(segment);
}

void ObjectBuilder::add_blocks(Segment& segment, const List& list) {
    segment.block_count = list.count;
    std::uint64_t address = segment.address;
    for (std::uint32_t i = 0; i < segment.block_count; ++i) {
        const BlockRow& from = blocks_[list.first + i];
        Block block = from.block;
        if (!from.has_frames && from.has_history) {
            block.requested_bytes = from.history_bytes;
            block.stack = from.history_stack;
        } else if (!from.has_requested) {
            block.requested_bytes = block.size_bytes;
        }
        block.address = address;
        address += block.size_bytes;
        snapshot_->blocks.push_back(block);
    }
}

void ObjectBuilder::finish_annotations(Value annotations) {
    if (annotations.kind != Value::Kind::list) fail("'external_annotations' is not a list");
    for (const Value item : items_of(lists_[annotations.index()])) {
        if (item.kind != Value::Kind::dict) fail("'external_annotations' holds something that is not a dict");
        const Dict& dict = dicts_[item.index()];
        if (dict.kind != Dict::Kind::other || dict.row == k_none) continue;
        Annotation annotation;
        if (const Value* name = find(dict.row, keys::k_name)) annotation.name = string_of(*name, "name");
        if (const Value* stage = find(dict.row, keys::k_stage)) annotation.stage = string_of(*stage, "stage");
        if (const Value* device = find(dict.row, keys::k_device))
            annotation.device = annotated_device(static_cast<std::int32_t>(integer_of(*device, "device")));
        if (const Value* time = find(dict.row, keys::k_time_us))
            annotation.time_us = static_cast<std::int64_t>(integer_of(*time, "time_us"));
        snapshot_->annotations.push_back(annotation);
    }
}

void ObjectBuilder::finish_settings(Value settings) {
    if (settings.kind != Value::Kind::dict || dicts_[settings.index()].kind != Dict::Kind::other) {
        add_setting("allocator_settings", settings);
        return;
    }
    const Dict& dict = dicts_[settings.index()];
    if (dict.row == k_none) return;
    const std::vector<Value>& pairs = dicts_of_pairs_[dict.row];
    for (const std::size_t i : last_of_each_key(pairs))
        add_setting(snapshot_->strings.view(StringId{pairs[i].index()}), pairs[i + 1]);
}

// ---------------------------------------------------------------------------------------------------- reports

std::pair<ImportCode, const char*> ObjectBuilder::unknown_key_of(Dict::Kind kind) {
    switch (kind) {
        case Dict::Kind::event: return {ImportCode("unknown_event_key"), "events"};
        case Dict::Kind::frame: return {ImportCode("unknown_frame_key"), "frames"};
        case Dict::Kind::segment: return {ImportCode("unknown_segment_key"), "segments"};
        default: return {ImportCode("unknown_block_key"), "blocks"};
    }
}

void ObjectBuilder::report_keys() {
    std::size_t named = 0;
    for (const auto& [which, count] : unknown_keys_) {
        if (named++ >= k_most_named) break;
        const auto [code, kind] = unknown_key_of(which.first);
        const std::string key(snapshot_->strings.view(StringId{which.second}));
        snapshot_->log.add(code, {.subject = key, .count = count}, {key});
    }
    if (named > k_most_named) {
        snapshot_->log.add("unknown_keys", {.count = unknown_keys_.size() - k_most_named + more_unknown_keys_});
    }
    if (unknown_root_keys_ > k_most_named) {
        snapshot_->log.add("unknown_keys", {.count = unknown_root_keys_ - k_most_named});
    }
    if (duplicate_keys_ > 0) {
        snapshot_->log.add("duplicate_key", {.count = duplicate_keys_},
                           {snapshot_->strings.view(StringId{first_duplicate_key_})});
    }
}

/// Reports devices that have events but no segments, if other devices have segments.
void ObjectBuilder::report_devices() {
    if (snapshot_->segments.empty()) return;
    for (const DeviceTrace& trace : snapshot_->devices) {
        const auto is_its_own = [&](const Segment& segment) { return segment.device == trace.device; };
        if (trace.events.size() == 0 || std::ranges::any_of(snapshot_->segments, is_its_own)) continue;
        snapshot_->log.add("device_without_segments", {}, {trace.device});
    }
}

// ---------------------------------------------------------------------------------------------------- JSON text

std::string ObjectBuilder::json_of(Value value) const {
    std::string out;
    write_json(value, 0, out);
    check_stop();
    return out;
}

void ObjectBuilder::write_json(Value value, int depth, std::string& out) const {
    if (out.size() > limits::k_json_text_bytes || depth > limits::k_json_depth) {
        out += "\"...\"";
        return;
    }
    switch (value.kind) {
        case Value::Kind::none: out += "null"; break;
        case Value::Kind::boolean: out += value.bits != 0 ? "true" : "false"; break;
        case Value::Kind::integer: out += std::to_string(static_cast<std::int64_t>(value.bits)); break;
        case Value::Kind::real: {
            const double number = std::bit_cast<double>(value.bits);
            const std::string text = fmt::format("{}", number);
            out += std::isfinite(number) ? text : "\"" + text + "\"";  // NaN and infinities have no JSON
            break;
        }
        case Value::Kind::string: out += json_quoted(snapshot_->strings.view(StringId{value.index()})); break;
        case Value::Kind::list: {
            const List& list = lists_[value.index()];
            out += '[';
            if (list.kind == List::Kind::run) out += fmt::format("\"... {} rows\"", list.count);
            if (list.kind == List::Kind::stack) out += "\"... a stack\"";
            bool first = true;
            for (const Value item : items_of(list)) {
                if (!std::exchange(first, false)) out += ", ";
                if (out.size() > limits::k_json_text_bytes) break;
                write_json(item, depth + 1, out);
            }
            out += ']';
            break;
        }
        case Value::Kind::dict: {
            const Dict& dict = dicts_[value.index()];
            out += '{';
            bool first = true;
            if (dict.kind == Dict::Kind::other && dict.row != k_none) {
                const std::vector<Value>& pairs = dicts_of_pairs_[dict.row];
                for (std::size_t i = 0; i + 1 < pairs.size() && out.size() <= limits::k_json_text_bytes; i += 2) {
                    if (!std::exchange(first, false)) out += ", ";
                    const bool is_string = pairs[i].kind == Value::Kind::string;
                    out +=
                        json_quoted(is_string ? snapshot_->strings.view(StringId{pairs[i].index()}) : std::string_view("?"));
                    out += ": ";
                    write_json(pairs[i + 1], depth + 1, out);
                }
            }
            out += '}';
            break;
        }
    }
}

// The part of ObjectBuilder for files that hold the snapshots of several ranks: a dict by rank, or a list in their order.

/// True for a dict with traces or segments, and for the bare list of segments of old versions.
bool ObjectBuilder::is_snapshot(Value value) {
    if (value.kind == Value::Kind::list) {
        const List& list = lists_[value.index()];
        return list.kind == List::Kind::run && list.run_of == Dict::Kind::segment;
    }
    if (value.kind != Value::Kind::dict) return false;
    const Dict& dict = dicts_[value.index()];
    if (dict.kind != Dict::Kind::other || dict.row == k_none) return false;
    return find(dict.row, keys::k_device_traces) != nullptr || find(dict.row, keys::k_segments) != nullptr;
}

/// The snapshots in a dict or list, in its order; empty if there are none.
std::vector<ObjectBuilder::RankValue> ObjectBuilder::ranks_in(Value root) {
    std::vector<RankValue> ranks;
    if (root.kind == Value::Kind::list) {
        const std::span<const Value> items = items_of(lists_[root.index()]);
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (is_snapshot(items[i])) ranks.push_back({std::to_string(i), items[i]});
        }
        return ranks;
    }
    if (root.kind != Value::Kind::dict || dicts_[root.index()].kind != Dict::Kind::other) return ranks;
    const Dict& dict = dicts_[root.index()];
    if (dict.row == k_none) return ranks;
    const std::span<const Value> pairs = dicts_of_pairs_[dict.row];
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
        if (is_snapshot(pairs[i + 1])) ranks.push_back({rank_of_key(pairs[i], ranks.size()), pairs[i + 1]});
    }
    return ranks;
}

/// A number, or the number at the end of a text: 3, "3", "rank_3". Otherwise the place among the ranks.
std::string ObjectBuilder::rank_of_key(Value key, std::size_t place) const {
    if (key.kind == Value::Kind::integer) return std::to_string(static_cast<std::int64_t>(key.bits));
    if (key.kind == Value::Kind::string) {
        const std::string_view text = snapshot_->strings.view(StringId{key.index()});
        const std::string_view digits = text.substr(text.find_last_not_of("0123456789") + 1);
        if (const auto number = parse_number<std::uint32_t>(digits)) return std::to_string(*number);
    }
    return std::to_string(place);
}

void ObjectBuilder::finish_ranks(const std::vector<RankValue>& ranks) {
    for (const RankValue& rank : ranks) {
        rank_ = rank.name;
        rank_devices_.clear();
        finish_snapshot(rank.value);
    }
    rank_.clear();
}

/// The number under which a device of the current rank is shown: its own, unless another rank uses it.
std::int32_t ObjectBuilder::shown_device(std::int32_t device) {
    if (rank_.empty()) return device;
    const auto [number, is_new] = rank_devices_.try_emplace(device, device);
    if (!is_new) return number->second;
    std::int32_t furthest = device < 0 ? 0 : -1;
    bool is_taken = false;
    for (const DeviceTrace& trace : snapshot_->devices) {
        is_taken |= trace.device == device;
        if ((trace.device < 0) == (device < 0))
            furthest = device < 0 ? std::min(furthest, trace.device) : std::max(furthest, trace.device);
    }
    if (is_taken) number->second = furthest + (device < 0 ? -1 : 1);
    return number->second;
}

/// The device that an annotation of the rank belongs to. If the rank uses only one device, annotations belong to it
/// regardless of their own number.
std::int32_t ObjectBuilder::annotated_device(std::int32_t device) {
    const auto known = rank_devices_.find(device);
    if (known != rank_devices_.end()) return known->second;
    const auto first = rank_devices_.lower_bound(0);
    const bool is_only = first != rank_devices_.end() && std::next(first) == rank_devices_.end();
    return is_only ? first->second : shown_device(device);
}

}  // namespace snapviewer
