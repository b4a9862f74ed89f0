#include "core/load/pytorch/object_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/context.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/load/bytes/sources.h"
#include "core/system/memory.h"
#include "core/trace/stack_table.h"

namespace snapviewer::pytorch {
namespace {

constexpr std::size_t k_max_unknown_keys = 1000;  // maximum number of unknown keys that are counted one by one

/// Minimum size of an event in a file of many events: an event whose stack has occurred before.
constexpr std::uint64_t k_event_bytes = 48;
/// Maximum memory of a complete document for each event, and in addition for each alloc or free, which has a tick in the
/// timeline, a place in the picture and half an allocation.
constexpr double k_held_bytes_per_event = 37;
constexpr double k_held_bytes_per_action = 100;
/// Bytes of available memory for each row for which address space is reserved. Without this limit, a process with little
/// address space would fail without a useful error.
constexpr std::uint64_t k_available_bytes_per_row = 128;
constexpr std::uint64_t k_min_estimate_bytes = 16 << 20;  // bytes of a file to read before its memory is estimated

/// Calls `set(key, value)` for each pair whose key is a string.
template <typename Set>
void for_each_field(std::span<const Value> pairs, Set set) {
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
        if (pairs[i].kind == Value::Kind::string) set(pairs[i].index(), pairs[i + 1]);
    }
}

/// True if a dict with a state is a segment of pinned host memory: blocks never have one of these keys.
bool is_flat_segment(std::span<const Value> pairs) {
    static constexpr std::array k_segment_keys = {key_id("device"),      key_id("segment_type"), key_id("segment_pool_id"),
                                                  key_id("allocated"),   key_id("active"),       key_id("allocated_size"),
                                                  key_id("active_size"), key_id("total_size"),   key_id("blocks")};
    bool is_segment = false;
    for_each_field(pairs, [&](std::uint32_t key, Value) {
        is_segment |= std::ranges::find(k_segment_keys, key) != k_segment_keys.end();
    });
    return is_segment;
}

/// Returns the kind of row that a dict with these items is.
ObjectTable::Dict::Kind kind_by_keys(std::span<const Value> pairs) {
    using enum ObjectTable::Dict::Kind;
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
        if (pairs[i].kind != Value::Kind::string) continue;
        switch (pairs[i].index()) {
            case key_id("action"): return event;
            case key_id("filename"): return frame;
            case key_id("total_size"):
            case key_id("blocks"): return segment;
            case key_id("state"): return is_flat_segment(pairs) ? segment : block;
            default: break;
        }
    }
    return other;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------- building lists

bool ObjectBuilder::extends_run(const List& list, Value item) const {
    if (item.kind != Value::Kind::dict) return false;
    const Dict& dict = table_.dict(item);
    if (dict.kind != Kind::event && dict.kind != Kind::segment && dict.kind != Kind::block) return false;
    return list.kind == List::Kind::empty || (dict.kind == list.run_of && dict.row == list.first + list.count);
}

/// Converts a list to one that can contain any values.
void ObjectBuilder::make_ordinary(List& list) {
    if (list.kind == List::Kind::other) return;
    std::vector<Value> values;
    if (list.kind == List::Kind::stack) {
        check_stop();
        for (const FrameId frame : snapshot().stacks.stack(StackId{list.first})) {
            values.push_back(new_dict());
            table_.dicts.back() = {.kind = Kind::frame, .row = frame.value};
        }
    }
    list.kind = List::Kind::other;
    list.first = static_cast<std::uint32_t>(table_.lists_of_values.size());
    table_.lists_of_values.push_back(std::move(values));
}

void ObjectBuilder::append(Value list_value, std::span<const Value> items) {
    if (list_value.kind != Value::Kind::list) bytes::fail_damaged("appends to a value that is not a list");
    List& list = table_.list(list_value);
    for (const Value item : items) {
        if (item.kind == Value::Kind::dict && table_.dict(item).is_open) close_dict(item.index());
    }
    std::size_t i = 0;
    if (list.kind == List::Kind::empty || list.kind == List::Kind::run) {
        for (; i < items.size(); ++i) {
            if (!extends_run(list, items[i])) {
                if (list.kind == List::Kind::empty) break;
                damage_.add_stray(list_value);
                continue;
            }
            if (list.kind == List::Kind::empty) {
                const Dict& first = table_.dict(items[i]);
                list = {.kind = List::Kind::run, .run_of = first.kind, .first = first.row};
            }
            ++list.count;
        }
    }
    if (i == items.size()) return;
    make_ordinary(list);
    count_kept(items.size() - i);
    if (list_value.index() < text_lists_) clear_texts();
    std::vector<Value>& values = table_.lists_of_values[list.first];
    values.insert(values.end(), items.begin() + static_cast<std::ptrdiff_t>(i), items.end());
}

bool ObjectBuilder::append_event(Value list_value, Value dict) {
    if (list_value.kind != Value::Kind::list || table_.dict(dict).kind != Kind::event) return false;
    if (!is_empty(list_value) && !extends_run(table_.list(list_value), dict)) return false;
    append(list_value, {&dict, 1});
    return true;
}

void ObjectBuilder::truncate(Sizes sizes) {
    table_.lists.resize(sizes.lists);
    table_.dicts.resize(sizes.dicts);
    table_.lists_of_values.resize(sizes.lists_of_values);
    table_.dicts_of_pairs.resize(sizes.dicts_of_pairs);
    kept_values_ = sizes.kept_values;
    damage_.drop_lists(sizes.lists);
    clear_texts();
    if (!table_.large_dicts.empty()) table_.large_dicts = {};
}

void ObjectBuilder::count_kept(std::size_t values) {
    kept_values_ += values;
    if (kept_values_ > limits::k_max_kept_values)
        bytes::fail("holds more values that do not belong to a snapshot than any real snapshot");
}

// ---------------------------------------------------------------------------------------------------- building dicts

/// Adds an empty row for a dict.
void ObjectBuilder::make_row(Dict& dict, Kind kind) {
    const auto add_to = [&](auto& rows) {
        dict.row = static_cast<std::uint32_t>(rows.size());
        rows.emplace_back();
    };
    dict.kind = kind;
    switch (kind) {
        case Kind::event:
            dict.row = static_cast<std::uint32_t>(table_.events.size());
            table_.events.push({.stream = interner_.stream(0)});
            break;
        case Kind::frame: dict.row = ObjectTable::k_none; break;
        case Kind::segment:
            add_to(table_.segments);
            table_.segments.back().stream = ObjectTable::k_no_stream;
            table_.segment_block_lists.push_back(ObjectTable::k_none);
            break;
        case Kind::block: add_to(table_.blocks); break;
        case Kind::other: add_to(table_.dicts_of_pairs); break;
    }
}

void ObjectBuilder::set_items(Value dict_value, std::span<const Value> pairs) {
    if (dict_value.kind != Value::Kind::dict) bytes::fail_damaged("sets a key on a value that is not a dict");
    Dict& dict = table_.dict(dict_value);
    if (dict.kind != Kind::other) {
        set_fields(dict, pairs);
        return;
    }
    const Kind kind = kind_by_keys(pairs);
    const bool is_new = dict.row == ObjectTable::k_none;
    if (kind == Kind::other) {
        keep_pairs(dict, pairs);
    } else if (is_new && kind == Kind::event) {
        add_event(dict, pairs);
    } else {
        std::vector<Value> earlier;
        if (!is_new) earlier.swap(table_.dicts_of_pairs[dict.row]);
        dict.is_open = false;  // close_dict() must not take the index of the new row for that of its items
        make_row(dict, kind);
        if (!earlier.empty()) set_fields(dict, earlier);
        set_fields(dict, pairs);
    }
}

/// Adds an event whose fields come all at once, as most events of a snapshot do. Creates the row complete, because changing
/// a row takes longer.
void ObjectBuilder::add_event(Dict& dict, std::span<const Value> pairs) {
    EventRow row{.stream = interner_.stream(0)};
    dict.kind = Kind::event;
    dict.row = static_cast<std::uint32_t>(table_.events.size());
    try {
        row.metadata = set_event_fields(row, pairs, {});
    } catch (Failure& failure) {
        damage_.add_row(dict.kind, dict.row, failure);
    }
    table_.events.push(row);
}

void ObjectBuilder::keep_pairs(Dict& dict, std::span<const Value> pairs) {
    if (dict.row == ObjectTable::k_none) make_row(dict, Kind::other);
    if (static_cast<std::size_t>(&dict - table_.dicts.data()) < text_dicts_) clear_texts();
    std::vector<Value>& kept = table_.dicts_of_pairs[dict.row];
    kept.insert(kept.end(), pairs.begin(), pairs.end());
    count_kept(pairs.size());
}

void ObjectBuilder::set_item(Value dict_value, Value key, Value value) {
    const Value pair[] = {key, value};
    if (!table_.is_row(dict_value, Kind::other)) {
        set_items(dict_value, pair);
        return;
    }
    Dict& dict = table_.dict(dict_value);
    const std::size_t earlier = table_.pairs(dict_value).size();
    if (!std::exchange(dict.is_open, true) && earlier > 0) open_from_[dict_value.index()] = earlier;
    keep_pairs(dict, pair);
}

void ObjectBuilder::count_duplicate_key(Value key) {
    ++unexpected_keys_.count;
    if (++unexpected_keys_.duplicates == 1) unexpected_keys_.first_duplicate = key.index();
}

bool ObjectBuilder::is_finished(Value dict_value) const {
    const Dict& dict = table_.dict(dict_value);
    const bool has_items = dict.kind == Kind::other ? !table_.pairs(dict_value).empty() : dict.row != ObjectTable::k_none;
    return has_items && !dict.is_open;
}

/// Decides the kind of a dict whose items came one by one.
void ObjectBuilder::close_dict(std::uint32_t index) {
    Dict& dict = table_.dicts[index];
    dict.is_open = false;
    std::size_t first = 0;
    if (const auto from = open_from_.find(index); from != open_from_.end()) {
        first = from->second;
        open_from_.erase(from);
    }
    const Kind kind = kind_by_keys(std::span<const Value>(table_.dicts_of_pairs[dict.row]).subspan(first));
    if (kind == Kind::other) return;
    std::vector<Value> pairs;
    pairs.swap(table_.dicts_of_pairs[dict.row]);
    kept_values_ -= pairs.size();
    make_row(dict, kind);
    set_fields(dict, pairs);
}

std::uint32_t ObjectBuilder::as_segment(Value value) {
    if (value.kind == Value::Kind::dict) {
        Dict& dict = table_.dict(value);
        if (dict.kind == Kind::segment) return dict.row;
        if (dict.kind == Kind::block) return add_segment_like(dict.row);
        if (dict.kind == Kind::other && dict.row != ObjectTable::k_none) {
            const std::vector<Value> pairs = table_.dicts_of_pairs[dict.row];
            make_row(dict, Kind::segment);
            set_fields(dict, pairs);
            return dict.row;
        }
    }
    bytes::fail("'host_segments' holds something that is not a segment");
}

std::uint32_t ObjectBuilder::add_segment_like(std::uint32_t block_row) {
    damage_.check_rows(Kind::block, block_row, 1, {});
    const BlockRow& from = table_.blocks[block_row];
    Dict added;
    make_row(added, Kind::segment);
    Segment& segment = table_.segments.back();
    segment.address = from.block.address;
    segment.total_bytes = from.block.size_bytes;
    segment.requested_bytes = from.has_requested ? from.block.requested_bytes : 0;
    segment.stack = from.block.stack;
    table_.flat_segments[added.row].block_state = from.block.state;
    return added.row;
}

// ----------------------------------------------------------------------------------------------- setting the fields of rows

/// Sets fields of a row, and records its damage.
void ObjectBuilder::set_fields(Dict& dict, std::span<const Value> pairs) {
    try {
        set_row(dict, pairs);
    } catch (Failure& failure) {
        if (dict.kind == Kind::frame) {
            damage_.add_frame(failure);
        } else {
            damage_.add_row(dict.kind, dict.row, failure);
        }
    }
}

void ObjectBuilder::set_row(Dict& dict, std::span<const Value> pairs) {
    switch (dict.kind) {
        case Kind::event: {
            EventRow row = table_.events.row(dict.row);
            const EventMetadata before = row.metadata.is_some() ? snapshot().metadata[row.metadata.value] : EventMetadata{};
            row.metadata = set_event_fields(row, pairs, before);
            table_.events.set(dict.row, row);
            break;
        }
        case Kind::frame: {
            const bool is_new = dict.row == ObjectTable::k_none;
            if (!is_new) ++frame_changes_;
            Frame frame = is_new ? Frame{} : snapshot().stacks.frame(FrameId{dict.row});
            std::string fx;
            for_each_field(pairs, [&](std::uint32_t key, Value value) { set_frame_field(frame, key, value, fx); });
            if (!fx.empty()) frame.fx = snapshot().strings.intern(fx + "}");
            dict.row = snapshot().stacks.intern_frame(frame).value;
            break;
        }
        case Kind::segment:
            for_each_field(pairs, [&](std::uint32_t key, Value value) { set_segment_field(dict.row, key, value); });
            break;
        case Kind::block:
            for_each_field(pairs,
                           [&](std::uint32_t key, Value value) { set_block_field(table_.blocks[dict.row], key, value); });
            break;
        case Kind::other: break;
    }
}

MetadataId ObjectBuilder::set_event_fields(EventRow& row, std::span<const Value> pairs, EventMetadata metadata) {
    std::optional<std::uint64_t> device_free;
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
        const Value value = pairs[i + 1];
        if (pairs[i].kind != Value::Kind::string) continue;
        if (value.is_absent() && pairs[i].index() != key_id("action")) continue;
        switch (pairs[i].index()) {
            case key_id("action"): row.action = interner_.action(value.as_string("action")); break;
            case key_id("addr"): row.address = value.as_integer("addr"); break;
            case key_id("device_free"): device_free = value.as_integer("device_free"); break;
            case key_id("size"): row.size_bytes = size_of(value, "size"); break;
            case key_id("stream"): row.stream = interner_.stream(value.as_integer("stream")); break;
            case key_id("time_us"): row.time_us = static_cast<std::int64_t>(value.as_integer("time_us")); break;
            case key_id("frames"): row.stack = stack_of(value, "frames"); break;
            case key_id("pool_id"): row.pool = pool_of(value); break;
            case key_id("compile_context"): metadata.compile_context = text_of(value); break;
            case key_id("user_metadata"): metadata.user_metadata = text_of(value); break;
            case key_id("op_name"):  // PaddlePaddle writes the running operator, or the text of a mark
                if (!metadata.user_metadata.is_some()) metadata.user_metadata = text_of(value);
                break;
            case key_id("internal_metadata"): metadata.internal_metadata = text_of(value); break;
            case key_id("category"): metadata.category = text_of(value); break;
            case key_id("forward_frames"): metadata.forward_frames = text_of(value); break;
            default: count_unknown_key(Kind::event, pairs[i].index());
        }
    }
    if (row.action == Action::oom) row.set_free_bytes(device_free);
    return interner_.metadata(metadata);
}

/// `fx` receives the fields of torch.fx as the beginning of a JSON object.
void ObjectBuilder::set_frame_field(Frame& frame, std::uint32_t key, Value value, std::string& fx) {
    if (value.is_absent()) return;
    switch (key) {
        case key_id("filename"): frame.file = value.as_string("filename"); break;
        case key_id("name"): frame.function = value.as_string("name"); break;
        case key_id("line"): frame.line = frame_line(value.as_integer("line")); break;
        case key_id("fx_node_op"):
        case key_id("fx_node_name"):
        case key_id("fx_node_target"):
        case key_id("fx_original_trace"):
        case key_id("fx_node_info"):
            if (key == key_id("fx_original_trace") && value.kind == Value::Kind::string)
                set_original_line(frame, snapshot().strings, table_.text(value));
            fx += fx.empty() ? "{" : ", ";
            fx += json_quoted(k_known_keys[key]) + ": " + table_.json(value);
            break;
        default: count_unknown_key(Kind::frame, key);
    }
}

void ObjectBuilder::set_segment_field(std::uint32_t row, std::uint32_t key, Value value) {
    if (key == key_id("blocks")) {
        if (value.kind != Value::Kind::list) bytes::fail("'blocks' is not a list");
        table_.segment_block_lists[row] = value.index();
        return;
    }
    if (value.is_absent()) return;
    Segment& segment = table_.segments[row];
    switch (key) {
        case key_id("device"): segment.device = device_of(value); break;
        case key_id("address"): segment.address = value.as_integer("address"); break;
        case key_id("total_size"): segment.total_bytes = size_of(value, "total_size"); break;
        case key_id("allocated_size"): segment.allocated_bytes = size_of(value, "allocated_size"); break;
        case key_id("active_size"): segment.active_bytes = size_of(value, "active_size"); break;
        case key_id("requested_size"): segment.requested_bytes = size_of(value, "requested_size"); break;
        case key_id("stream"): segment.stream = interner_.stream(value.as_integer("stream")); break;
        case key_id("segment_type"): segment.type = value.as_string("segment_type"); break;
        case key_id("segment_pool_id"): segment.pool = pool_of(value); break;
        case key_id("is_expandable"): segment.is_expandable = value.bits != 0; break;
        case key_id("frames"): segment.stack = stack_of(value, "frames"); break;
        case key_id("size"): table_.flat_segments[row].size_bytes = size_of(value, "size"); break;
        case key_id("allocated"): table_.flat_segments[row].is_allocated = value.bits != 0; break;
        case key_id("active"): table_.flat_segments[row].is_active = value.bits != 0; break;
        case key_id("state"): table_.flat_segments[row].block_state = block_state(value); break;
        default: count_unknown_key(Kind::segment, key);
    }
}

void ObjectBuilder::set_block_field(BlockRow& row, std::uint32_t key, Value value) {
    if (value.is_absent()) return;
    switch (key) {
        case key_id("size"): row.block.size_bytes = size_of(value, "size"); break;
        case key_id("requested_size"):
            row.block.requested_bytes = size_of(value, "requested_size");
            row.has_requested = true;
            break;
        case key_id("state"): row.block.state = block_state(value); break;
        case key_id("frames"):
            row.block.stack = stack_of(value, "frames");
            row.has_frames = true;
            break;
        case key_id("history"): set_history(row, value); break;
        // The key "address" only matters in a block outside a segment.
        case key_id("address"): row.block.address = value.as_integer("address"); break;
        default: count_unknown_key(Kind::block, key);
    }
}

/// Before torch 2.1, a block's stack and requested size are those of the newest entry of its history.
void ObjectBuilder::set_history(BlockRow& row, Value history) {
    if (history.kind != Value::Kind::list) bytes::fail("'history' is not a list");
    const std::span<const Value> entries = table_.items(history);
    const Value* size = entries.empty() ? nullptr : table_.find(entries[0], key_id("real_size"));
    if (size == nullptr) return;
    row.has_history = true;
    row.history_bytes = size_of(*size, "real_size");
    if (const Value* frames = table_.find(entries[0], key_id("frames"))) row.history_stack = stack_of(*frames, "frames");
}

void ObjectBuilder::count_unknown_key(Kind kind, std::uint32_t key) {
    ++unexpected_keys_.count;
    const auto known = unexpected_keys_.unknown.find({kind, key});
    if (known != unexpected_keys_.unknown.end()) {
        ++known->second;
    } else if (unexpected_keys_.unknown.size() < k_max_unknown_keys) {
        unexpected_keys_.unknown.emplace(std::pair(kind, key), 1);
    } else {
        ++unexpected_keys_.more_unknown;
    }
}

// ---------------------------------------------------------------------------------------------------- converting values

std::int32_t ObjectBuilder::device_of(Value value) {
    const std::uint64_t device = value.as_integer("device");
    if (device <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
        return static_cast<std::int32_t>(device);
    snapshot().log.add("bad_device", {}, {"a device number is negative or above 2^31; it is read as 0"});
    return 0;
}

std::uint64_t ObjectBuilder::size_of(Value value, const char* key) {
    const std::uint64_t size = value.as_integer(key);
    if (size <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return size;
    snapshot().log.add("negative_size", {}, {"a size is negative or above 2^63; it is read as 0"});
    return 0;
}

std::uint16_t ObjectBuilder::pool_of(Value pair) {
    if (pair.kind == Value::Kind::none) return k_no_pool;
    const std::span<const Value> ids = table_.items(pair);
    if (ids.size() != 2) bytes::fail("a pool id is not a pair");
    return interner_.pool(
        {static_cast<std::int64_t>(ids[0].as_integer("pool_id")), static_cast<std::int64_t>(ids[1].as_integer("pool_id"))});
}

BlockState ObjectBuilder::block_state(Value name) const {
    const std::string_view state = snapshot().strings.view(name.as_string("state"));
    if (state == "active_allocated") return BlockState::active_allocated;
    const bool is_pending = state == "active_pending_free" || state == "active_awaiting_free";
    return is_pending ? BlockState::active_pending_free : BlockState::inactive;
}

StackId ObjectBuilder::stack_of(Value value, const char* key) {
    if (value.kind == Value::Kind::none) return StackId::none();
    if (value.kind != Value::Kind::list) bytes::fail(fmt::format("'{}' is not a list", key));
    const List& list = table_.list(value);
    if (list.kind == List::Kind::empty) return StackId::none();
    if (list.kind == List::Kind::stack) return StackId{list.first};
    std::vector<FrameId> frames;
    for (const Value item : table_.items(value)) {
        const FrameId frame = as_frame(item);
        if (!frame.is_some()) {
            if (table_.is_row(item, Kind::frame) && damage_.frame()) throw Failure{*damage_.frame()};
            bytes::fail(fmt::format("'{}' holds something that is not a frame", key));
        }
        frames.push_back(frame);
    }
    check_stop();
    const StackId stack = snapshot().stacks.intern_stack(frames);
    fill_with_stack(value, stack);  // stored in the list, which many events may share
    return stack;
}

/// Returns the text of any value: a string unchanged, a list of strings as lines, anything else as JSON. Returns none() for
/// "", None and an empty list.
StringId ObjectBuilder::text_of(Value value) {
    if (value.kind == Value::Kind::none) return StringId::none();
    if (value.kind == Value::Kind::string) return table_.text(value).empty() ? StringId::none() : StringId{value.index()};
    if (value.kind != Value::Kind::list && value.kind != Value::Kind::dict) return new_text(value);
    const std::uint64_t which = static_cast<std::uint64_t>(value.kind) << 32 | value.index();
    if (const auto known = texts_.find(which); known != texts_.end()) return known->second;
    const StringId text = new_text(value);
    texts_.emplace(which, text);
    text_lists_ = table_.lists.size();
    text_dicts_ = table_.dicts.size();
    return text;
}

StringId ObjectBuilder::new_text(Value value) {
    if (value.kind != Value::Kind::list) return snapshot().strings.intern(table_.json(value));
    std::vector<StringId> lines;
    for (const Value item : table_.items(value))
        lines.push_back(item.kind == Value::Kind::string ? StringId{item.index()} : StringId::none());
    return interner_.joined_lines(std::move(lines));
}

/// Replaces the map, because clear() takes time in proportion to its largest size.
void ObjectBuilder::clear_texts() {
    if (!texts_.empty()) texts_ = {};
    text_lists_ = text_dicts_ = 0;
}

// ----------------------------------------------------------------------------------- limiting memory and reporting progress

void ObjectBuilder::reserve(std::uint64_t file_bytes) {
    // A download may promise any size, and the limit of its account grows only with the bytes that have arrived.
    const std::uint64_t usable_bytes = std::min(available_memory_bytes(), budget_.account().limit_bytes() / 2);
    const auto count =
        static_cast<std::size_t>(std::min(file_bytes / k_event_bytes, usable_bytes / k_available_bytes_per_row));
    table_.lists.reserve(count);
    table_.dicts.reserve(count);
    table_.events.reserve(count);
}

void ObjectBuilder::prefault() {
    std::apply([&](const auto&... columns) { growth_.prefault_growth(columns..., table_.lists, table_.dicts); },
               EventColumns::fields(std::as_const(table_.events)));
}

void ObjectBuilder::publish() {
    Progress* const progress = Context::current().progress;
    if (progress == nullptr) return;
    const EventColumns& events = table_.events;
    for (; published_events_ < events.size(); ++published_events_) {
        const auto size_bytes = static_cast<std::int64_t>(events.size_bytes[published_events_]);
        const Action action = events.action[published_events_];
        published_actions_ += action == Action::alloc || action == Action::free_completed ? 1 : 0;
        progress->totals().add(action == Action::alloc ? size_bytes : action == Action::free_completed ? -size_bytes : 0);
    }
}

void ObjectBuilder::check_memory(std::uint64_t read_bytes, std::uint64_t file_bytes) const {
    if (read_bytes < k_min_estimate_bytes) return;
    const double so_far = k_held_bytes_per_event * static_cast<double>(published_events_) +
                          k_held_bytes_per_action * static_cast<double>(published_actions_);
    const double whole = static_cast<double>(std::max(file_bytes, read_bytes)) / static_cast<double>(read_bytes);
    throw_if_error(budget_.check_estimate(static_cast<std::uint64_t>(so_far * whole)));
}

}  // namespace snapviewer::pytorch
