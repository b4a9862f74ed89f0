#include "core/load/pytorch/object_builder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/load/bytes/limits.h"
#include "core/trace/stack_table.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_most_unknown_keys = 1000;  // told apart
constexpr std::size_t k_small_dict_values = 64;    // gone through faster than looked up

std::string quoted(std::string_view key) { return std::string("'").append(key).append("'"); }

/// True for None, and for NaN, which some programs write instead.
bool is_absent(Value value) {
    return value.kind == Value::Kind::none ||
           (value.kind == Value::Kind::real && std::isnan(std::bit_cast<double>(value.bits)));
}

/// True if a dict with a state is a segment of pinned host memory: blocks never name their segment.
bool is_flat_segment(std::span<const Value> pairs) {
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
        if (pairs[i].kind != Value::Kind::string) continue;
        const std::uint32_t key = pairs[i].index();
        const bool is_of_segment = key == keys::k_device || key == keys::k_segment_type || key == keys::k_segment_pool_id ||
                                   key == keys::k_allocated || key == keys::k_active || key == keys::k_allocated_size ||
                                   key == keys::k_active_size || key == keys::k_total_size || key == keys::k_blocks;
        if (is_of_segment) return true;
    }
    return false;
}

}  // namespace

ObjectBuilder::ObjectBuilder(Budget& budget) : budget_(budget), snapshot_(std::make_unique<Snapshot>()) {
    for (const std::string_view name : keys::k_names) snapshot_->strings.intern(name);
}

Value ObjectBuilder::new_list() {
    lists_.emplace_back();
    return {Value::Kind::list, lists_.size() - 1};
}

Value ObjectBuilder::new_dict() {
    dicts_.emplace_back();
    dicts_.back().row = k_none;
    return {Value::Kind::dict, dicts_.size() - 1};
}

// ---------------------------------------------------------------------------------------------------- lists

bool ObjectBuilder::extends_run(const List& list, Value item) const {
    if (item.kind != Value::Kind::dict) return false;
    const Dict& dict = dicts_[item.index()];
    const bool is_row = dict.kind == Dict::Kind::event || dict.kind == Dict::Kind::segment || dict.kind == Dict::Kind::block;
    if (list.kind == List::Kind::empty) return is_row;
    return is_row && dict.kind == list.run_of && dict.row == list.first + list.count;
}

void ObjectBuilder::make_ordinary(List& list) {
    if (list.kind == List::Kind::other) return;
    std::vector<Value> values;
    if (list.kind == List::Kind::stack) {
        const std::span<const FrameId> frames = snapshot_->stacks.stack(StackId{list.first});
        check_stop();
        for (const FrameId frame : frames) {
            Value dict = new_dict();
            dicts_.back() = {Dict::Kind::frame, false, frame.value};
            values.push_back(dict);
        }
    }
    list.kind = List::Kind::other;
    list.first = static_cast<std::uint32_t>(lists_of_values_.size());
    lists_of_values_.push_back(std::move(values));
}

void ObjectBuilder::append(Value list_value, std::span<const Value> items) {
    if (list_value.kind != Value::Kind::list) fail_damaged("appends to a value that is not a list");
    List& list = lists_[list_value.index()];
    for (const Value item : items) {
        if (item.kind == Value::Kind::dict && dicts_[item.index()].is_open) settle(item.index());
    }
    std::size_t i = 0;
    if (list.kind == List::Kind::empty || list.kind == List::Kind::run) {
        for (; i < items.size(); ++i) {
            if (!extends_run(list, items[i])) {
                if (list.kind == List::Kind::empty) break;
                note_stray(list_value.index());
                continue;
            }
            if (list.kind == List::Kind::empty) {
                const Dict& first = dicts_[items[i].index()];
                list = {List::Kind::run, first.kind, false, first.row, 0};
                if (first.kind == Dict::Kind::event) event_runs_.push_back(first.row);
            }
            ++list.count;
        }
    }
    if (i == items.size()) return;
    make_ordinary(list);
    count_kept(items.size() - i);
    if (list_value.index() < text_lists_) forget_texts();
    std::vector<Value>& values = lists_of_values_[list.first];
    values.insert(values.end(), items.begin() + static_cast<std::ptrdiff_t>(i), items.end());
}

bool ObjectBuilder::append_event(Value list_value, Value dict) {
    if (list_value.kind != Value::Kind::list || dicts_[dict.index()].kind != Dict::Kind::event) return false;
    const List& list = lists_[list_value.index()];
    if (list.kind != List::Kind::empty && !extends_run(list, dict)) return false;
    append(list_value, {&dict, 1});
    return true;
}

void ObjectBuilder::forget_newer(Numbers mark) {
    lists_.resize(mark.lists);
    strays_.erase(strays_.lower_bound(static_cast<std::uint32_t>(mark.lists)), strays_.end());
    dicts_.resize(mark.dicts);
    lists_of_values_.resize(mark.lists_of_values);
    dicts_of_pairs_.resize(mark.dicts_of_pairs);
    kept_values_ = mark.kept_values;
    forget_texts();
    if (!large_dicts_.empty()) large_dicts_ = {};
}

void ObjectBuilder::count_kept(std::size_t values) {
    kept_values_ += values;
    if (kept_values_ > limits::k_kept_values)
        fail("holds more values that do not belong to a snapshot than any real snapshot");
}

std::span<const Value> ObjectBuilder::items_of(const List& list) const {
    return list.kind == List::Kind::other ? std::span<const Value>(lists_of_values_[list.first]) : std::span<const Value>{};
}

// ---------------------------------------------------------------------------------------------------- dicts

ObjectBuilder::Dict::Kind ObjectBuilder::kind_by_keys(std::span<const Value> pairs) const {
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
        if (pairs[i].kind != Value::Kind::string) continue;
        switch (pairs[i].index()) {
            case keys::k_action: return Dict::Kind::event;
            case keys::k_filename: return Dict::Kind::frame;
            case keys::k_total_size:
            case keys::k_blocks: return Dict::Kind::segment;
            case keys::k_state: return is_flat_segment(pairs) ? Dict::Kind::segment : Dict::Kind::block;
            default: break;
        }
    }
    return Dict::Kind::other;
}

void ObjectBuilder::become(Dict& dict, Dict::Kind kind) {
    dict.kind = kind;
    switch (kind) {
        case Dict::Kind::event:
            dict.row = static_cast<std::uint32_t>(events_.size());
            events_.push({.stream = stream_of(0)});
            break;
        case Dict::Kind::frame: dict.row = k_none; break;
        case Dict::Kind::segment:
            dict.row = static_cast<std::uint32_t>(segments_.size());
            segments_.emplace_back().stream = k_no_stream;
            segment_block_lists_.push_back(k_none);
            break;
        case Dict::Kind::block:
            dict.row = static_cast<std::uint32_t>(blocks_.size());
            blocks_.emplace_back();
            break;
        case Dict::Kind::other:
            dict.row = static_cast<std::uint32_t>(dicts_of_pairs_.size());
            dicts_of_pairs_.emplace_back();
            break;
    }
}

void ObjectBuilder::set_items(Value dict_value, std::span<const Value> pairs) {
    if (dict_value.kind != Value::Kind::dict) fail_damaged("sets a key on a value that is not a dict");
    Dict& dict = dicts_[dict_value.index()];
    if (dict.kind != Dict::Kind::other) {
        set_fields(dict, pairs);
        return;
    }
    const Dict::Kind kind = kind_by_keys(pairs);
    const bool is_new = dict.row == k_none;
    if (kind == Dict::Kind::other) {
        keep_pairs(dict, pairs);
        return;
    }
    if (is_new && kind == Dict::Kind::event) {
        add_event(dict, pairs);
        return;
    }
    std::vector<Value> earlier;
    if (!is_new) earlier.swap(dicts_of_pairs_[dict.row]);
    become(dict, kind);
    if (!earlier.empty()) set_fields(dict, earlier);
    set_fields(dict, pairs);
}

/// Most of a snapshot: an event whose fields come all at once. Its row is made in one go.
void ObjectBuilder::add_event(Dict& dict, std::span<const Value> pairs) {
    EventRow row{.stream = stream_of(0)};
    dict.kind = Dict::Kind::event;
    dict.row = static_cast<std::uint32_t>(events_.size());
    try {
        row.metadata = set_event_fields(row, pairs, {});
    } catch (Failure& failure) {
        note_damage(dict.kind, dict.row, failure);
    }
    events_.push(row);
}

void ObjectBuilder::keep_pairs(Dict& dict, std::span<const Value> pairs) {
    if (dict.row == k_none) become(dict, Dict::Kind::other);
    if (static_cast<std::size_t>(&dict - dicts_.data()) < text_dicts_) forget_texts();
    std::vector<Value>& kept = dicts_of_pairs_[dict.row];
    kept.insert(kept.end(), pairs.begin(), pairs.end());
    count_kept(pairs.size());
}

void ObjectBuilder::set_item(Value dict_value, Value key, Value value) {
    const Value pair[] = {key, value};
    const bool waits = dict_value.kind == Value::Kind::dict && dicts_[dict_value.index()].kind == Dict::Kind::other;
    if (!waits) {
        set_items(dict_value, pair);
        return;
    }
    Dict& dict = dicts_[dict_value.index()];
    const bool begins = !std::exchange(dict.is_open, true) && dict.row != k_none;
    if (begins && !dicts_of_pairs_[dict.row].empty()) open_from_[dict_value.index()] = dicts_of_pairs_[dict.row].size();
    keep_pairs(dict, pair);
}

bool ObjectBuilder::is_finished(Value dict_value) const {
    const Dict& dict = dicts_[dict_value.index()];
    const bool is_empty = dict.row == k_none || (dict.kind == Dict::Kind::other && dicts_of_pairs_[dict.row].empty());
    return !is_empty && !dict.is_open;
}

/// Makes a row of a dict whose items came one by one, if it is one.
void ObjectBuilder::settle(std::uint32_t index) {
    Dict& dict = dicts_[index];
    dict.is_open = false;
    std::size_t first = 0;
    if (const auto from = open_from_.find(index); from != open_from_.end()) {
        first = from->second;
        open_from_.erase(from);
    }
    const Dict::Kind kind = kind_by_keys(std::span<const Value>(dicts_of_pairs_[dict.row]).subspan(first));
    if (kind == Dict::Kind::other) return;
    std::vector<Value> pairs;
    pairs.swap(dicts_of_pairs_[dict.row]);
    kept_values_ -= pairs.size();
    become(dict, kind);
    set_fields(dict, pairs);
}

void ObjectBuilder::set_fields(Dict& dict, std::span<const Value> pairs) {
    try {
        set_row(dict, pairs);
    } catch (Failure& failure) {
        if (dict.kind == Dict::Kind::frame) {
            damaged_frame_ = placed(failure);
        } else {
            note_damage(dict.kind, dict.row, failure);
        }
    }
}

void ObjectBuilder::set_row(Dict& dict, std::span<const Value> pairs) {
    const auto each = [&](auto set) {
        for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
            if (pairs[i].kind == Value::Kind::string) set(pairs[i].index(), pairs[i + 1]);
        }
    };
    switch (dict.kind) {
        case Dict::Kind::event: {
            EventRow row = events_.row(dict.row);
            const MetadataId before = row.metadata;
            row.metadata =
                set_event_fields(row, pairs, before.is_some() ? snapshot_->metadata[before.value] : EventMetadata{});
            events_.set(dict.row, row);
            break;
        }
        case Dict::Kind::frame: {
            if (dict.row != k_none) ++frame_changes_;
            Frame frame = dict.row == k_none ? Frame{} : snapshot_->stacks.frame(FrameId{dict.row});
            std::string fx;
            each([&](std::uint32_t key, Value value) { set_frame_field(frame, key, value, fx); });
            if (!fx.empty()) frame.fx = snapshot_->strings.intern(fx + "}");
            dict.row = snapshot_->stacks.intern_frame(frame).value;
            break;
        }
        case Dict::Kind::segment:
            each([&](std::uint32_t key, Value value) {
                if (key == keys::k_blocks) {
                    if (value.kind != Value::Kind::list) fail("'blocks' is not a list");
                    segment_block_lists_[dict.row] = value.index();
                } else {
                    set_segment_field(dict.row, key, value);
                }
            });
            break;
        case Dict::Kind::block:
            each([&](std::uint32_t key, Value value) { set_block_field(blocks_[dict.row], key, value); });
            break;
        case Dict::Kind::other: break;
    }
}

MetadataId ObjectBuilder::set_event_fields(EventRow& row, std::span<const Value> pairs, EventMetadata metadata) {
    std::optional<std::uint64_t> device_free;
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
        const Value value = pairs[i + 1];
        if (pairs[i].kind != Value::Kind::string) continue;
        if (is_absent(value) && pairs[i].index() != keys::k_action) continue;
        switch (pairs[i].index()) {
            case keys::k_action: row.action = action_of(string_of(value, "action")); break;
            case keys::k_addr: row.address = integer_of(value, "addr"); break;
            case keys::k_device_free: device_free = integer_of(value, "device_free"); break;
            case keys::k_size: row.size_bytes = size_of(value, "size"); break;
            case keys::k_stream: row.stream = stream_of(integer_of(value, "stream")); break;
            case keys::k_time_us: row.time_us = static_cast<std::int64_t>(integer_of(value, "time_us")); break;
            case keys::k_frames: row.stack = stack_of(value, "frames"); break;
            case keys::k_pool_id: row.pool = pool_of(value); break;
            case keys::k_compile_context: metadata.compile_context = text_of(value); break;
            case keys::k_user_metadata: metadata.user_metadata = text_of(value); break;
            case keys::k_op_name:  // PaddlePaddle's: the operator that was running, or the text of a mark
                if (!metadata.user_metadata.is_some()) metadata.user_metadata = text_of(value);
                break;
            case keys::k_internal_metadata: metadata.internal_metadata = text_of(value); break;
            case keys::k_category: metadata.category = text_of(value); break;
            case keys::k_forward_frames: metadata.forward_frames = text_of(value); break;
            default: note_unknown(Dict::Kind::event, pairs[i].index());
        }
    }
    if (row.action == Action::oom) row.set_free_bytes(device_free);
    return intern_metadata(metadata);
}

void ObjectBuilder::set_frame_field(Frame& frame, std::uint32_t key, Value value, std::string& fx) {
    if (is_absent(value)) return;
    switch (key) {
        case keys::k_filename: frame.file = string_of(value, "filename"); break;
        case keys::k_name: frame.function = string_of(value, "name"); break;
        case keys::k_line: frame.line = line_of(value); break;
        case keys::k_fx_node_op:
        case keys::k_fx_node_name:
        case keys::k_fx_node_target:
        case keys::k_fx_original_trace:
        case keys::k_fx_node_info:
            if (key == keys::k_fx_original_trace && value.kind == Value::Kind::string)
                set_original_line(frame, snapshot_->strings, snapshot_->strings.view(StringId{value.index()}));
            fx += fx.empty() ? "{" : ", ";
            fx += json_quoted(keys::k_names[key]) + ": " + json_of(value);
            break;
        default: note_unknown(Dict::Kind::frame, key);
    }
}

void ObjectBuilder::set_segment_field(std::uint32_t row, std::uint32_t key, Value value) {
    if (is_absent(value)) return;
    Segment& segment = segments_[row];
    switch (key) {
        case keys::k_device: segment.device = device_of(value); break;
        case keys::k_address: segment.address = integer_of(value, "address"); break;
        case keys::k_total_size: segment.total_bytes = size_of(value, "total_size"); break;
        case keys::k_allocated_size: segment.allocated_bytes = size_of(value, "allocated_size"); break;
        case keys::k_active_size: segment.active_bytes = size_of(value, "active_size"); break;
        case keys::k_requested_size: segment.requested_bytes = size_of(value, "requested_size"); break;
        case keys::k_stream: segment.stream = stream_of(integer_of(value, "stream")); break;
        case keys::k_segment_type: segment.type = string_of(value, "segment_type"); break;
        case keys::k_segment_pool_id: segment.pool = pool_of(value); break;
        case keys::k_is_expandable: segment.is_expandable = value.bits != 0; break;
        case keys::k_frames: segment.stack = stack_of(value, "frames"); break;
        case keys::k_size: flat_segments_[row].size_bytes = size_of(value, "size"); break;
        case keys::k_allocated: flat_segments_[row].is_allocated = value.bits != 0; break;
        case keys::k_active: flat_segments_[row].is_active = value.bits != 0; break;
        case keys::k_state: flat_segments_[row].block_state = block_state(string_of(value, "state")); break;
        default: note_unknown(Dict::Kind::segment, key);
    }
}

void ObjectBuilder::set_block_field(BlockRow& row, std::uint32_t key, Value value) {
    if (is_absent(value)) return;
    switch (key) {
        case keys::k_size: row.block.size_bytes = size_of(value, "size"); break;
        case keys::k_requested_size:
            row.block.requested_bytes = size_of(value, "requested_size");
            row.has_requested = true;
            break;
        case keys::k_state: row.block.state = block_state(string_of(value, "state")); break;
        case keys::k_frames:
            row.block.stack = stack_of(value, "frames");
            row.has_frames = true;
            break;
        case keys::k_history: take_history(row, value); break;
        case keys::k_address: row.block.address = integer_of(value, "address"); break;  // in a segment the sum counts
        default: note_unknown(Dict::Kind::block, key);
    }
}

BlockState ObjectBuilder::block_state(StringId name) const {
    const std::string_view state = snapshot_->strings.view(name);
    if (state == "active_allocated") return BlockState::active_allocated;
    const bool is_pending = state == "active_pending_free" || state == "active_awaiting_free";
    return is_pending ? BlockState::active_pending_free : BlockState::inactive;
}

/// Before torch 2.1 a block's stack and requested size are those of the newest entry of its history.
void ObjectBuilder::take_history(BlockRow& row, Value history) {
    if (history.kind != Value::Kind::list) fail("'history' is not a list");
    const std::span<const Value> entries = items_of(lists_[history.index()]);
    if (entries.empty() || entries[0].kind != Value::Kind::dict) return;
    const Dict& entry = dicts_[entries[0].index()];
    if (entry.kind != Dict::Kind::other || entry.row == k_none) return;
    const Value* size = find(entry.row, keys::k_real_size);
    if (size == nullptr) return;
    row.has_history = true;
    row.history_bytes = size_of(*size, "real_size");
    if (const Value* frames = find(entry.row, keys::k_frames)) row.history_stack = stack_of(*frames, "frames");
}

/// The value of a key that has a meaning. Of a key that comes twice, the last counts.
const Value* ObjectBuilder::find(std::uint32_t dict, std::uint32_t key) {
    const std::vector<Value>& pairs = dicts_of_pairs_[dict];
    if (pairs.size() <= k_small_dict_values) {
        for (std::size_t i = pairs.size() / 2 * 2; i > 0; i -= 2) {
            if (pairs[i - 2].kind == Value::Kind::string && pairs[i - 2].bits == key) return &pairs[i - 1];
        }
        return nullptr;
    }
    KeyPlaces& places = large_dicts_[dict];
    for (; places.seen + 1 < pairs.size(); places.seen += 2) {
        const Value& each = pairs[places.seen];
        if (each.kind == Value::Kind::string && each.bits < keys::k_key_count) places.value_at[each.bits] = places.seen + 1;
    }
    return places.value_at[key] == 0 ? nullptr : &pairs[places.value_at[key]];
}

void ObjectBuilder::note_unknown(Dict::Kind kind, std::uint32_t key) {
    ++odd_keys_;
    const auto known = unknown_keys_.find({kind, key});
    if (known != unknown_keys_.end()) {
        ++known->second;
    } else if (unknown_keys_.size() < k_most_unknown_keys) {
        unknown_keys_.emplace(std::pair(kind, key), 1);
    } else {
        ++more_unknown_keys_;
    }
}

// ---------------------------------------------------------------------------------------------------- values

std::uint64_t ObjectBuilder::integer_of_other(Value value, const char* key) const {
    if (value.kind == Value::Kind::boolean) return value.bits;
    const double real = value.kind == Value::Kind::real ? std::bit_cast<double>(value.bits) : 0.5;
    const bool is_whole = real == std::floor(real) && real >= -0x1p63 && real < 0x1p64;  // as other programs write integers
    if (!is_whole) fail(quoted(key) + " is not an integer");
    return real < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(real)) : static_cast<std::uint64_t>(real);
}

std::int32_t ObjectBuilder::device_of(Value value) {
    const std::uint64_t device = integer_of(value, "device");
    if (device <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
        return static_cast<std::int32_t>(device);
    snapshot_->log.add("bad_device", {}, {"a device number is negative or above 2^31; it is read as 0"});
    return 0;
}

std::uint64_t ObjectBuilder::size_of(Value value, const char* key) {
    const std::uint64_t size = integer_of(value, key);
    if (size <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return size;
    snapshot_->log.add("negative_size", {}, {"a size is negative or above 2^63; it is read as 0"});
    return 0;
}

std::uint32_t ObjectBuilder::line_of(Value value) const { return frame_line(integer_of(value, "line")); }

StringId ObjectBuilder::string_of(Value value, const char* key) const {
    if (value.kind != Value::Kind::string) fail(quoted(key) + " is not a string");
    return StringId{value.index()};
}

/// Text of anything: strings as they are, "" and None as nothing, lists of strings as lines, all else as JSON.
StringId ObjectBuilder::text_of(Value value) {
    if (value.kind == Value::Kind::none) return StringId::none();
    if (value.kind == Value::Kind::string)
        return snapshot_->strings.view(StringId{value.index()}).empty() ? StringId::none() : StringId{value.index()};
    if (value.kind != Value::Kind::list && value.kind != Value::Kind::dict) return keep_text(json_of(value));
    const std::uint64_t which = static_cast<std::uint64_t>(value.kind) << 32 | value.index();
    if (const auto known = texts_.find(which); known != texts_.end()) return known->second;
    const StringId text = make_text(value);
    texts_.emplace(which, text);
    text_lists_ = lists_.size();
    text_dicts_ = dicts_.size();
    return text;
}

StringId ObjectBuilder::make_text(Value value) {
    if (value.kind != Value::Kind::list) return keep_text(json_of(value));
    std::string lines;
    const std::span<const Value> items = items_of(lists_[value.index()]);
    for (const Value item : items) {
        if (!lines.empty()) lines += '\n';
        if (item.kind != Value::Kind::string) continue;
        const std::string_view line = snapshot_->strings.view(StringId{item.index()});
        check_stop();
        lines += line;
    }
    return lines.empty() ? StringId::none() : keep_text(lines);
}

/// Interns text that is not in the file in this form.
StringId ObjectBuilder::keep_text(const std::string& text) { return snapshot_->strings.intern(text); }

StackId ObjectBuilder::stack_of(Value value, const char* key) {
    if (value.kind == Value::Kind::none) return StackId::none();
    if (value.kind != Value::Kind::list) fail(quoted(key) + " is not a list");
    const List& list = lists_[value.index()];
    if (list.kind == List::Kind::empty) return StackId::none();
    if (list.kind == List::Kind::stack) return StackId{list.first};
    std::vector<FrameId> frames;
    for (const Value item : items_of(list)) {
        const FrameId frame = as_frame(item);
        if (!frame.is_some()) {
            const bool is_damaged = item.kind == Value::Kind::dict && dicts_[item.index()].kind == Dict::Kind::frame;
            if (is_damaged && damaged_frame_) throw Failure{*damaged_frame_};
            fail(quoted(key) + " holds something that is not a frame");
        }
        frames.push_back(frame);
    }
    check_stop();
    const StackId stack = snapshot_->stacks.intern_stack(frames);
    lists_[value.index()] = {List::Kind::stack, Dict::Kind::other, false, stack.value,
                             0};  // many events may share this list
    return stack;
}

}  // namespace snapviewer
