/// The part of ObjectBuilder for impossible values. They are remembered until their owner is known. A list of a device's
/// rows ends at such a value; rows of pinned host memory are left out, because their form changes from version to version.
#include <fmt/format.h>

#include <algorithm>

#include "core/load/object_builder.h"

namespace snapviewer {
Error ObjectBuilder::placed(Failure& failure) const {
    if (failure.error.code != ErrorCode::bad_file) throw std::move(failure);
    check_stop();
    if (!failure.error.offset && place_) failure.error.offset = place_();
    return std::move(failure.error);
}

void ObjectBuilder::note_damage(Dict::Kind kind, std::uint32_t row, Failure& failure) {
    Error error = placed(failure);
    damaged_rows_.try_emplace({kind, row}, std::move(error));
}

void ObjectBuilder::note_stray(std::uint32_t list) {
    Stray& stray = strays_[list];
    if (stray.count++ > 0) return;
    stray.rows_before = lists_[list].count;
    if (place_) stray.offset = place_();
}

/// Throws if one of these rows is damaged.
void ObjectBuilder::need_whole(Dict::Kind kind, std::uint32_t first, std::uint32_t count, const std::string& context) const {
    const auto damaged = damaged_rows_.lower_bound({kind, first});
    if (damaged == damaged_rows_.end() || damaged->first >= std::pair(kind, first + count)) return;
    Error error = damaged->second;
    error.context = context;
    throw Failure{std::move(error)};
}

/// Throws unless the list contains rows of this kind and nothing else.
void ObjectBuilder::need_only(Value value, Dict::Kind kind, const char* otherwise, const std::string& context) const {
    const List& list = lists_[value.index()];
    if (list.kind != List::Kind::run || list.run_of != kind) fail(otherwise, {}, context);
    const auto stray = strays_.find(value.index());
    if (stray != strays_.end()) fail(otherwise, stray->second.offset, context);
}

void ObjectBuilder::note_damage_of_device(Error error, const std::string& context) {
    if (damages_++ > 0) return;
    error.context = context;
    if (error.message.starts_with('\'')) error.message = "holds a wrong value: " + error.message;
    damage_ = Failure{std::move(error), true, true};
}

/// The rows before the first one that is damaged or of another kind; records that one as damage.
ObjectBuilder::WholeRows ObjectBuilder::whole_rows(Value value, Dict::Kind kind, const char* otherwise,
                                                   const std::string& context) {
    const List& list = lists_[value.index()];
    if (list.kind == List::Kind::empty) return {};
    const bool is_run = list.kind == List::Kind::run && list.run_of == kind;
    const auto stray = strays_.find(value.index());
    const std::uint32_t count = !is_run ? 0 : stray != strays_.end() ? stray->second.rows_before : list.count;
    const auto damaged = damaged_rows_.lower_bound({kind, list.first});
    if (is_run && damaged != damaged_rows_.end() && damaged->first < std::pair(kind, list.first + count)) {
        note_damage_of_device(damaged->second, context);
        return {damaged->first.second - list.first, false};
    }
    if (is_run && stray == strays_.end()) return {count, true};
    const auto offset = stray != strays_.end() ? stray->second.offset : std::nullopt;
    note_damage_of_device({ErrorCode::bad_file, otherwise, offset, {}}, context);
    return {count, false};
}

/// Runs `work` and counts it as left out if it throws.
template <typename Work>
void ObjectBuilder::leaving_out_damage(Work work) {
    try {
        work();
    } catch (Failure& failure) {
        const Error error = placed(failure);
        if (host_left_out_++ == 0) first_left_out_ = error.message;
    }
}

// ---------------------------------------------------------------------------------------------------- pinned host memory

void ObjectBuilder::finish_host_traces(Value traces) {
    leaving_out_damage([&] {
        if (traces.kind != Value::Kind::list) fail("'host_traces' is not a list");
        const List& outer = lists_[traces.index()];
        const std::span<const Value> items = items_of(outer);
        const bool is_flat = outer.kind == List::Kind::run || (!items.empty() && items.front().kind == Value::Kind::dict);
        if (is_flat) {  // there is only one host
            finish_host_trace(traces, 0);
            return;
        }
        std::size_t number = 0;
        for (const Value item : items) {
            leaving_out_damage([&] {
                if (item.kind != Value::Kind::list) fail("'host_traces' holds something that is not a list");
                finish_host_trace(item, number++);
            });
        }
    });
}

void ObjectBuilder::finish_host_trace(Value trace, std::size_t number) {
    List& list = lists_[trace.index()];
    if (list.taken) fail("two devices share one trace");
    if (const auto stray = strays_.find(trace.index()); stray != strays_.end()) {
        leaving_out_damage([] { fail("a trace holds something that is not an event"); });
        host_left_out_ += stray->second.count - 1;
    }
    const std::vector<std::uint32_t> rows = host_events(list);
    if (rows.empty()) return;
    list.taken = true;
    DeviceTrace& device = device_trace(-1 - static_cast<std::int32_t>(std::min<std::size_t>(number, 0x7FFFFFFE)));
    device.events = {};
    device.events.reserve(rows.size());
    for (const std::uint32_t row : rows) device.events.push(events_.row(row));
}

/// The rows of a list that are whole events.
std::vector<std::uint32_t> ObjectBuilder::host_events(const List& list) {
    std::vector<std::uint32_t> rows;
    const auto take = [&](std::uint32_t row) {
        leaving_out_damage([&] {
            need_whole(Dict::Kind::event, row, 1, {});
            if (row >= events_.size()) fail("two devices share one trace");
            const Action action = events_.action[row];
            const bool is_of_block =
                action == Action::alloc || action == Action::free_requested || action == Action::free_completed;
            if (is_of_block && events_.address[row] == 0) fail("an event has no address");
            rows.push_back(row);
        });
    };
    if (list.kind == List::Kind::run && list.run_of == Dict::Kind::event) {
        for (std::uint32_t row = list.first; row < list.first + list.count; ++row) take(row);
    } else {
        for (const Value item : items_of(list)) {
            const bool is_event = item.kind == Value::Kind::dict && dicts_[item.index()].kind == Dict::Kind::event;
            if (is_event) {
                take(dicts_[item.index()].row);
            } else {
                leaving_out_damage([] { fail("a trace holds something that is not an event"); });
            }
        }
    }
    return rows;
}

void ObjectBuilder::finish_host_segments(Value segments) {
    leaving_out_damage([&] {
        if (segments.kind != Value::Kind::list) fail("'host_segments' is not a list");
        if (std::exchange(lists_[segments.index()].taken, true)) fail("two ranks share one list of segments");
        const List list = lists_[segments.index()];
        if (const auto stray = strays_.find(segments.index()); stray != strays_.end()) {
            leaving_out_damage([] { fail("'host_segments' holds something that is not a segment"); });
            host_left_out_ += stray->second.count - 1;
        }
        if (list.kind == List::Kind::run && list.run_of == Dict::Kind::segment) {
            for (std::uint32_t row = list.first; row < list.first + list.count; ++row)
                leaving_out_damage([&] { finish_host_segment(row); });
        } else if (list.kind == List::Kind::run && list.run_of == Dict::Kind::block) {
            for (std::uint32_t row = list.first; row < list.first + list.count; ++row)
                leaving_out_damage([&] { finish_host_segment(segment_of_block(row)); });
        } else {
            for (const Value item : items_of(list)) leaving_out_damage([&] { finish_host_segment(host_segment_row(item)); });
        }
    });
}

/// The row of a dict that is a segment, even if it was read as another kind.
std::uint32_t ObjectBuilder::host_segment_row(Value value) {
    if (value.kind != Value::Kind::dict) fail("'host_segments' holds something that is not a segment");
    Dict& dict = dicts_[value.index()];
    if (dict.kind == Dict::Kind::segment) return dict.row;
    if (dict.kind == Dict::Kind::block) return segment_of_block(dict.row);
    if (dict.kind != Dict::Kind::other || dict.row == k_none) fail("'host_segments' holds something that is not a segment");
    const std::vector<Value> pairs = dicts_of_pairs_[dict.row];
    become(dict, Dict::Kind::segment);
    set_fields(dict, pairs);
    return dict.row;
}

/// A segment whose only fields are address, size and state looks like a block.
std::uint32_t ObjectBuilder::segment_of_block(std::uint32_t row) {
    need_whole(Dict::Kind::block, row, 1, {});
    const BlockRow& from = blocks_[row];
    Segment& segment = segments_.emplace_back();
    segment_block_lists_.push_back(k_none);
    segment.stream = k_no_stream;
    segment.address = from.block.address;
    segment.total_bytes = from.block.size_bytes;
    segment.requested_bytes = from.has_requested ? from.block.requested_bytes : 0;
    segment.stack = from.block.stack;
    const auto segment_row = static_cast<std::uint32_t>(segments_.size() - 1);
    flat_segments_[segment_row].block_state = from.block.state;
    return segment_row;
}

void ObjectBuilder::finish_host_segment(std::uint32_t row) {
    need_whole(Dict::Kind::segment, row, 1, {});
    Segment segment = segments_[row];
    const auto flat = flat_segments_.find(row);
    if (segment.total_bytes == 0 && flat != flat_segments_.end()) segment.total_bytes = flat->second.size_bytes.value_or(0);
    if (segment.address == 0 || segment.total_bytes == 0) fail("a segment has no address or no size");
    segment.device = -1 - segment.device;
    if (!segment.type.is_some()) segment.type = snapshot_->strings.intern("large");
    finish_segment(segment, row);
    if (segment_block_lists_[row] != k_none) return;
    Segment& added = snapshot_->segments.back();
    added.block_count = 1;
    snapshot_->blocks.push_back(flat_block(added, flat == flat_segments_.end() ? FlatSegment{} : flat->second));
}

/// The only block of a segment without a list of blocks.
Block ObjectBuilder::flat_block(const Segment& segment, const FlatSegment& flat) {
    const bool is_allocated = flat.is_allocated.value_or(segment.allocated_bytes > 0);
    const bool is_active = flat.is_active.value_or(segment.active_bytes > 0);
    const BlockState told = is_allocated ? BlockState::active_allocated
                            : is_active  ? BlockState::active_pending_free
                                         : BlockState::inactive;
    return {segment.address, segment.total_bytes,
            segment.requested_bytes > 0 ? segment.requested_bytes : segment.total_bytes, flat.block_state.value_or(told),
            segment.stack};
}

void ObjectBuilder::report_host() {
    if (host_left_out_ == 0) return;
    snapshot_->log.add(
        ImportCode::host_left_out,
        fmt::format("rows of pinned host memory could not be read and are left out; the first one: {}", first_left_out_), {},
        host_left_out_);
}

}  // namespace snapviewer
